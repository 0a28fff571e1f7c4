/** Every Host with every Origin with every kind of key, against the real routes: who may come in. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostRefusal } from '../../src/mcp/endpoint.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { type App, OPERATOR_KEY, startApp } from '../stages/http-app.ts';

const HOSTS = {
  'localhost:4800': true,
  '127.0.0.1:4800': true,
  '[::1]:4800': true,
  'sluice.example': true,
  'evil.example:4800': false,
  'localhost.evil.example': false,
  '10.1.2.3:4800': false,
};
const ORIGINS = {
  none: true,
  'http://localhost:4800': true,
  'http://127.0.0.1:6274': true,
  'https://sluice.example': true,
  'http://sluice.example': false,
  'https://evil.example': false,
  'http://localhost.evil.example': false,
  null: false,
  'http://localhost:4800@evil.example': false,
  'file://localhost': false,
};
const WRITING = ['create_rule', 'update_rule', 'delete_rule', 'rate_match', 'add_source'];
const KEYS = { none: 401, wrong: 401, ingest: 403, read: 200, full: 200 };

const call = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const MODERN = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'matrix', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

describe('the doors of the tool server', () => {
  let app: App;
  const keys: Record<string, string | undefined> = { none: undefined, wrong: 'no-key-of-ours-at-all' };
  beforeAll(async () => {
    app = await startApp({ publicUrl: 'https://sluice.example' });
    keys['full'] = OPERATOR_KEY;
    keys['read'] = await newKey(app.http, 'read');
    keys['ingest'] = await newKey(app.http, 'ingest');
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const cells = Object.entries(HOSTS).flatMap(([host, hostOk]) =>
    Object.entries(ORIGINS).flatMap(([origin, originOk]) =>
      Object.entries(KEYS).map(([key, status]) => ({ host, origin, key, expected: hostOk && originOk ? status : 403 })),
    ),
  );

  it(`decide all ${cells.length} cells rightly`, async () => {
    expect(cells.length).toBeGreaterThanOrEqual(60);
    const wrong: string[] = [];
    for (const { host, origin, key, expected } of cells) {
      const answer = await app.http.inject({
        method: 'POST',
        url: '/mcp',
        headers: headersOf(host, origin, keys[key]),
        payload: call('tools/list', MODERN),
      });
      const tools = answer.statusCode === 200 ? namesIn(answer.body) : [];
      const maySee = key === 'full' ? TOOLS.length : TOOLS.length - WRITING.length;
      if (answer.statusCode !== expected || (expected === 200 && tools.length !== maySee))
        wrong.push(`${host} ${origin} ${key}: ${answer.statusCode}, not ${expected}; ${tools.length} tools`);
    }
    expect(wrong).toEqual([]);
  });

  it('show no write tool to a read key, however it is asked for', async () => {
    for (const name of WRITING) {
      for (const [version, meta] of [
        ['2025-11-25', {}],
        ['2026-07-28', MODERN],
      ] as const) {
        const answer = await app.http.inject({
          method: 'POST',
          url: '/mcp',
          headers: {
            ...headersOf('localhost', 'none', keys['read']),
            'mcp-protocol-version': version,
            'mcp-method': 'tools/call',
            'mcp-name': name,
          },
          payload: call('tools/call', { name, arguments: {}, ...meta }),
        });
        expect(answer.body).toContain(`permission_denied: This key only reads, and ${name} needs`);
      }
    }
  });

  it('do not open to a cookie, nor to a key anywhere but in the header', async () => {
    const headers = headersOf('localhost', 'none', undefined);
    for (const more of [
      { cookie: `sluice_session=${OPERATOR_KEY}`, 'x-sluice-session': '1' },
      { 'x-api-key': OPERATOR_KEY },
    ]) {
      const answer = await app.http.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...headers, ...more },
        payload: {},
      });
      expect(answer.statusCode).toBe(401);
    }
    const inUrl = await app.http.inject({ method: 'POST', url: `/mcp?key=${OPERATOR_KEY}`, headers, payload: {} });
    expect(inUrl.statusCode).toBe(401);
  });

  it('keep no session: nothing but POST is answered', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await app.http.inject({
        method,
        url: '/mcp',
        headers: headersOf('localhost', 'none', OPERATOR_KEY),
      });
      expect(answer.statusCode).toBe(405);
      expect(answer.headers['mcp-session-id']).toBeUndefined();
    }
  });
});

describe('hostRefusal', () => {
  const at = (host: string, headers: { host?: string; origin?: string }) =>
    hostRefusal(headers, { host, publicUrl: undefined }) === undefined;

  it.each([
    ['0.0.0.0', '192.168.1.5:4800', true],
    ['::', '[fe80::1]:4800', true],
    ['0.0.0.0', 'nas.local:4800', false],
    ['192.168.1.5', '192.168.1.5:4800', true],
    ['Box.local', 'box.local:4800', true],
    ['fd00::7', '[fd00::7]:4800', true],
    ['fd00::7', '[fd00::8]:4800', false],
    ['192.168.1.5', '192.168.1.6:4800', false],
    ['127.0.0.1', 'user@localhost', false],
    ['127.0.0.1', 'localhost/..', false],
    ['127.0.0.1', '', false],
  ])('listening on %s, Host %s is ours: %s', (listening, host, ours) => {
    expect(at(listening, { host })).toBe(ours);
  });

  it('refuses a request without a Host', () => {
    expect(at('127.0.0.1', {})).toBe(false);
  });
});

function headersOf(host: string, origin: string, key: string | undefined): Record<string, string> {
  return {
    host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
    ...(origin !== 'none' && { origin }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
}

const namesIn = (body: string): string[] =>
  (JSON.parse(body) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

async function newKey(http: FastifyInstance, scope: string): Promise<string> {
  const answer = await http.inject({
    method: 'POST',
    url: '/api.CreateKey',
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
    payload: { name: scope, scope },
  });
  return (answer.json() as { key: string }).key;
}
