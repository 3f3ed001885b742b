"""The SDK answers by itself: on 2026-07-28 it repeats the call, on 2025-11-25 it is asked live.

The same expectations hold for both, and for both transports.
"""

from typing import Any

import anyio
import pytest
from mcp import types

from clients import ANSWERS, SESSIONS, STATELESS, accept, connect, form, question, say, text

pytestmark = pytest.mark.anyio

PROMPT = "test_input_required_result_prompt"


@pytest.fixture(params=[STATELESS, SESSIONS])
def version(request: pytest.FixtureRequest) -> str:
    return request.param


def topic(result: types.GetPromptResult) -> str:
    [message] = result.messages
    assert isinstance(message.content, types.TextContent)
    return message.content.text


async def test_what_is_negotiated_is_stateless(everything: Any) -> None:
    async with connect(everything, "auto") as connection:
        assert connection.client.protocol_version == STATELESS


async def test_the_version_is_this_one(everything: Any, version: str) -> None:
    async with connect(everything, version) as connection:
        assert connection.client.protocol_version == version


async def test_a_tool_asks_the_user(everything: Any, version: str) -> None:
    async with connect(everything, version) as connection:
        result = await connection.call("test_input_required_result_elicitation")
        assert text(result) == "Hello, Ada!"
        [params] = connection.params
        assert params.message == "What is your name?"
        assert params.requested_schema["required"] == ["name"]


async def test_a_tool_asks_the_user_with_a_form_of_its_own(everything: Any, version: str) -> None:
    contact = {"username": "ada", "email": "ada@example.org"}
    async with connect(everything, version, {"elicitation": lambda _: accept(**contact)}) as it:
        result = await it.call("test_elicitation", message="Who are you?")
        assert text(result) == f"User response: {form('accept', **contact)}"
        assert it.params[0].message == "Who are you?"


async def test_a_tool_asks_the_model(everything: Any, version: str) -> None:
    async with connect(everything, version) as connection:
        result = await connection.call("test_sampling", prompt="How are you?")
        assert text(result) == "LLM response: Good morning"
        [params] = connection.params
        assert question(params) == "How are you?"
        assert params.max_tokens == 100


async def test_a_tool_asks_for_the_roots(everything: Any, version: str) -> None:
    async with connect(everything, version) as connection:
        result = await connection.call("test_input_required_result_list_roots")
        assert text(result) == "Roots: file:///home/ada"
        assert connection.abilities == ["roots"]


async def test_a_tool_asks_everybody_at_once(everything: Any, version: str) -> None:
    async with connect(everything, version) as connection:
        result = await connection.call("test_input_required_result_multiple_inputs")
        assert text(result) == "Good morning Ada, your roots are file:///home/ada"
        assert sorted(connection.abilities) == ["elicitation", "roots", "sampling"]


async def test_a_tool_asks_in_two_rounds(everything: Any, version: str) -> None:
    given = iter([accept(name="Ada"), accept(color="green")])
    async with connect(everything, version, {"elicitation": lambda _: next(given)}) as connection:
        result = await connection.call("test_input_required_result_multi_round")
        assert text(result) == "Ada likes green"
        messages = [params.message for params in connection.params]
        assert messages == ["What is your name?", "What is your favorite color, Ada?"]


async def test_what_a_tool_remembers_is_there_after_the_ask(everything: Any, version: str) -> None:
    async with connect(everything, version, {"elicitation": lambda _: accept(ok=True)}) as it:
        assert text(await it.call("test_input_required_result_request_state")) == "state-ok"


async def test_a_prompt_asks_the_user(everything: Any, version: str) -> None:
    answers = {"elicitation": lambda _: accept(context="engines")}
    async with connect(everything, version, answers) as connection:
        result = await connection.client.get_prompt(PROMPT)
        assert topic(result) == "Let us talk about engines."
        assert len(connection.asked) == 1


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_what_the_user_does_not_give(everything: Any, version: str, action: Any) -> None:
    answers = {"elicitation": lambda _: types.ElicitResult(action=action)}
    async with connect(everything, version, answers) as connection:
        result = await connection.call("test_input_required_result_elicitation")
        assert result.is_error
        assert text(result) == "Ended without a name"
        result = await connection.call("test_elicitation", message="Who are you?")
        assert text(result) == f"User response: {form(action)}"
        assert topic(await connection.client.get_prompt(PROMPT)) == "Let us talk."
        assert len(connection.asked) == 3


async def test_a_decline_ends_the_second_round_too(everything: Any, version: str) -> None:
    given = iter([accept(name="Ada"), types.ElicitResult(action="decline")])
    async with connect(everything, version, {"elicitation": lambda _: next(given)}) as connection:
        result = await connection.call("test_input_required_result_multi_round")
        assert result.is_error
        assert text(result) == "Ended without a color"


async def test_a_client_is_asked_for_what_it_can_do(everything: Any, version: str) -> None:
    answers = {ability: ANSWERS[ability] for ability in ["elicitation", "sampling"]}
    async with connect(everything, version, answers) as connection:
        result = await connection.call("test_input_required_result_capabilities")
        assert text(result) == "Answered: Ada, Good morning"


async def test_a_client_without_a_capability_gets_an_error(everything: Any, version: str) -> None:
    async with connect(everything, version, {}) as connection:
        error = await connection.refused("test_input_required_result_elicitation")
        assert error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
        assert list(error.data["requiredCapabilities"]) == ["elicitation"]
        others = {
            "sampling": "test_missing_capability",
            "roots": "test_input_required_result_list_roots",
        }
        for capability, tool in others.items():
            error = await connection.refused(tool)
            if version == STATELESS:
                assert error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
                assert list(error.data["requiredCapabilities"]) == [capability]
            else:
                # Asked live, the client's own refusal is the tool's error.
                assert error.code == types.INVALID_REQUEST
        assert text(await connection.call("test_simple_text"))
        assert connection.asked == []


async def test_calls_of_one_client_do_not_mix(everything: Any, version: str) -> None:
    answers = {
        "elicitation": lambda params: accept(username=params.message, email="none"),
        "sampling": lambda params: say(question(params)),
    }
    texts: dict[tuple[str, str], str] = {}
    async with connect(everything, version, answers) as connection:

        async def call(tool: str, argument: str, number: str) -> None:
            texts[tool, number] = text(await connection.call(tool, **{argument: number}))

        numbers = [str(number) for number in range(8)]
        async with anyio.create_task_group() as calls:
            for number in numbers:
                calls.start_soon(call, "test_elicitation", "message", number)
                calls.start_soon(call, "test_sampling", "prompt", number)
    for number in numbers:
        expected = form("accept", username=number, email="none")
        assert texts["test_elicitation", number] == f"User response: {expected}"
        assert texts["test_sampling", number] == f"LLM response: {number}"
