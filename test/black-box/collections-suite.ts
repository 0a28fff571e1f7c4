/** Third parties’ collections of what breaks servers: never a 5xx, always the error shape, strings byte for byte. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSharedData, sharedJson, sharedLines } from '../stages/shared-data.ts';
import { exchange } from './raw-http.ts';
import { type Answer, failureIn, type Started, type StartServer } from './server.ts';

export function collectionsSuite(start: StartServer): void {
  describe.runIf(hasSharedData)('shared: collections of hostile input', () => {
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server[Symbol.asyncDispose]());

    const raw = (path: string, body: Uint8Array | string, type = 'application/json') =>
      server.call('POST', path, undefined, { raw: body, headers: { 'content-type': type } });

    describe('JSON test suite', () => {
      const cases = hasSharedData
        ? sharedLines<{ name: string; expect: string; body_base64: string }>(
            'conformance/json/json-test-suite.ndjson.gz',
          ).map((one) => ({
            name: one.name,
            expect: one.expect,
            bytes: Buffer.from(one.body_base64, 'base64'),
          }))
        : [];
      const asEvent = (bytes: Buffer) =>
        Buffer.concat([Buffer.from('{"platform":"x","value":"lava","event":'), bytes, Buffer.from('}')]);

      it('is civil as a whole body', async () => {
        expect(await uncivil(cases, ({ bytes }) => raw('/api.CreateRule', bytes))).toEqual([]);
        expect(await uncivil(cases, ({ bytes }) => raw('/matches', bytes))).toEqual([]);
      });

      it('refuses what no parser may accept, and reads what every parser must, inside a request', async () => {
        expect(await uncivil(cases, ({ bytes }) => raw('/api.ValidateRule', asEvent(bytes)))).toEqual([]);
        for (const { name, bytes } of cases.filter((one) => one.expect === 'reject' && !one.bytes.includes('}'))) {
          const { status } = await raw('/api.ValidateRule', asEvent(bytes));
          expect([name, status]).toEqual([name, 400]);
        }
      });

      it('is civil as events', async () => {
        expect(await uncivil(cases, ({ bytes }) => raw('/events?platform=x', bytes, 'application/x-ndjson'))).toEqual(
          [],
        );
        expect(
          await uncivil(cases, ({ bytes }) => raw('/events?platform=firehose', bytes, 'application/x-ndjson')),
        ).toEqual([]);
      });
    });

    stringCases(() => server);

    describe('raw requests', () => {
      const cases = hasSharedData
        ? sharedJson<{ name: string; request_base64: string }[]>('conformance/http/llhttp-requests.json')
        : [];

      it.each(cases)('$name', async ({ request_base64 }) => {
        for (const { status, body, type } of await exchange(server.url, Buffer.from(request_base64, 'base64'))) {
          expect(status).toBeLessThan(500);
          const shape =
            status >= 400 && type.startsWith('application/json') && body !== ''
              ? Object.keys(JSON.parse(body) as object)
              : [];
          expect([[], ['code', 'message', 'details']]).toContainEqual(shape);
        }
      });
    });

    describe('after all that', () => {
      it('is ready', async () => {
        expect((await server.call('GET', '/readyz')).status).toBe(200);
      });
    });
  });
}

/** The strings alone, which are what a store keeps. `share`: one in so many of them. */
export function stringsSuite(start: StartServer, share: number): void {
  describe.runIf(hasSharedData)('shared: collections of hostile input', () => {
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server[Symbol.asyncDispose]());
    stringCases(() => server, share);
  });
}

function stringCases(running: () => Started, share = 1): void {
  describe('strings of all kinds', () => {
    const all = hasSharedData
      ? [
          ...sharedJson<string[]>('conformance/strings/naughty-strings.json'),
          ...sharedJson<string[]>('security/sql-injection.json'),
          ...sharedJson<string[]>('security/markup-and-format-strings.json'),
          ...sharedJson<unknown[]>('security/json-fuzz-values.json').map((value) =>
            typeof value === 'string' ? value : JSON.stringify(value),
          ),
          'nul \u0000 inside',
        ]
      : [];
    const strings = all.filter((_, index) => index % share === 0);

    it('come back byte for byte as names and intents', async () => {
      const sent = new Map<string, { name: string; intent: string }>();
      const refused: [text: string, status: number][] = [];
      await eachAtOnce(strings, async (text) => {
        const rule = { name: text.slice(0, 200), intent: text };
        const made = { ...rule, platforms: ['firehose'], overrides: { firehose: 'lava' } };
        const { status, body } = await running().call('POST', '/api.CreateRule', made);
        if (status === 200) sent.set(body['rule_id'] as string, rule);
        else refused.push([text, status]);
      });
      expect(refused.filter(([, status]) => status !== 400)).toEqual([]);
      expect(sent.size).toBeGreaterThan(strings.length * 0.9);
      const { body } = await running().call('GET', '/api.ListRules');
      const listed = (body['rules'] as { id: string; name: string; intent: string }[]).map(({ id, name, intent }) => [
        id,
        { name, intent },
      ]);
      expect(new Map(listed as [string, { name: string; intent: string }][])).toEqual(sent);
    });

    it('come back byte for byte inside payloads, and are found as text', async () => {
      const created = await running().call('POST', '/api.CreateRule', {
        name: 'all',
        intent: '',
        platforms: ['x'],
        overrides: { x: 'marker' },
      });
      const events = strings.map((text, n) => ({
        data: { id: String(n + 1), text: `marker ${text}`, note: { [text]: text } },
      }));
      const pushed = await running().push('x', events);
      expect(pushed.body).toMatchObject({ accepted: events.length, rejected: [] });
      const { body } = await running().call('POST', '/matches', { rule_id: created.body['rule_id'], limit: 1_000 });
      const payloads = new Map(
        (body['matches'] as { platform_post_id: string; payload: unknown }[]).map((match) => [
          match.platform_post_id,
          match.payload,
        ]),
      );
      for (const event of events) expect(payloads.get(event.data.id)).toEqual(event);
      await running().call('POST', '/api.DeleteRule', { rule_id: created.body['rule_id'] });
    });

    it('are civil as rules, ids, cursors, platforms and headers', async () => {
      const ask = (path: string, body: (text: string) => unknown) =>
        uncivil(strings, (text) => running().call('POST', path, body(text)));
      expect(await ask('/api.ValidateRule', (text) => ({ platform: 'x', value: text }))).toEqual([]);
      expect(await ask('/api.ValidateRule', (text) => ({ platform: 'firehose', value: text }))).toEqual([]);
      expect(await ask('/matches', (text) => ({ text, rule_id: text, cursor: text, platform: text }))).toEqual([]);
      expect(await ask('/matches', (text) => ({ text: text.slice(0, 200) }))).toEqual([]);
      expect(
        await uncivil(strings, (text) =>
          running().call('GET', `/api.GetRule?rule_id=${encodeURIComponent(text.toWellFormed())}`),
        ),
      ).toEqual([]);
      expect(
        await uncivil(strings, (text) => running().call('GET', `/${encodeURIComponent(text.toWellFormed())}`)),
      ).toEqual([]);
    });
  });
}

/** Answered, or refused in the one shape. */
const isCivil = (answer: Answer): boolean => answer.status === 200 || /^4\d\d \w+$/.test(failureIn(answer));

/** Asks for all, several at a time, and answers with those that were neither answered nor refused as they should be. */
async function uncivil<Case>(cases: readonly Case[], ask: (one: Case) => Promise<Answer>): Promise<unknown[]> {
  const wrong: unknown[] = [];
  await eachAtOnce(cases, async (one) => {
    const answer = await ask(one);
    if (!isCivil(answer)) wrong.push([one, answer.status, answer.text.slice(0, 200)]);
  });
  return wrong;
}

async function eachAtOnce<Case>(cases: readonly Case[], run: (one: Case) => Promise<void>): Promise<void> {
  const left = cases.values();
  const worker = async () => {
    for (const one of left) await run(one);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
