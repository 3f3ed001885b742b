from collections.abc import Iterator

import pytest
from mcp import StdioServerParameters

from servers import Deployment, HttpServer, http_server, stdio_server


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def everything_http() -> Iterator[HttpServer]:
    with http_server("everything") as server:
        yield server


@pytest.fixture(params=["http", "stdio"])
def transport(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def everything(transport: str, everything_http: HttpServer) -> HttpServer | StdioServerParameters:
    return everything_http if transport == "http" else stdio_server("everything")


@pytest.fixture
def deployment(tmp_path) -> Deployment:
    return Deployment(tmp_path)


@pytest.fixture
def deployed(
    transport: str, deployment: Deployment
) -> Iterator[HttpServer | StdioServerParameters]:
    if transport == "stdio":
        yield deployment.stdio
        return
    with deployment.replica() as server:
        yield server
