// The test repeats the call itself: what the SDK calls manual mode.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { accept, ANSWERS, connect, SESSIONS, say, text } from './client.mjs';
import { HttpServer } from './servers.mjs';

const http = await HttpServer.start('everything');
after(() => http.kill());
const servers = { http, stdio: { program: 'everything' } };

/** The method of each question, by its key. */
const questions = (result) => {
    assert.equal(result.resultType, 'input_required');
    assert.ok(result.requestState.length > 0);
    const requests = Object.entries(result.inputRequests);
    return Object.fromEntries(requests.map(([key, { method }]) => [key, method]));
};
/** What a retry carries. */
const answered = ({ requestState }, inputResponses) => ({ requestState, inputResponses });
const failure = (promise) => promise.then(() => assert.fail('no error'), (error) => error);

for (const [transport, server] of Object.entries(servers)) {
    describe(transport, () => {
        const connected = (t) => connect(t, server, { autoFulfill: false });

        test('without a word the SDK hands no question over', async (t) => {
            const { call } = await connected(t);
            const error = await failure(call('test_input_required_result_elicitation'));
            assert.equal(error.code, 'UNSUPPORTED_RESULT_TYPE');
        });

        test('one round', async (t) => {
            const { round, asked } = await connected(t);
            const tool = 'test_input_required_result_elicitation';
            const first = await round(tool);
            assert.deepEqual(questions(first), { user_name: 'elicitation/create' });
            const answers = { user_name: accept({ name: 'Grace' }) };
            assert.equal(text(await round(tool, {}, answered(first, answers))), 'Hello, Grace!');
            assert.deepEqual(asked, []);
        });

        test('two rounds, each with a token of its own', async (t) => {
            const { round } = await connected(t);
            const tool = 'test_input_required_result_multi_round';
            const first = await round(tool);
            assert.deepEqual(Object.keys(questions(first)), ['step1']);
            const name = { step1: accept({ name: 'Grace' }) };
            const second = await round(tool, {}, answered(first, name));
            assert.deepEqual(Object.keys(questions(second)), ['step2']);
            const { message } = second.inputRequests.step2.params;
            assert.equal(message, 'What is your favorite color, Grace?');
            assert.notEqual(second.requestState, first.requestState);
            const color = { step2: accept({ color: 'blue' }) };
            const last = await round(tool, {}, answered(second, color));
            assert.equal(text(last), 'Grace likes blue');
        });

        test('several questions in one round, answered one after the other', async (t) => {
            const { round } = await connected(t);
            const tool = 'test_input_required_result_multiple_inputs';
            const first = await round(tool);
            assert.deepEqual(questions(first), {
                user_name: 'elicitation/create',
                greeting: 'sampling/createMessage',
                client_roots: 'roots/list',
            });
            const some = { user_name: accept({ name: 'Grace' }), greeting: say('Hello') };
            const rest = await round(tool, {}, answered(first, some));
            assert.deepEqual(questions(rest), { client_roots: 'roots/list' });
            const roots = { client_roots: ANSWERS.roots() };
            const last = await round(tool, {}, answered(rest, roots));
            assert.equal(text(last), 'Hello Grace, your roots are file:///home/ada');
        });

        test('a prompt', async (t) => {
            const { client } = await connected(t);
            const get = (more) =>
                client.getPrompt(
                    { name: 'test_input_required_result_prompt', ...more },
                    { allowInputRequired: true },
                );
            const first = await get({});
            assert.deepEqual(questions(first), { user_context: 'elicitation/create' });
            const answers = { user_context: accept({ context: 'looms' }) };
            const { messages } = await get(answered(first, answers));
            assert.equal(messages[0].content.text, 'Let us talk about looms.');
        });

        test('a decline and a cancel', async (t) => {
            const { round } = await connected(t);
            const tool = 'test_input_required_result_elicitation';
            for (const action of ['decline', 'cancel']) {
                const first = await round(tool);
                const last = await round(tool, {}, answered(first, { user_name: { action } }));
                assert.equal(text(last), 'Ended without a name');
            }
        });

        test('no answer is asked for again', async (t) => {
            const { round } = await connected(t);
            const tool = 'test_input_required_result_elicitation';
            const first = await round(tool);
            for (const answers of [{}, { another: accept({ name: 'Eve' }) }]) {
                const again = await round(tool, {}, answered(first, answers));
                assert.deepEqual(again.inputRequests, first.inputRequests);
            }
        });

        test('a token that is not the one given is refused', async (t) => {
            const { round } = await connected(t);
            const tool = 'test_input_required_result_tampered_state';
            const first = await round(tool);
            const { requestState: token } = first;
            const middle = Math.floor(token.length / 2);
            const other = token[middle] === 'A' ? 'B' : 'A';
            const tampered = token.slice(0, middle) + other + token.slice(middle + 1);
            const answers = { confirm: accept({ ok: true }) };
            // What exactly is wrong with it is for the server's log.
            for (const requestState of [tampered, 'not a token']) {
                const more = answered({ requestState }, answers);
                const error = await failure(round(tool, {}, more));
                assert.equal(error.code, -32602);
                assert.equal(error.data.reason, 'invalid');
            }
            const last = await round(tool, {}, answered(first, answers));
            assert.equal(text(last), 'Went on');
        });

        test('a token of another call is refused', async (t) => {
            const { client, round } = await connected(t);
            const { requestState } = await round('test_elicitation', { message: 'Who?' });
            const more = answered({ requestState }, {});
            const prompt = { name: 'test_input_required_result_prompt', ...more };
            for (const call of [
                () => round('test_elicitation', { message: 'Who else?' }, more),
                () => round('test_input_required_result_elicitation', {}, more),
                () => client.getPrompt(prompt, { allowInputRequired: true }),
            ]) {
                const error = await failure(call());
                assert.equal(error.code, -32602);
                assert.equal(error.data.reason, 'invalid');
            }
        });

        test('before 2026-07-28 the mode changes nothing', async (t) => {
            const options = { version: SESSIONS, autoFulfill: false };
            const { round, asked } = await connect(t, server, options);
            const result = await round('test_input_required_result_elicitation');
            assert.equal(text(result), 'Hello, Ada!');
            assert.equal(asked.length, 1);
        });
    });
}
