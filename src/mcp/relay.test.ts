import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { relay } from './relay.ts';

/** Returns what the relay writes for these lines, one answer each, when the server answers every message this way. */
async function relayed(lines: readonly string[], answer: () => Response): Promise<unknown[]> {
  const output = new PassThrough();
  const answered = Promise.withResolvers<void>();
  let seen = '';
  output.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    if (seen.split('\n').length > lines.length) answered.resolve();
  });
  async function* input() {
    yield `${lines.join('\n')}\n`;
    await answered.promise;
  }
  await relay({
    url: 'http://sluice.test',
    key: 'k',
    input: Readable.from(input()),
    output,
    fetch: async () => answer(),
    complain: () => {},
  });
  return seen
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
const stream = (body: string) => new Response(body, { headers: { 'content-type': 'text/event-stream' } });

it('refuses lines that are no message, and goes on with the next', async () => {
  const pong = () => Response.json({ jsonrpc: '2.0', id: 7, result: {} });
  const codeOf = (message: unknown) => (message as { error?: { code: number } }).error?.code;
  const answers = await relayed(['null', '1', '"a"', '{"half":', ping(7)], pong);
  expect(answers.map(codeOf)).toEqual([-32_600, -32_600, -32_600, -32_700, undefined]);
  expect(answers).toContainEqual({ jsonrpc: '2.0', id: 7, result: {} });
});

it('reads event streams as they are defined: data on several lines, comments, any line end', async () => {
  const body = ': hello\r\nid: 1\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":7,"result":{}}\r\n\r\n';
  expect(await relayed([ping(7)], () => stream(body))).toEqual([{ jsonrpc: '2.0', id: 7, result: {} }]);
});
