"""The examples as processes, over HTTP and for clients that start them on stdio."""

import os
import re
import secrets
import subprocess
from asyncio import StreamReader, StreamWriter, open_connection, start_server
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

import anyio
from mcp import StdioServerParameters

# The folder with the built examples, which `.ci/clients` names.
EXAMPLES = Path(os.environ["SAGA_EXAMPLES"])
ADDRESS = "listening on "


@dataclass
class HttpServer:
    """A server process on a port of its own."""

    process: subprocess.Popen[str]
    url: str

    @property
    def pid(self) -> int:
        return self.process.pid

    def kill(self) -> None:
        """As a power cut does: nothing is cleaned up, nothing is told to the client."""
        self.process.kill()
        self.process.wait()


@contextmanager
def http_server(name: str, *args: str, env: dict[str, str] | None = None) -> Iterator[HttpServer]:
    with TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [EXAMPLES / name, "--port", "0", *args],
            env=os.environ | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdout
        server = HttpServer(process, "")
        with closing(process.stdout) as printed:
            try:
                line = printed.readline()
                if not line.startswith(ADDRESS):
                    log.seek(0)
                    raise RuntimeError(f"{name} ended before it was ready: {log.read()}")
                server.url = line.removeprefix(ADDRESS).strip()
                yield server
            finally:
                server.kill()


@dataclass
class Relay:
    """One address for servers that come and go, as a load balancer is."""

    url: str = ""
    port: int = 0
    writers: set[StreamWriter] = field(default_factory=set)

    async def to(self, server: HttpServer) -> None:
        """Sends what comes now to `server`, over new connections."""
        port = urlsplit(server.url).port
        assert port
        self.port = port
        await self.disconnect()

    async def disconnect(self) -> None:
        # A client must not be able to pick a connection whose end it could not have seen yet.
        for writer in list(self.writers):
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError):
            server_reader, server_writer = await open_connection("127.0.0.1", self.port)
            self.writers |= {writer, server_writer}
            async with anyio.create_task_group() as both:
                both.start_soon(self.copy, reader, server_writer)
                both.start_soon(self.copy, server_reader, writer)
        writer.close()

    async def copy(self, reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()
        self.writers.discard(writer)


@asynccontextmanager
async def relay_server() -> AsyncIterator[Relay]:
    relay = Relay()
    server = await start_server(relay.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    relay.url = f"http://127.0.0.1:{port}/mcp"
    try:
        yield relay
    finally:
        server.close()
        await relay.disconnect()
        await server.wait_closed()


class Deployment:
    """What the replicas of one deployment have in common: keys, and the log of what they did."""

    def __init__(self, directory: Path) -> None:
        self.log = directory / f"{secrets.token_hex(4)}.log"
        self.args = ["--build-log", str(self.log)]
        self.env = {"SAGA_KEYS": f"{secrets.token_hex(4)}:{secrets.token_hex(32)}"}

    def replica(self):
        return http_server("deploy-server", *self.args, env=self.env)

    @property
    def stdio(self) -> StdioServerParameters:
        return stdio_server("deploy-server", *self.args, env=self.env)

    def events(self) -> list[tuple[int, str]]:
        """Which process did what."""
        lines = self.log.read_text().splitlines()
        matches = [re.fullmatch(r"process (\d+): (.*)", line) for line in lines]
        return [(int(match[1]), match[2]) for match in matches if match]

    def done(self) -> list[str]:
        return [what for _, what in self.events()]


def stdio_server(name: str, *args: str, env: dict[str, str] | None = None) -> StdioServerParameters:
    return StdioServerParameters(command=str(EXAMPLES / name), args=["--stdio", *args], env=env)
