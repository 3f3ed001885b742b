// The SDK answers by itself: on 2026-07-28 it repeats the call, on 2025-11-25 it is asked live.
// The same expectations hold for both, and for both transports.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { accept, ANSWERS, connect, say, SESSIONS, STATELESS, text } from './client.mjs';
import { HttpServer } from './servers.mjs';

const http = await HttpServer.start('everything');
after(() => http.kill());
const servers = { http, stdio: { program: 'everything' } };

for (const [transport, server] of Object.entries(servers)) {
    test(`${transport}: what is negotiated is 2026-07-28`, async (t) => {
        const { client } = await connect(t, server, { version: 'auto' });
        assert.equal(client.getNegotiatedProtocolVersion(), STATELESS);
    });

    for (const version of [STATELESS, SESSIONS]) {
        describe(`${transport}, ${version}`, () => {
            const connected = (t, answers) => connect(t, server, { version, answers });

            test('the version is this one', async (t) => {
                const { client } = await connected(t);
                assert.equal(client.getNegotiatedProtocolVersion(), version);
            });

            test('a tool asks the user', async (t) => {
                const { call, asked } = await connected(t);
                const result = await call('test_input_required_result_elicitation');
                assert.equal(text(result), 'Hello, Ada!');
                assert.equal(asked.length, 1);
                const [{ params }] = asked;
                assert.equal(params.message, 'What is your name?');
                assert.deepEqual(params.requestedSchema.required, ['name']);
            });

            test('a tool asks the user with a form of its own', async (t) => {
                const contact = { username: 'ada', email: 'ada@example.org' };
                const { call, asked } = await connected(t, { elicitation: () => accept(contact) });
                const result = await call('test_elicitation', { message: 'Who are you?' });
                const content = JSON.stringify(contact);
                assert.equal(text(result), `User response: action=accept, content=${content}`);
                assert.equal(asked[0].params.message, 'Who are you?');
            });

            test('a tool asks the model', async (t) => {
                const { call, asked } = await connected(t);
                const result = await call('test_sampling', { prompt: 'How are you?' });
                assert.equal(text(result), 'LLM response: Good morning');
                assert.equal(asked.length, 1);
                const [{ params }] = asked;
                assert.equal([params.messages[0].content].flat()[0].text, 'How are you?');
                assert.equal(params.maxTokens, 100);
            });

            test('a tool asks for the roots', async (t) => {
                const { call, asked } = await connected(t);
                const result = await call('test_input_required_result_list_roots');
                assert.equal(text(result), 'Roots: file:///home/ada');
                assert.deepEqual(asked.map(({ ability }) => ability), ['roots']);
            });

            test('a tool asks the user, the model and the client at once', async (t) => {
                const { call, asked } = await connected(t);
                const result = await call('test_input_required_result_multiple_inputs');
                assert.equal(text(result), 'Good morning Ada, your roots are file:///home/ada');
                const abilities = asked.map(({ ability }) => ability).sort();
                assert.deepEqual(abilities, ['elicitation', 'roots', 'sampling']);
            });

            test('a tool asks in two rounds', async (t) => {
                const answers = [accept({ name: 'Ada' }), accept({ color: 'green' })];
                const { call, asked } = await connected(t, { elicitation: () => answers.shift() });
                const result = await call('test_input_required_result_multi_round');
                assert.equal(text(result), 'Ada likes green');
                const messages = asked.map(({ params }) => params.message);
                const second = 'What is your favorite color, Ada?';
                assert.deepEqual(messages, ['What is your name?', second]);
            });

            test('what a tool remembers is there after the ask', async (t) => {
                const { call } = await connected(t, { elicitation: () => accept({ ok: true }) });
                const result = await call('test_input_required_result_request_state');
                assert.equal(text(result), 'state-ok');
            });

            test('a prompt asks the user', async (t) => {
                const { client, asked } = await connected(t, {
                    elicitation: () => accept({ context: 'engines' }),
                });
                const prompt = { name: 'test_input_required_result_prompt' };
                const { messages } = await client.getPrompt(prompt);
                assert.deepEqual(
                    messages.map(({ content }) => content.text),
                    ['Let us talk about engines.'],
                );
                assert.equal(asked.length, 1);
            });

            for (const action of ['decline', 'cancel']) {
                test(`the user's ${action} reaches the tool`, async (t) => {
                    const { client, call, asked } = await connected(t, {
                        elicitation: () => ({ action }),
                    });
                    const result = await call('test_input_required_result_elicitation');
                    assert.equal(result.isError, true);
                    assert.equal(text(result), 'Ended without a name');
                    const form = await call('test_elicitation', { message: 'Who are you?' });
                    assert.match(text(form), new RegExp(`action=${action}`));
                    const prompt = { name: 'test_input_required_result_prompt' };
                    const { messages } = await client.getPrompt(prompt);
                    assert.equal(messages[0].content.text, 'Let us talk.');
                    assert.equal(asked.length, 3);
                });
            }

            test('a decline ends the second round, too', async (t) => {
                const answers = [accept({ name: 'Ada' }), { action: 'decline' }];
                const { call } = await connected(t, { elicitation: () => answers.shift() });
                const result = await call('test_input_required_result_multi_round');
                assert.equal(result.isError, true);
                assert.equal(text(result), 'Ended without a color');
            });

            test('a client is asked for what it can do', async (t) => {
                const { elicitation, sampling } = ANSWERS;
                const { call } = await connected(t, { elicitation, sampling });
                const result = await call('test_input_required_result_capabilities');
                assert.equal(text(result), 'Answered: Ada, Good morning');
            });

            test('a client without a capability gets an error', async (t) => {
                const { call, asked } = await connected(t, {});
                const failure = await call('test_input_required_result_elicitation').catch((e) => e);
                assert.equal(failure.code, -32021);
                assert.deepEqual(Object.keys(failure.data.requiredCapabilities), ['elicitation']);
                const others = {
                    sampling: 'test_missing_capability',
                    roots: 'test_input_required_result_list_roots',
                };
                for (const [capability, tool] of Object.entries(others)) {
                    const failure = await call(tool).catch((error) => error);
                    if (version === STATELESS) {
                        assert.equal(failure.code, -32021);
                        const required = Object.keys(failure.data.requiredCapabilities);
                        assert.deepEqual(required, [capability]);
                    } else {
                        // Asked live, the client's own refusal is the tool's error.
                        assert.equal(failure.code, -32601);
                    }
                }
                assert.equal(text(await call('test_simple_text')).length > 0, true);
                assert.deepEqual(asked, []);
            });

            test('calls of one client do not mix', async (t) => {
                const { client } = await connected(t, {
                    elicitation: ({ message }) => accept({ username: message, email: 'none' }),
                    sampling: ({ messages }) => say([messages[0].content].flat()[0].text),
                });
                const numbers = [...Array(8).keys()].map(String);
                const calls = numbers.flatMap((number) => [
                    client.callTool({ name: 'test_elicitation', arguments: { message: number } }),
                    client.callTool({ name: 'test_sampling', arguments: { prompt: number } }),
                ]);
                const texts = (await Promise.all(calls)).map(text);
                const content = (number) => JSON.stringify({ username: number, email: 'none' });
                assert.deepEqual(
                    texts,
                    numbers.flatMap((number) => [
                        `User response: action=accept, content=${content(number)}`,
                        `LLM response: ${number}`,
                    ]),
                );
            });
        });
    }
}
