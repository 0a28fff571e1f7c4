/** The kinds of requests that the campaign `hostile` sends, with how often. Each answers the status that it got, or 0. */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { pick, type Random } from '../../bench/random.ts';
import { LONGEST_TEMPLATE } from '../../src/delivery/templates/template.ts';
import { requestSchema } from '../../src/http/json-schemas.ts';
import { ROUTES, readRoute } from '../../src/http/routes.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { KEY } from '../black-box/server.ts';
import { filled, TEMPLATES } from '../complexity/hard-texts.ts';
import { hardPush, hardRule, hardSource, hardText, rubbish } from './hostile-bodies.ts';
import { UNITS, worstInput } from './hostile-inputs.ts';

export interface Target {
  readonly url: string;
  readonly agent: Agent;
  readonly random: Random;
  /** Keys of every scope, and some that are none. */
  readonly keys: readonly string[];
  /** Ids of rules, webhooks and matches that are there. */
  readonly ids: { readonly rules: string[]; readonly webhooks: string[]; readonly matches: string[] };
  next(): string;
}

export const newAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 64 });

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly type?: string;
  readonly body?: Buffer | string;
  /** The connection is cut after this many bytes of the answer. */
  readonly cutAfter?: number;
}

/** A connection that was reset has no status. */
async function send(target: Target, sent: Sent): Promise<Got> {
  const { body } = sent;
  const got = await exchange(target, sent);
  return body === undefined || body.length < 10_000
    ? got
    : { ...got, what: `${body.length} of ${JSON.stringify(Buffer.from(body).toString('latin1', 0, 40))}…` };
}

function exchange(
  { url, agent }: Target,
  { method = 'POST', path, key = KEY, type, body, cutAfter }: Sent,
): Promise<Got> {
  return new Promise((done) => {
    const call = request(new URL(url).origin + path, {
      agent,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && {
          'content-type': type ?? 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
    });
    let text = '';
    call.on('response', (answer) => {
      const status = answer.statusCode ?? 0;
      answer.setEncoding('latin1');
      answer.on('data', (part: string) => {
        if (text.length < 4_096) text += part.slice(0, 4_096);
        if (cutAfter !== undefined && text.length >= cutAfter) call.destroy();
      });
      answer.on('close', () => done({ status, text }));
      answer.on('error', () => {});
    });
    call.on('error', () => done({ status: 0, text: '' }));
    call.end(body);
  });
}

export interface Got {
  readonly status: number;
  readonly text: string;
  /** The beginning and the size of what was sent, where there is more to say than the kind. */
  readonly what?: string;
}

const json = (path: string, input: object): Sent => ({ path, body: JSON.stringify(input) });

/** Bytes straight to the socket: no HTTP, half a request, a request that never ends. */
function raw({ url, random }: Target, bytes: string, linger: boolean): Promise<Got> {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => done({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }));
    socket.on('connect', () => {
      socket.write(bytes);
      setTimeout(() => socket.destroy(), linger ? 200 + random() * 800 : 20);
    });
  });
}

const headOf = (length: number): string =>
  `POST /events?platform=x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${length}\r\n\r\n`;

const paths = Object.values(ROUTES).map(readRoute);
const tools = TOOLS.map(({ operation }) => operation.name);
const describedTools = TOOLS.map(({ operation: { name, input } }) => ({ name, input: requestSchema(input) }));
const described = Object.entries(operations).map(([name, { input }]) => ({
  path: readRoute(ROUTES[name as OperationName]).path,
  input: requestSchema(input),
}));

type Kind = (target: Target) => Promise<Got>;

const call = (target: Target, name: string, input: unknown): Promise<Got> =>
  send(target, {
    ...json('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  });

const PAGES = [
  '/',
  '/nowhere',
  '/docs/',
  '/openapi.json',
  '/asyncapi.json',
  '/llms.txt',
  '/metrics',
  '/readyz',
  '/schemas/rule',
  '/feeds/a.atom',
  '/export',
  '/matches/stream',
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/register',
  '/.well-known/oauth-authorization-server',
  '/consent',
  '/session/end',
];

/** A wait of its usual length would keep this lane from sending anything else for 45 seconds. */
const usualOf = (tool: string): object => (tool === 'wait_for_matches' ? { wait_seconds: 0 } : {});

const idOf = ({ random, ids }: Target, of: keyof Target['ids']): string =>
  random() < 0.1 || ids[of].length === 0 ? `rule_${random()}` : pick(random, ids[of]);

/** Small requests of every kind; they make up most of the number. */
const CHEAP: Readonly<Record<string, Kind>> = {
  'rubbish to any route': (target) => {
    const { methods, path } = pick(target.random, paths);
    return send(target, {
      method: methods[0]!,
      path,
      body: rubbish(target.random),
      key: pick(target.random, target.keys),
    });
  },
  'a field at its worst': (target) => {
    const { path, input } = pick(target.random, described);
    return send(target, { path, body: JSON.stringify(worstInput(target.random, input)) });
  },
  'any page': (target) => {
    const { random, keys } = target;
    const query = encodeURIComponent(filled(pick(random, UNITS), random() * 2_000).toWellFormed()).slice(0, 7_000);
    const method = pick(random, ['GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS']);
    return send(target, { method, path: `${pick(random, PAGES)}?${query}`, key: pick(random, keys), cutAfter: 4_000 });
  },
  'a wrong method or path': ({ random, ...rest }) =>
    send(
      { random, ...rest },
      {
        method: pick(random, ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']),
        path: pick(random, [
          '/mcp',
          '/matches',
          '/events',
          '/docs',
          '/api.%00',
          '/%ff',
          '/..//..',
          '/api.Status?a=%',
          '/console/%2e%2e',
        ]),
        key: pick(random, rest.keys),
      },
    ),
  'a rule to check': (target) => send(target, json('/api.ValidateRule', hardRule(target.random))),
  'a list of matches': (target) =>
    send(
      target,
      json('/matches', {
        limit: pick(target.random, [1, 50]),
        cursor: pick(target.random, ['', 'x', 'qM1zP0vYt3wRk8aB']),
      }),
    ),
  'a rule by its id': (target) =>
    send(target, { method: 'GET', path: `/api.GetRule?rule_id=${idOf(target, 'rules')}` }),
  status: (target) => send(target, { method: 'GET', path: '/api.Status' }),
  'a small push': (target) =>
    send(target, {
      path: '/events?platform=firehose',
      type: 'application/x-ndjson',
      body: JSON.stringify({ id: target.next(), title: 'lava' }),
    }),
  'rubbish to a tool': (target) => {
    const name = pick(target.random, tools);
    return call(target, name, pick(target.random, [usualOf(name), null, [], 'x', { limit: 1e9 }]));
  },
  'a field of a tool at its worst': (target) => {
    const { name, input } = pick(target.random, describedTools);
    return call(target, name, { ...usualOf(name), ...(worstInput(target.random, input) as object) });
  },
  'rubbish to the tool server': (target) => send(target, { path: '/mcp', body: rubbish(target.random) }),
  'a stream with a wrong cursor': (target) =>
    send(target, { method: 'GET', path: `/matches/stream?cursor=${'x'.repeat(target.random() * 2_000)}`, cutAfter: 1 }),
};

const COSTLY: Readonly<Record<string, Kind>> = {
  'a hard push': (target) => {
    const { platform, body } = hardPush(target.random, target.next());
    return send(target, { path: `/events?platform=${platform}`, type: 'application/x-ndjson', body });
  },
  'a hard rule on a hard event': (target) =>
    send(target, {
      ...json('/api.ValidateRule', {
        ...hardRule(target.random),
        event: {
          id: '1',
          data: { id: '1', text: hardText(target.random, 100_000) },
          added: hardText(target.random, 100_000),
        },
      }),
    }),
  'a rule that comes and goes': async (target) => {
    const { platform, value } = hardRule(target.random);
    const rule = { name: 'n', intent: '', platforms: [platform], overrides: { [platform]: value } };
    const got = await send(target, json('/api.CreateRule', rule));
    const id = /"rule_id":"([^"]+)"/.exec(got.text)?.[1];
    return id === undefined ? got : send(target, json('/api.DeleteRule', { rule_id: id }));
  },
  'a preview': (target) => {
    const { platform, value } = hardRule(target.random);
    return send(target, json('/api.PreviewRule', { platforms: [platform], overrides: { [platform]: value } }));
  },
  'near misses': (target) => send(target, json('/api.NearMisses', hardRule(target.random))),
  'a translation': (target) => send(target, json('/api.TranslateRule', hardRule(target.random))),
  'an explanation': (target) => send(target, json('/api.ExplainMatch', { match_id: idOf(target, 'matches') })),
  'a long list': (target) => send(target, json('/matches', { limit: 1_000 })),
  'a search': (target) =>
    send(target, json('/matches', { text: pick(target.random, ['zzzz', 'lava', '%', '_']), limit: 1_000 })),
  counts: (target) =>
    send(
      target,
      json('/api.MatchCounts', {
        interval: 'minute',
        rule_ids: Array.from({ length: 100 }, () => idOf(target, 'rules')),
      }),
    ),
  'an erasure': (target) =>
    send(target, json('/api.DeleteMatches', { platform: 'firehose', platform_post_id: target.next() })),
  'a list of rules': (target) => send(target, { method: 'GET', path: '/api.ListRules' }),
  'a tool that checks': (target) => {
    const { platform, value } = hardRule(target.random);
    return call(target, 'check_rule', { overrides: { [platform]: value } });
  },
  'a tool that lists': (target) => call(target, 'list_matches', { limit: 50, detail: 'full', max_tokens: 8_000 }),
  'a batch of tools': (target) =>
    send(target, {
      path: '/mcp',
      body: JSON.stringify(
        Array.from({ length: 10 }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'status', arguments: {} },
        })),
      ),
    }),
  'a stream that is cut': (target) => send(target, { method: 'GET', path: '/matches/stream', cutAfter: 20 }),
  'no HTTP': (target) => raw(target, 'hello\r\n\r\n', false),
  'half a request': (target) =>
    raw(target, `${headOf(1_000_000)}{"data":{"id":"1","text":"${'a'.repeat(target.random() * 60_000)}`, true),
  'two requests in one': (target) => raw(target, `${headOf(2)}{}GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n`, false),
  'a webhook': (target) =>
    send(
      target,
      json('/api.UpdateWebhook', {
        webhook_id: idOf(target, 'webhooks'),
        description: 'd'.repeat(target.random() * 600),
        paused: true,
      }),
    ),
  'a rehearsal of a wake': (target) => {
    const rule_ids = target.ids.rules.slice(0, 100);
    const wake = { per: 'match', at_most: '1/day', digest: { when_waiting: pick(target.random, [1, 1_000]) } };
    return send(target, json('/api.RehearseWake', { rule_ids, wake }));
  },
  'a message by a template': ({ random, ...rest }) =>
    send(
      { random, ...rest },
      json('/api.PreviewMessage', {
        format: pick(random, ['telegram', 'slack', 'mail']),
        template: pick(random, TEMPLATES)(Math.ceil(LONGEST_TEMPLATE * random())),
      }),
    ),
  'a source that comes and goes': async (target) => {
    const got = await send(target, json('/api.CreateSource', hardSource(target.random)));
    const id = /"source_id":"([^"]+)"/.exec(got.text)?.[1];
    return id === undefined ? got : send(target, json('/api.DeleteSource', { source_id: id }));
  },
  'a silence that comes and goes': async (target) => {
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const text = hardText(target.random, 800).slice(0, 200);
    const silence = { until, reason: 'r', text, rule_ids: target.ids.rules.slice(0, 100) };
    const got = await send(target, json('/api.CreateSilence', silence));
    const id = /"silence_id":"([^"]+)"/.exec(got.text)?.[1];
    return id === undefined ? got : send(target, json('/api.EndSilence', { silence_id: id }));
  },
  // Without a broker it is refused.
  'a hard push into the log': (target) => {
    const { platform, body } = hardPush(target.random, target.next());
    return send(target, { path: `/events?platform=${platform}&ack=log`, type: 'application/x-ndjson', body });
  },
  'deliveries again': (target) =>
    send(
      target,
      json('/api.RedeliverWebhook', { webhook_id: idOf(target, 'webhooks'), since: '2020-01-01T00:00:00Z' }),
    ),
};

/** One of the costly kinds in so many requests. */
export function anyRequest(random: Random, costlyIn: number): { name: string; kind: Kind } {
  const kinds = random() < 1 / costlyIn ? COSTLY : CHEAP;
  const name = pick(random, Object.keys(kinds));
  return { name, kind: kinds[name]! };
}
