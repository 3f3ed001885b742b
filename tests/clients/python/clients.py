"""Clients of the SDK, and what they answer."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters, types

from servers import HttpServer, Relay

STATELESS = "2026-07-28"
SESSIONS = "2025-11-25"
# Longer than any of these tests takes on a busy machine.
PATIENCE = 60


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


def say(text: str) -> types.CreateMessageResult:
    content = types.TextContent(type="text", text=text)
    return types.CreateMessageResult(role="assistant", model="a-model", content=content)


ROOTS = types.ListRootsResult(roots=[types.Root(uri="file:///home/ada", name="home")])

Answers = dict[str, Callable[[Any], Any]]

# What a client answers where a test says nothing else.
ANSWERS: Answers = {
    "elicitation": lambda _: accept(name="Ada"),
    "sampling": lambda _: say("Good morning"),
    "roots": lambda _: ROOTS,
}


def text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def question(params: types.CreateMessageRequestParams) -> str:
    """What the model is asked."""
    content = params.messages[0].content
    first = content[0] if isinstance(content, list) else content
    assert isinstance(first, types.TextContent)
    return first.text


def form(action: str, **content: str) -> str:
    """How the example describes the answer to a form."""
    given = json.dumps(content or None, separators=(",", ":"))
    return f"action={action}, content={given}"


@dataclass
class Connection:
    client: Client
    # The questions that the client was given.
    asked: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def abilities(self) -> list[str]:
        return [ability for ability, _ in self.asked]

    @property
    def params(self) -> list[Any]:
        return [params for _, params in self.asked]

    async def call(self, name: str, **arguments: Any) -> types.CallToolResult:
        return await self.client.call_tool(name, arguments)

    async def refused(self, name: str, **arguments: Any) -> MCPError:
        try:
            result = await self.call(name, **arguments)
        except MCPError as error:
            return error
        raise AssertionError(f"no error, but {result}")

    async def round(
        self, name: str, arguments: dict[str, Any] | None = None, **more: Any
    ) -> types.CallToolResult | types.InputRequiredResult:
        """One request, whatever its result is. `more` are the answers and the token of a retry."""
        session = self.client.session
        return await session.call_tool(name, arguments or {}, allow_input_required=True, **more)


@asynccontextmanager
async def connect(
    server: HttpServer | Relay | StdioServerParameters,
    version: str = STATELESS,
    answers: Answers = ANSWERS,
) -> AsyncIterator[Connection]:
    """Connects with the capabilities that `answers` has a function for."""
    asked: list[tuple[str, Any]] = []

    def callback(ability: str) -> Any:
        if ability not in answers:
            return None

        async def answer(_context: Any, params: Any = None) -> Any:
            asked.append((ability, params))
            given = answers[ability](params)
            return await given if hasattr(given, "__await__") else given

        return answer

    client = Client(
        server if isinstance(server, StdioServerParameters) else server.url,
        # The SDK's name for the handshake of the versions before 2026-07-28.
        mode="legacy" if version == SESSIONS else version,
        elicitation_callback=callback("elicitation"),
        sampling_callback=callback("sampling"),
        list_roots_callback=callback("roots"),
    )
    with anyio.fail_after(PATIENCE):
        async with client:
            yield Connection(client, asked)
