// Clients of the SDK, and what they answer.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { program } from './servers.mjs';

export const STATELESS = '2026-07-28';
export const SESSIONS = '2025-11-25';

/** What a client answers where a test says nothing else. */
export const ANSWERS = {
    elicitation: () => accept({ name: 'Ada' }),
    sampling: () => say('Good morning'),
    roots: () => ({ roots: [{ uri: 'file:///home/ada', name: 'home' }] }),
};

export const accept = (content) => ({ action: 'accept', content });
export const say = (text) => ({
    role: 'assistant',
    model: 'a-model',
    content: { type: 'text', text },
});
export const text = (result) => result.content.map((block) => block.text).join('\n');

const METHODS = {
    elicitation: 'elicitation/create',
    sampling: 'sampling/createMessage',
    roots: 'roots/list',
};
const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };

/**
 * Connects to `server`, which is `{ url }`, or `{ program, args, env }` for one on stdio.
 *
 * The client has the capabilities that `answers` has a function for; `asked` are the questions that
 * those were given.
 */
export async function connect(context, server, options = {}) {
    const { version = STATELESS, answers = ANSWERS, autoFulfill = true } = options;
    const abilities = Object.keys(answers);
    // The SDK pins no version before 2026-07-28; its handshake then offers the latest of those.
    const mode = { [STATELESS]: { pin: STATELESS }, [SESSIONS]: 'legacy', auto: 'auto' }[version];
    const client = new Client(
        { name: 'tests', version: '1.0.0' },
        {
            versionNegotiation: { mode },
            capabilities: Object.fromEntries(abilities.map((one) => [one, CAPABILITIES[one]])),
            inputRequired: { autoFulfill },
        },
    );
    const asked = [];
    for (const ability of abilities) {
        client.setRequestHandler(METHODS[ability], async ({ params }) => {
            asked.push({ ability, params });
            return answers[ability](params);
        });
    }
    const transport = server.url
        ? new StreamableHTTPClientTransport(new URL(server.url))
        : new StdioClientTransport({
              command: program(server.program),
              args: ['--stdio', ...(server.args ?? [])],
              env: { ...getDefaultEnvironment(), ...server.env },
              stderr: 'ignore',
          });
    context.after(() => client.close());
    await client.connect(transport);
    return {
        client,
        transport,
        asked,
        call: (name, args = {}) => client.callTool({ name, arguments: args }),
        /** One request, whatever its result is. `more` are the answers and the token of a retry. */
        round: (name, args = {}, more = {}) =>
            client.callTool({ name, arguments: args, ...more }, { allowInputRequired: true }),
    };
}
