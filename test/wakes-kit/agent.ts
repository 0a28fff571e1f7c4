/**
 * A stand-in as a program: `node agent.ts SHAPE [forgetful]`, with what the kit gives in the environment. A forgetful one keeps no
 * log, and acknowledges a wake when it has seen it twice.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { listenOnce } from './listen.ts';
import { type Ports, SHAPES, type Shape, type ShapeName } from './shapes.ts';

const env = (name: string): string => process.env[name]!;
const [server, key, turns] = [env('SLUICE_URL'), env('SLUICE_API_KEY'), env('SLUICE_KIT_TURNS')];
const shape: Shape = SHAPES[process.argv[2] as ShapeName];

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${server}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  });
  const said = await response.text();
  if (!response.ok) throw new Error(said);
  return JSON.parse(said.startsWith('{') ? said : said.slice(said.indexOf('{'))) as Record<string, unknown>;
}

async function listen(): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await shape.receive!(ports, { headers: request.headers, body: await text(request) });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  };
  const receiver = createServer((request, response) => void answer(request, response));
  const kept = `${turns}.port`;
  const port = existsSync(kept) ? Number(readFileSync(kept, 'utf8')) : 0;
  await new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve));
  const taken = (receiver.address() as AddressInfo).port;
  writeFileSync(kept, `${taken}`);
  return `http://127.0.0.1:${taken}/`;
}

const isForgetful = process.argv[3] === 'forgetful';
const seen = new Set<string>();

function isEarly(operation: string, input: object): boolean {
  const asked = JSON.stringify(input);
  if (!isForgetful || operation !== 'AcknowledgeWake' || seen.has(asked)) return false;
  seen.add(asked);
  return true;
}

const linesOf = () =>
  existsSync(turns)
    ? readFileSync(turns, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split(' '))
    : [];

const WAIT_SECONDS = 20;

const ports: Ports = {
  ruleId: env('SLUICE_RULE_ID'),
  address: shape.receive === undefined ? '' : await listen(),
  waitSeconds: WAIT_SECONDS,
  listen: (uri) =>
    listenOnce({
      server,
      key,
      uri,
      // At its start it wants to know that it is subscribed, and no more.
      patience: (signal) =>
        setTimeout(existsSync(turns) ? WAIT_SECONDS * 1_000 : 0, undefined, { signal }).catch(() => {}),
    }),
  call: (operation, input) => (isEarly(operation, input) ? Promise.resolve({}) : post(`/api.${operation}`, input)),
  async mcp(method, params) {
    const { result, error } = await post('/mcp', { jsonrpc: '2.0', id: 1, method, params });
    if (result === undefined) throw new Error(JSON.stringify(error));
    return result as Record<string, unknown>;
  },
  lines: isForgetful ? () => [] : linesOf,
  append: (line) => appendFileSync(turns, `${line.join(' ')}\n`),
  note: {
    read: () => (existsSync(`${turns}.note`) ? readFileSync(`${turns}.note`, 'utf8') : undefined),
    write: (noted) => writeFileSync(`${turns}.note`, noted),
  },
  step: async () => {},
};

await shape.begin(ports);
appendFileSync(turns, '');
// A server that is stopped and started again is asked again.
while (shape.ask !== undefined) await shape.ask(ports).catch(() => setTimeout(200));
