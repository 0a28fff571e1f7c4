/** A store that is away, at every route: a 503 with Retry-After, or the answer of an operation that needs no store. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_ACCOUNT } from '../src/domain/account.ts';
import { ROUTES, readRoute } from '../src/http/routes.ts';
import { type OperationName, operations } from '../src/service/operations.ts';
import { StoreError } from '../src/store/error.ts';
import type { Store } from '../src/store/store.ts';
import { OPERATOR_KEY, startApp } from './stages/http-app.ts';

/** An operation's need of the store once the caller is known. A new operation does not compile without a line. */
const NEEDS_STORE = {
  createRule: true,
  listRules: true,
  deleteRule: true,
  listMatches: true,
  listStories: true,
  platformSyntax: false,
  platformValues: false,
  getRule: true,
  updateRule: true,
  validateRule: false,
  previewRule: true,
  nearMisses: true,
  explainEvent: true,
  translateRule: true,
  rehearseRule: true,
  getRehearsal: true,
  listRehearsals: true,
  cancelRehearsal: true,
  certify: true,
  explainMatch: true,
  matchCounts: true,
  rateMatch: true,
  draftRule: false,
  suggestChanges: true,
  deleteMatches: true,
  createKey: true,
  listKeys: true,
  revokeKey: true,
  createSession: true,
  status: true,
  pushEvents: true,
  createStreamTicket: true,
  createEntryTicket: true,
  listChanges: true,
  listAlerts: true,
  suspendAccount: true,
  resumeAccount: true,
  setAccountLimits: true,
  listUsage: true,
  setDemo: true,
  listGrants: true,
  revokeGrant: true,
  createWebhook: true,
  listWebhooks: true,
  updateWebhook: true,
  deleteWebhook: true,
  testWebhook: true,
  listDeliveries: true,
  redeliverWebhook: true,
  listSubscriptions: true,
  listWakes: true,
  nextWake: true,
  acknowledgeWake: true,
  endSubscription: true,
  createFeed: true,
  listFeeds: true,
  deleteFeed: true,
  restoreRule: true,
  matchFacets: true,
  ruleOverlap: true,
  rehearseWake: true,
  previewMessage: true,
  sendMatch: true,
  webhookStats: true,
  createView: true,
  listViews: true,
  deleteView: true,
  createSilence: true,
  listSilences: true,
  endSilence: true,
  discoverSource: true,
  createSource: true,
  listSources: true,
  getSource: true,
  updateSource: true,
  deleteSource: true,
  testSource: true,
} satisfies Record<OperationName, boolean>;

/** By what a caller is known, with the version of that: a process that has just seen the caller asks no more. */
const OF_CALLERS: ReadonlySet<string> = new Set(['accessVersion', 'keyByDigest', 'account'] satisfies (keyof Store)[]);

/** Fails as a promise, and as rows that are read one after another. */
function away() {
  const fail = () => Promise.reject(new StoreError('away', 'connect ECONNREFUSED'));
  const failed = fail();
  failed.catch(() => {});
  return Object.assign(failed, { [Symbol.asyncIterator]: () => ({ next: fail }) });
}

/** The app with a store that fails every call from the moment it is told to, but those that are left to it. */
async function stage(left: ReadonlySet<string>) {
  const trouble = { on: false };
  const app = await startApp({
    store: (real) =>
      new Proxy(real, {
        get(target, name: string) {
          const value: unknown = Reflect.get(target, name);
          return trouble.on && typeof value === 'function' && !left.has(name) ? away : value;
        },
      }),
  });
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const { id, ...acme } = (await app.store.account(DEFAULT_ACCOUNT))!;
  await app.store.addAccount({ ...acme, id: `${id}2`, name: 'acme' });
  await app.http.inject({ url: '/api.ListRules', headers });
  trouble.on = true;
  return { app, headers, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

function requestsOf(name: OperationName) {
  const { methods, path } = readRoute(ROUTES[name]);
  const { example, ndjson } = operations[name] as { example: { input: Record<string, unknown> }; ndjson?: string };
  return methods.map((method) => {
    if (ndjson !== undefined)
      return {
        method,
        url: `${path}?platform=x`,
        headers: { 'content-type': 'application/x-ndjson' },
        payload: '{"data":{"id":"1","text":"lava"}}',
      };
    if (method === 'POST')
      return { method, url: path, headers: { 'content-type': 'application/json' }, payload: example.input };
    const query = new URLSearchParams(
      Object.entries(example.input).map(([key, value]): [string, string] => [key, String(value)]),
    );
    return { method, url: `${path}?${query.toString()}`, headers: {} };
  });
}

const NAMES = Object.keys(ROUTES) as OperationName[];

describe('a store that is away, for a caller who is not known yet', () => {
  let stand: Awaited<ReturnType<typeof stage>>;
  beforeAll(async () => {
    stand = await stage(new Set());
  });
  afterAll(() => stand[Symbol.asyncDispose]());

  it.each(NAMES)('is a 503 with Retry-After at %s', async (name) => {
    for (const request of requestsOf(name)) {
      const answer = await stand.app.http.inject({ ...request, headers: { ...stand.headers, ...request.headers } });
      expect([answer.statusCode, answer.json().code]).toEqual([503, 'unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect(stand.app.levels).not.toContain('error');
  });

  it.each(['/matches/stream', '/mcp', '/session/end'])('is a 503 with Retry-After at %s', async (path) => {
    const session = { cookie: 'sluice_session=any', 'x-sluice-session': '1' };
    const answer = await stand.app.http.inject({
      method: path === '/mcp' || path === '/session/end' ? 'POST' : 'GET',
      url: path,
      headers: path === '/session/end' ? session : { ...stand.headers, host: '127.0.0.1' },
    });
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'unavailable']);
    expect(answer.headers['retry-after']).toBe('1');
  });

  it('is a 503 at /metrics for a key that was never seen, and the figures for one that was', async () => {
    const get = (headers: Record<string, string>) => stand.app.http.inject({ url: '/metrics', headers });
    const unknown = await get({ authorization: 'Bearer sk_of_nobody_whom_this_server_knows' });
    expect([unknown.statusCode, unknown.json().code]).toEqual([503, 'unavailable']);
    expect(Number(unknown.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await get(stand.headers)).statusCode).toBe(200);
  });

  it.each(['/healthz', '/openapi.json', '/llms.txt'])('does not matter at %s', async (path) => {
    expect((await stand.app.http.inject(path)).statusCode).toBe(200);
  });
});

describe('a store that is away, for a caller who is known', () => {
  let stand: Awaited<ReturnType<typeof stage>>;
  beforeAll(async () => {
    stand = await stage(OF_CALLERS);
  });
  afterAll(() => stand[Symbol.asyncDispose]());

  it.each(NAMES)('is a 503 with Retry-After at %s, or the answer where no store is needed', async (name) => {
    for (const request of requestsOf(name)) {
      const answer = await stand.app.http.inject({ ...request, headers: { ...stand.headers, ...request.headers } });
      expect(answer.statusCode).toBe(NEEDS_STORE[name] ? 503 : 200);
      expect(Number(answer.headers['retry-after'] ?? 0) >= 1).toBe(NEEDS_STORE[name]);
    }
  });
});
