/** List Matches goes past the framework where a request has nothing unusual about it: nobody may be able to tell. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Ask = (headers: Record<string, string>, body: string | Buffer<ArrayBuffer>) => Promise<Answer>;

async function listen(app: App): Promise<Ask> {
  const url = await app.http.listen({ port: 0, host: '127.0.0.1' });
  return async (headers, body) => {
    const answer = await fetch(`${url}/matches`, { method: 'POST', headers, body });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  };
}

/** The only difference between the two is a parameter that means nothing. */
const PAST = { 'content-type': 'application/json' };
const THROUGH = { 'content-type': 'application/json; charset=utf-8' };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('the shortcut to matches', () => {
  let app: App;
  let ask: Ask;
  let ingestKey: string;

  beforeAll(async () => {
    app = await startApp();
    const send = (url: string, payload: object | string, headers = {}) =>
      app.http.inject({ method: 'POST', url, headers: { ...bearer(OPERATOR_KEY), ...headers }, payload });
    await send('/api.CreateRule', { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
    const events = Array.from({ length: 60 }, (_, n) =>
      JSON.stringify({ data: { id: `${n + 1}`, text: `lava ${n} 🌋` } }),
    );
    await send('/events?platform=x', events.join('\n'), { 'content-type': 'application/x-ndjson' });
    ingestKey = (await send('/api.CreateKey', { name: 'in', scope: 'ingest' })).json<{ key: string }>().key;
    ask = await listen(app);
  });
  afterAll(() => app[Symbol.asyncDispose]());

  it.each<[string, string | Buffer<ArrayBuffer>]>([
    ['a page', '{"limit":50}'],
    ['everything', '{}'],
    ['no body', ''],
    ['a body that is no JSON', '{"limit":'],
    ['a body that is no object', '[1]'],
    ['a body that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['an unknown field', '{"limits":50}'],
    ['a limit out of range', '{"limit":0}'],
    ['half a surrogate pair', '{"text":"\\ud800"}'],
    ['a foreign cursor', '{"cursor":"nonsense"}'],
    ['an unknown rule', '{"rule_id":"rule_01k3zq8m7e5w9c2t4r6y8p0a1b"}'],
    ['a key twice', '{"limit":1,"limit":2}'],
    ['a long body', `{"text":"${'x'.repeat(1_100)}"}`],
    ['too long a body', ' '.repeat(300_000)],
  ])('answers %s as the framework does', async (_, body) => {
    for (const key of [bearer(OPERATOR_KEY), bearer(ingestKey), bearer('wrong'), {}]) {
      const headers = { ...key, 'x-request-id': 'one-id' };
      const through = seen(await ask({ ...headers, ...THROUGH }, body));
      expect(seen(await ask({ ...headers, ...PAST }, body))).toEqual(through);
      // This one may be a kept one.
      expect(seen(await ask({ ...headers, ...PAST }, body))).toEqual(through);
    }
  });

  it('sees what is new, and a key that is taken back, at once', async () => {
    const made = await app.http.inject({
      method: 'POST',
      url: '/api.CreateKey',
      headers: bearer(OPERATOR_KEY),
      payload: { name: 'poller', scope: 'read' },
    });
    const { key, id } = made.json<{ key: string; id: string }>();
    const poll = () => ask({ ...bearer(key), ...PAST }, '{"limit":1}');
    expect((await poll()).body).toBe((await poll()).body);
    // Of one moment the ids decide, so the new one is of a later one.
    app.clock.forward(1);
    await app.http.inject({
      method: 'POST',
      url: '/events?platform=x',
      headers: { ...bearer(OPERATOR_KEY), 'content-type': 'application/x-ndjson' },
      payload: JSON.stringify({ data: { id: '1000', text: 'lava anew' } }),
    });
    expect((await poll()).body).toContain('lava anew');
    await app.http.inject({
      method: 'POST',
      url: '/api.RevokeKey',
      headers: bearer(OPERATOR_KEY),
      payload: { key_id: id },
    });
    expect((await poll()).status).toBe(401);
  });
});

describe('the shortcut with a limit', () => {
  it('takes from the same bucket, and says what is left', async () => {
    await using app = await startApp({ rateLimit: 100 });
    const ask = await listen(app);
    const left: unknown[] = [];
    for (const way of [PAST, THROUGH, PAST])
      left.push((await ask({ ...bearer(OPERATOR_KEY), ...way }, '{}')).headers['ratelimit']);
    expect(left.map((text) => /r=(\d+)/.exec(String(text))?.[1])).toEqual(['99', '98', '97']);
    for (let request = 0; request < 97; request++) await ask({ ...bearer(OPERATOR_KEY), ...PAST }, '{}');
    const refused = await ask({ ...bearer(OPERATOR_KEY), ...PAST }, '{}');
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([429, 'resource_exhausted']);
  });
});

/** All but what belongs to the connection and the moment. */
function seen({ status, headers, body }: Answer): object {
  const { date: _, connection: __, 'keep-alive': ___, ...own } = headers;
  return { status, headers: own, body };
}
