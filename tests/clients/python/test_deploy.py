"""The deployment tool: what it does before its first question happens once, whichever process goes on."""

import os
import signal
from contextlib import AsyncExitStack, ExitStack
from typing import Any

import pytest
from mcp import MCPError, types

from clients import SESSIONS, STATELESS, Answers, accept, connect, question, say, text
from servers import Deployment, relay_server

pytestmark = pytest.mark.anyio

TOOL = "complex_tool"
ARGUMENTS = {"initial_arg": "shop"}
DEPLOYED = "Deployment to staging initiated successfully based on confirmation."
REGISTERED = 'build 1 of "shop" registered'
BOTH = [REGISTERED, 'build 1 deployed to "staging"']
TARGET = accept(target="staging")
SAFE = say("Yes, all systems are green.")
ANSWERS: Answers = {"elicitation": lambda _: TARGET, "sampling": lambda _: SAFE}


@pytest.fixture(params=[STATELESS, SESSIONS])
def version(request: pytest.FixtureRequest) -> str:
    return request.param


async def test_it_asks_and_deploys(deployed: Any, deployment: Deployment, version: str) -> None:
    async with connect(deployed, version, ANSWERS) as connection:
        assert text(await connection.call(TOOL, **ARGUMENTS)) == DEPLOYED
        assert deployment.done() == BOTH
        assert connection.abilities == ["elicitation", "sampling"]
        assert question(connection.params[1]) == "Is deploying to 'staging' safe right now?"


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_it_does_not_deploy_without_a_target(
    deployed: Any, deployment: Deployment, version: str, action: Any
) -> None:
    answers = ANSWERS | {"elicitation": lambda _: types.ElicitResult(action=action)}
    async with connect(deployed, version, answers) as connection:
        result = await connection.call(TOOL, **ARGUMENTS)
        assert result.is_error
        assert text(result) == "Not deployed: no target was given."
        assert deployment.done() == [REGISTERED]
        assert len(connection.asked) == 1


async def test_it_does_not_deploy_where_the_model_says_no(
    deployed: Any, deployment: Deployment, version: str
) -> None:
    answers = ANSWERS | {"sampling": lambda _: say("No, an incident is open.")}
    async with connect(deployed, version, answers) as connection:
        result = await connection.call(TOOL, **ARGUMENTS)
        assert text(result) == "Not deployed to staging: the model did not confirm."
        assert deployment.done() == [REGISTERED]


async def test_the_automatic_loop_does_not_notice_that_each_question_kills_its_server(
    deployment: Deployment,
) -> None:
    with ExitStack() as replicas:
        async with relay_server() as relay:
            servers = [replicas.enter_context(deployment.replica())]
            await relay.to(servers[0])

            async def after(answer: Any) -> Any:
                servers[-1].kill()
                servers.append(replicas.enter_context(deployment.replica()))
                await relay.to(servers[-1])
                return answer

            answers = {"elicitation": lambda _: after(TARGET), "sampling": lambda _: after(SAFE)}
            async with connect(relay, answers=answers) as connection:
                assert text(await connection.call(TOOL, **ARGUMENTS)) == DEPLOYED
    pids = [server.pid for server in servers]
    assert len(set(pids)) == 3
    assert deployment.events() == [(pids[0], BOTH[0]), (pids[2], BOTH[1])]


async def round(connection: Any, **more: Any) -> Any:
    return await connection.round(TOOL, ARGUMENTS, **more)


async def test_http_a_call_by_hand_goes_on_in_a_second_process(deployment: Deployment) -> None:
    pids = []
    with deployment.replica() as server:
        pids.append(server.pid)
        async with connect(server, answers=ANSWERS) as connection:
            first = await round(connection)
            server.kill()
    [(target, asked)] = first.input_requests.items()
    assert asked.method == "elicitation/create"
    with deployment.replica() as server:
        pids.append(server.pid)
        async with connect(server, answers=ANSWERS) as connection:
            second = await round(
                connection,
                input_responses={target: TARGET},
                request_state=first.request_state,
            )
            server.kill()
    [(safe, asked)] = second.input_requests.items()
    assert asked.method == "sampling/createMessage"
    with deployment.replica() as server:
        pids.append(server.pid)
        async with connect(server, answers=ANSWERS) as connection:
            last = await round(
                connection, input_responses={safe: SAFE}, request_state=second.request_state
            )
    assert text(last) == DEPLOYED
    assert len(set(pids)) == 3
    assert deployment.events() == [(pids[0], BOTH[0]), (pids[2], BOTH[1])]


async def test_stdio_a_call_by_hand_goes_on_in_a_second_process(deployment: Deployment) -> None:
    async with connect(deployment.stdio, answers=ANSWERS) as connection:
        first = await round(connection)
        # The SDK does not tell the process; the log does.
        [(pid, what)] = deployment.events()
        assert what == REGISTERED
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(MCPError) as error:
            await round(connection)
        assert error.value.code == types.CONNECTION_CLOSED
    async with connect(deployment.stdio, answers=ANSWERS) as connection:
        [(target, _)] = first.input_requests.items()
        second = await round(
            connection, input_responses={target: TARGET}, request_state=first.request_state
        )
        [(safe, _)] = second.input_requests.items()
        last = await round(
            connection, input_responses={safe: SAFE}, request_state=second.request_state
        )
        assert text(last) == DEPLOYED
    [(builder, built), (deployer, shipped)] = deployment.events()
    assert [built, shipped] == BOTH
    assert builder == pid
    assert deployer != pid


async def test_a_process_with_other_keys_refuses_the_token(tmp_path: Any) -> None:
    ours, others = Deployment(tmp_path), Deployment(tmp_path)
    async with AsyncExitStack() as open:
        server = open.enter_context(ours.replica())
        connection = await open.enter_async_context(connect(server, answers=ANSWERS))
        first = await round(connection)
    [target] = first.input_requests
    with others.replica() as server:
        async with connect(server, answers=ANSWERS) as connection:
            with pytest.raises(MCPError) as error:
                await round(
                    connection,
                    input_responses={target: TARGET},
                    request_state=first.request_state,
                )
    assert error.value.code == types.INVALID_PARAMS
    assert error.value.data["reason"] == "invalid"
    assert ours.done() == [REGISTERED]
