"""The test repeats the call itself, through the client's session."""

from typing import Any

import pytest
from mcp import MCPError, types

from clients import ROOTS, SESSIONS, accept, connect, say, text

pytestmark = pytest.mark.anyio


def methods(result: Any) -> dict[str, str]:
    """The method of each question, by its key."""
    assert isinstance(result, types.InputRequiredResult)
    assert result.request_state
    assert result.input_requests
    return {key: request.method for key, request in result.input_requests.items()}


async def test_without_a_word_the_session_hands_no_question_over(everything: Any) -> None:
    async with connect(everything) as connection:
        with pytest.raises(RuntimeError, match="allow_input_required"):
            await connection.client.session.call_tool("test_input_required_result_elicitation", {})


async def test_one_round(everything: Any) -> None:
    tool = "test_input_required_result_elicitation"
    async with connect(everything) as it:
        first = await it.round(tool)
        assert methods(first) == {"user_name": "elicitation/create"}
        answers = {"user_name": accept(name="Grace")}
        last = await it.round(
            tool, input_responses=answers, request_state=first.request_state
        )
        assert text(last) == "Hello, Grace!"
        assert it.asked == []


async def test_two_rounds_each_with_a_token_of_its_own(everything: Any) -> None:
    tool = "test_input_required_result_multi_round"
    async with connect(everything) as it:
        first = await it.round(tool)
        assert methods(first) == {"step1": "elicitation/create"}
        second = await it.round(
            tool,
            input_responses={"step1": accept(name="Grace")},
            request_state=first.request_state,
        )
        assert methods(second) == {"step2": "elicitation/create"}
        message = second.input_requests["step2"].params.message
        assert message == "What is your favorite color, Grace?"
        assert second.request_state != first.request_state
        last = await it.round(
            tool,
            input_responses={"step2": accept(color="blue")},
            request_state=second.request_state,
        )
        assert text(last) == "Grace likes blue"


async def test_several_questions_answered_one_after_the_other(everything: Any) -> None:
    tool = "test_input_required_result_multiple_inputs"
    async with connect(everything) as it:
        first = await it.round(tool)
        assert methods(first) == {
            "user_name": "elicitation/create",
            "greeting": "sampling/createMessage",
            "client_roots": "roots/list",
        }
        rest = await it.round(
            tool,
            input_responses={"user_name": accept(name="Grace"), "greeting": say("Hello")},
            request_state=first.request_state,
        )
        assert methods(rest) == {"client_roots": "roots/list"}
        last = await it.round(
            tool, input_responses={"client_roots": ROOTS}, request_state=rest.request_state
        )
        assert text(last) == "Hello Grace, your roots are file:///home/ada"


async def test_the_client_takes_over_a_token(everything: Any) -> None:
    tool = "test_input_required_result_multi_round"
    async with connect(everything, answers={"elicitation": lambda _: accept(color="blue")}) as it:
        first = await it.round(tool)
        result = await it.client.call_tool(
            tool,
            {},
            input_responses={"step1": accept(name="Grace")},
            request_state=first.request_state,
        )
        assert text(result) == "Grace likes blue"
        assert it.abilities == ["elicitation"]


async def test_a_prompt(everything: Any) -> None:
    prompt = "test_input_required_result_prompt"
    async with connect(everything) as it:
        session = it.client.session
        first = await session.get_prompt(prompt, allow_input_required=True)
        assert methods(first) == {"user_context": "elicitation/create"}
        last = await session.get_prompt(
            prompt,
            input_responses={"user_context": accept(context="looms")},
            request_state=first.request_state,
        )
        assert last.messages[0].content.text == "Let us talk about looms."


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_what_the_user_does_not_give(everything: Any, action: Any) -> None:
    tool = "test_input_required_result_elicitation"
    async with connect(everything) as it:
        first = await it.round(tool)
        answers = {"user_name": types.ElicitResult(action=action)}
        last = await it.round(tool, input_responses=answers, request_state=first.request_state)
        assert text(last) == "Ended without a name"


async def test_no_answer_is_asked_for_again(everything: Any) -> None:
    tool = "test_input_required_result_elicitation"
    async with connect(everything) as it:
        first = await it.round(tool)
        for answers in [{}, {"another": accept(name="Eve")}]:
            again = await it.round(tool, input_responses=answers, request_state=first.request_state)
            assert again.input_requests == first.input_requests


async def test_a_token_that_is_not_the_one_given_is_refused(everything: Any) -> None:
    tool = "test_input_required_result_tampered_state"
    answers = {"confirm": accept(ok=True)}
    async with connect(everything) as it:
        first = await it.round(tool)
        token = first.request_state
        middle = len(token) // 2
        other = "B" if token[middle] == "A" else "A"
        # What exactly is wrong with it is for the server's log.
        for state in [token[:middle] + other + token[middle + 1 :], "not a token"]:
            with pytest.raises(MCPError) as error:
                await it.round(tool, input_responses=answers, request_state=state)
            assert error.value.code == types.INVALID_PARAMS
            assert error.value.data["reason"] == "invalid"
        last = await it.round(tool, input_responses=answers, request_state=token)
        assert text(last) == "Went on"


async def test_a_token_of_another_call_is_refused(everything: Any) -> None:
    async with connect(everything) as it:
        first = await it.round("test_elicitation", {"message": "Who?"})
        token = {"request_state": first.request_state, "input_responses": {}}
        prompt = "test_input_required_result_prompt"
        for call in [
            lambda: it.round("test_elicitation", {"message": "Who else?"}, **token),
            lambda: it.round("test_input_required_result_elicitation", **token),
            lambda: it.client.session.get_prompt(prompt, allow_input_required=True, **token),
        ]:
            with pytest.raises(MCPError) as error:
                await call()
            assert error.value.code == types.INVALID_PARAMS
            assert error.value.data["reason"] == "invalid"


async def test_before_2026_07_28_the_mode_changes_nothing(everything: Any) -> None:
    async with connect(everything, SESSIONS) as it:
        result = await it.round("test_input_required_result_elicitation")
        assert text(result) == "Hello, Ada!"
        assert it.abilities == ["elicitation"]
