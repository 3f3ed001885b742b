// The deployment tool: what it does before its first question happens once, whichever process goes on.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { accept, connect, say, SESSIONS, STATELESS, text } from './client.mjs';
import { Deployment, Relay } from './servers.mjs';

const TOOL = 'complex_tool';
const ARGUMENTS = { initial_arg: 'shop' };
const DEPLOYED = 'Deployment to staging initiated successfully based on confirmation.';
const REGISTERED = 'build 1 of "shop" registered';
const BOTH = [REGISTERED, 'build 1 deployed to "staging"'];
const ANSWERS = {
    elicitation: () => accept({ target: 'staging' }),
    sampling: () => say('Yes, all systems are green.'),
};

const TRANSPORTS = {
    http: (deployment) => deployment.replica(),
    stdio: (deployment) => deployment.stdio,
};

for (const [transport, reach] of Object.entries(TRANSPORTS)) {
    for (const version of [STATELESS, SESSIONS]) {
        describe(`${transport}, ${version}`, () => {
            test('it asks the user, then the model, and deploys', async (t) => {
                const deployment = new Deployment(t);
                const options = { version, answers: ANSWERS };
                const { call, asked } = await connect(t, await reach(deployment), options);
                assert.equal(text(await call(TOOL, ARGUMENTS)), DEPLOYED);
                assert.deepEqual(deployment.done(), BOTH);
                assert.deepEqual(asked.map(({ ability }) => ability), ['elicitation', 'sampling']);
                const [question] = [asked[1].params.messages[0].content].flat();
                assert.equal(question.text, "Is deploying to 'staging' safe right now?");
            });

            for (const action of ['decline', 'cancel']) {
                test(`it does not deploy after a ${action}`, async (t) => {
                    const deployment = new Deployment(t);
                    const answers = { ...ANSWERS, elicitation: () => ({ action }) };
                    const options = { version, answers };
                    const { call, asked } = await connect(t, await reach(deployment), options);
                    const result = await call(TOOL, ARGUMENTS);
                    assert.equal(result.isError, true);
                    assert.equal(text(result), 'Not deployed: no target was given.');
                    assert.deepEqual(deployment.done(), [REGISTERED]);
                    assert.equal(asked.length, 1);
                });
            }

            test('it does not deploy where the model says no', async (t) => {
                const deployment = new Deployment(t);
                const answers = { ...ANSWERS, sampling: () => say('No, an incident is open.') };
                const { call } = await connect(t, await reach(deployment), { version, answers });
                const result = await call(TOOL, ARGUMENTS);
                assert.equal(text(result), 'Not deployed to staging: the model did not confirm.');
                assert.deepEqual(deployment.done(), [REGISTERED]);
            });
        });
    }
}

test('the automatic loop does not notice that each question kills its server', async (t) => {
    const deployment = new Deployment(t);
    const relay = await Relay.start();
    t.after(() => relay.stop());
    let current = await deployment.replica();
    relay.to(current);
    const pids = [current.pid];
    const after = (answer) => async () => {
        await current.kill();
        current = await deployment.replica();
        pids.push(current.pid);
        relay.to(current);
        return answer();
    };
    const answers = {
        elicitation: after(ANSWERS.elicitation),
        sampling: after(ANSWERS.sampling),
    };
    const { call } = await connect(t, relay, { answers });
    assert.equal(text(await call(TOOL, ARGUMENTS)), DEPLOYED);
    assert.equal(new Set(pids).size, 3);
    assert.deepEqual(deployment.events(), [
        { pid: pids[0], what: BOTH[0] },
        { pid: pids[2], what: BOTH[1] },
    ]);
});

/** Calls the tool by hand; `next` gives a connection to another process, once the last one is dead. */
async function byHand(next) {
    let { round } = await next();
    const first = await round(TOOL, ARGUMENTS);
    const [[target, question]] = Object.entries(first.inputRequests);
    assert.equal(question.method, 'elicitation/create');

    ({ round } = await next());
    const second = await round(TOOL, ARGUMENTS, {
        requestState: first.requestState,
        inputResponses: { [target]: ANSWERS.elicitation() },
    });
    const [[safe, sampling]] = Object.entries(second.inputRequests);
    assert.equal(sampling.method, 'sampling/createMessage');

    ({ round } = await next());
    const last = await round(TOOL, ARGUMENTS, {
        requestState: second.requestState,
        inputResponses: { [safe]: ANSWERS.sampling() },
    });
    assert.equal(text(last), DEPLOYED);
}

function assertOnce(deployment, pids) {
    assert.deepEqual(deployment.events(), [
        { pid: pids[0], what: BOTH[0] },
        { pid: pids[2], what: BOTH[1] },
    ]);
    assert.equal(new Set(pids).size, 3);
}

const BY_HAND = { answers: ANSWERS, autoFulfill: false };

test('http: a call by hand goes on in a second process after the first was killed', async (t) => {
    const deployment = new Deployment(t);
    const pids = [];
    let server;
    await byHand(async () => {
        await server?.kill();
        server = await deployment.replica();
        pids.push(server.pid);
        return connect(t, server, BY_HAND);
    });
    assertOnce(deployment, pids);
});

test('stdio: a call by hand goes on in a second process after the first was killed', async (t) => {
    const deployment = new Deployment(t);
    const pids = [];
    let last;
    await byHand(async () => {
        if (last) {
            const closed = new Promise((resolve) => (last.client.onclose = resolve));
            process.kill(last.transport.pid, 'SIGKILL');
            await closed;
        }
        last = await connect(t, deployment.stdio, BY_HAND);
        pids.push(last.transport.pid);
        return last;
    });
    assertOnce(deployment, pids);
});

test('a process with other keys refuses the token', async (t) => {
    const deployment = new Deployment(t);
    const { round } = await connect(t, await deployment.replica(), BY_HAND);
    const { requestState, inputRequests } = await round(TOOL, ARGUMENTS);
    const stranger = new Deployment(t);
    const other = await connect(t, await stranger.replica(), BY_HAND);
    const [target] = Object.keys(inputRequests);
    const inputResponses = { [target]: ANSWERS.elicitation() };
    const answer = other.round(TOOL, ARGUMENTS, { requestState, inputResponses });
    const error = await answer.then(() => assert.fail('no error'), (error) => error);
    assert.equal(error.code, -32602);
    assert.equal(error.data.reason, 'invalid');
    assert.deepEqual(deployment.done(), [REGISTERED]);
});
