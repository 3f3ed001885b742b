// The examples as processes, over HTTP and for clients that start them on stdio.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const examples = process.env.SAGA_EXAMPLES;
if (!examples) {
    throw new Error('SAGA_EXAMPLES names no folder with the built examples; .ci/clients sets it');
}

export const program = (name) => path.join(examples, name);

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
// By default these skip `exit`. The test runner ends a file that takes too long with the first one.
for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => process.exit(1));
}

/** A server process on a port of its own. */
export class HttpServer {
    static async start(name, { args = [], env = {} } = {}) {
        const child = spawn(program(name), ['--port', '0', ...args], {
            env: { ...process.env, ...env },
            stdio: ['ignore', 'pipe', 'pipe'],
        });
        running.add(child);
        const exited = once(child, 'exit').finally(() => running.delete(child));
        let log = '';
        child.stderr.on('data', (data) => (log += data));
        const ended = exited.then(() => {
            throw new Error(`${name} ended before it was ready: ${log}`);
        });
        ended.catch(() => {});
        const lines = createInterface({ input: child.stdout });
        const [line] = await Promise.race([once(lines, 'line'), ended]);
        return new HttpServer(child, exited, line.replace('listening on ', ''));
    }

    constructor(child, exited, url) {
        this.child = child;
        this.exited = exited;
        this.url = url;
    }

    get pid() {
        return this.child.pid;
    }

    /** As a power cut does: nothing is cleaned up, nothing is told to the client. */
    async kill() {
        this.child.kill('SIGKILL');
        await this.exited;
    }
}

/** One address for servers that come and go, as a load balancer is. */
export class Relay {
    static async start() {
        const sockets = new Set();
        const relay = new Relay();
        relay.server = net.createServer((client) => {
            const server = net.connect(relay.port, '127.0.0.1');
            for (const [from, to] of [
                [client, server],
                [server, client],
            ]) {
                sockets.add(from);
                from.pipe(to);
                from.on('error', () => {});
                from.on('close', () => {
                    sockets.delete(from);
                    to.destroy();
                });
            }
        });
        relay.sockets = sockets;
        relay.server.listen(0, '127.0.0.1');
        await once(relay.server, 'listening');
        relay.url = `http://127.0.0.1:${relay.server.address().port}/mcp`;
        return relay;
    }

    to(server) {
        this.port = Number(new URL(server.url).port);
    }

    async stop() {
        this.sockets.forEach((socket) => socket.destroy());
        this.server.close();
        await once(this.server, 'close');
    }
}

const hex = (length) => randomBytes(length).toString('hex');
const key = () => `${hex(4)}:${hex(32)}`;

/** What the replicas of one deployment have in common: keys, and the log of what they did. */
export class Deployment {
    constructor(context) {
        const directory = mkdtempSync(path.join(tmpdir(), 'saga-clients-'));
        context.after(() => rmSync(directory, { recursive: true }));
        this.context = context;
        this.log = path.join(directory, 'builds.log');
        this.args = ['--build-log', this.log];
        this.env = { SAGA_KEYS: key() };
    }

    async replica() {
        const server = await HttpServer.start('deploy-server', this);
        this.context.after(() => server.kill());
        return server;
    }

    /** For a client that starts the server itself. */
    get stdio() {
        return { program: 'deploy-server', args: this.args, env: this.env };
    }

    events() {
        const lines = readFileSync(this.log, 'utf8').trimEnd().split('\n');
        return lines.map((line) => {
            const [, pid, what] = /^process (\d+): (.*)$/.exec(line);
            return { pid: Number(pid), what };
        });
    }

    /** What was done, without who did it. */
    done() {
        return this.events().map(({ what }) => what);
    }
}
