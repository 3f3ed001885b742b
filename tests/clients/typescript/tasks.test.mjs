// Tasks, with the client of the extension's own package. The server is killed and started again between any two of its requests.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';

import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';

import { accept, connect, STATELESS, text } from './client.mjs';
import { HttpServer } from './servers.mjs';

const CLIENT = { name: 'tests', version: '1.0.0' };
const CAPABILITIES = {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
};

/** A server whose tasks are in a file, and that is another process whenever a test says so. */
class Tasks {
    static async start(context) {
        const folder = mkdtempSync(path.join(tmpdir(), 'saga-tasks-'));
        context.after(() => rmSync(folder, { recursive: true, force: true }));
        const tasks = new Tasks(path.join(folder, 'tasks.db'), `test:${randomBytes(32).toString('hex')}`);
        context.after(() => tasks.server.kill());
        await tasks.restart();
        return tasks;
    }

    constructor(file, keys) {
        this.file = file;
        this.keys = keys;
    }

    async restart() {
        await this.server?.kill();
        const options = { args: ['--tasks', this.file], env: { SAGA_KEYS: this.keys } };
        this.server = await HttpServer.start('everything', options);
    }

    /** Posts one message as it is. */
    async post(message) {
        const response = await fetch(this.server.url, {
            method: 'POST',
            headers: {
                Accept: 'application/json, text/event-stream',
                'Content-Type': 'application/json',
                'MCP-Protocol-Version': STATELESS,
                'Mcp-Method': message.method,
                'Mcp-Name': message.params.taskId ?? message.params.name ?? '',
            },
            body: JSON.stringify(message),
        });
        const body = await response.text();
        const data = body.split('\n').filter((line) => line.startsWith('data: {'));
        return JSON.parse(data.length > 0 ? data.at(-1).slice('data: '.length) : body);
    }
}

/** A session of the extension's client; `between` is done before each of its requests. */
async function session(context, { answer = () => accept({}), between = async () => {} } = {}) {
    const tasks = await Tasks.start(context);
    const { client } = await connect(context, { url: tasks.server.url }, { answers: {} });
    const requests = [];
    let id = 0;
    const session = createTaskSessionFromClient(client, {
        endpointId: 'everything',
        v2RequestFraming: {
            protocolVersion: STATELESS,
            clientInfo: CLIENT,
            clientCapabilities: CAPABILITIES,
        },
        rawDispatch: async (request) => {
            await between(tasks);
            requests.push(request.method);
            id += 1;
            return tasks.post({ jsonrpc: '2.0', id, ...request });
        },
        onInputRequest: async (request) => answer(request),
    });
    context.after(() => session.close());
    const call = async (name, args, settling) => {
        const execution = await session.callTool(name, args);
        return (await execution.settle(settling)).outcome;
    };
    return { call, requests, session, tasks };
}

const restarts = (tasks) => tasks.restart();

describe('tasks', () => {
    for (const [title, between] of [['one process', undefined], ['another process for each request', restarts]]) {
        test(`a task asks and ends: ${title}`, async (t) => {
            const asked = [];
            const answer = (request) => {
                asked.push(request.params.message);
                return accept({ confirm: true });
            };
            const { call, requests } = await session(t, { answer, between });
            const outcome = await call('confirm_delete', { filename: 'notes' });
            assert.equal(text(resultFromTaskOutcome(outcome)), 'Deleted notes');
            assert.deepEqual(asked, ['Delete notes?']);
            assert.ok(requests.includes('tasks/get') && requests.includes('tasks/update'), `${requests}`);
        });

        test(`two questions at once: ${title}`, async (t) => {
            const answer = (request) => accept({ name: request.params.message.includes('first') ? 'Ada' : 'Bea' });
            const { call } = await session(t, { answer, between });
            const outcome = await call('multi_input', {});
            assert.equal(text(resultFromTaskOutcome(outcome)), 'Ada and Bea');
        });

        test(`a task that sleeps: ${title}`, async (t) => {
            const { call } = await session(t, { between });
            const outcome = await call('slow_compute', { seconds: 2, label: 'pi' });
            assert.equal(text(resultFromTaskOutcome(outcome)), 'Computed pi in 2 s');
        });
    }

    test('errors of the tool and of the protocol', async (t) => {
        const { call } = await session(t);
        const failed = await call('failing_job', {});
        assert.equal(failed.status, 'completed');
        assert.equal(failed.result.isError, true);
        const broken = await call('protocol_error_job', {});
        assert.equal(broken.status, 'failed');
        assert.equal(broken.error.code, -32603);
    });

    test('a tool that is no task answers at once', async (t) => {
        const { call, requests } = await session(t);
        const outcome = await call('greet', { name: 'Ada' });
        assert.equal(text(resultFromTaskOutcome(outcome)), 'Hello, Ada!');
        assert.deepEqual(requests, ['tools/call']);
    });

    test('rounds first, then a task', async (t) => {
        const { call } = await session(t, { answer: () => accept({ name: 'Ada' }) });
        const outcome = await call('test_tool_with_task', {});
        assert.equal(text(resultFromTaskOutcome(outcome)), 'Hello, Ada!');
    });

    test('a task that is cancelled', async (t) => {
        const { session: tasks } = await session(t);
        const execution = await tasks.callTool('slow_compute', { seconds: 600, label: 'e' });
        const settled = execution.settle();
        await execution.cancel();
        const { outcome } = await settled;
        assert.equal(outcome.status, 'cancelled');
    });
});
