/** `events/poll` by official clients of both generations, and the record of wakes that follows it. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { pollResult } from '../../src/mcp/events/wire.ts';
import { type Polled, pollEvents } from '../../src/service/agents/poll-events.ts';
import { MAX_WAITS } from '../../src/service/limits.ts';
import type { OperationName } from '../../src/service/operations.ts';
import { olderOverHttp, overHttp } from '../mcp/clients.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { heldClock, OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { openService } from '../stages/service.ts';

const DAY = 24 * 60 * 60 * 1_000;
const answer = z.looseObject({
  events: z.array(
    z.strictObject({ eventId: z.string(), name: z.string(), timestamp: z.string(), data: z.looseObject({}) }),
  ),
  cursor: z.string(),
  truncated: z.boolean(),
  hasMore: z.boolean(),
  nextPollMs: z.number(),
});

async function stage(generation: 'newest' | 'older' = 'newest') {
  const clock = heldClock();
  const app = await startApp({ clock });
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const agent = await (generation === 'newest'
    ? overHttp(url, undefined, OPERATOR_KEY)
    : olderOverHttp(url, OPERATOR_KEY));
  const { client } = agent;
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const call = async (operation: OperationName, input: object = {}) => {
    const path = `/api.${operation.charAt(0).toUpperCase()}${operation.slice(1)}`;
    return (await app.http.inject({ method: 'POST', url: path, headers, payload: input })).json();
  };
  const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
  const { rule_id } = await call('createRule', rule);
  const request = (method: string, params: Record<string, unknown>): Promise<unknown> =>
    'listen' in client
      ? client.request({ method, params }, z.looseObject({}))
      : client.request({ method, params }, z.looseObject({}));
  return {
    app,
    clock,
    rule_id,
    call,
    request,
    poll: async (more: object = {}) =>
      answer.parse(await request('events/poll', { name: 'match.created', arguments: { rule_id }, ...more })),
    push: (...ids: string[]) =>
      app.http.inject({
        method: 'POST',
        url: '/events?platform=x',
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        payload: ids.map((id) => JSON.stringify({ data: { id, text: `storm ${id}` } })).join('\n'),
      }),
    states: async (): Promise<string[]> =>
      (await call('listWakes', { limit: 50 })).wakes.map(({ state }: { state: string }) => state),
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      app.http.server.closeAllConnections();
      await app[Symbol.asyncDispose]();
    },
  };
}

const posts = ({ events }: z.output<typeof answer>) => events.map(({ data }) => data['post_id']);

it.each(['newest', 'older'] as const)(
  'gives the %s client what matched after its cursor, and the same again for the same cursor',
  async (generation) => {
    await using test = await stage(generation);
    const begun = await test.poll({ cursor: null });
    expect(begun).toMatchObject({ events: [], truncated: false, hasMore: false, nextPollMs: 1_000 });
    await test.push('1', '2', '3');
    const first = await test.poll({ cursor: begun.cursor, maxEvents: 2 });
    expect(posts(first)).toEqual(['1', '2']);
    expect(first).toMatchObject({ hasMore: true, nextPollMs: 0, truncated: false });
    expect(first.events[0]).toMatchObject({ name: 'match.created', data: { untrusted_content: expect.anything() } });
    expect((await test.poll({ cursor: begun.cursor, maxEvents: 2 })).events).toEqual(first.events);
    expect(await test.states()).toEqual(['offered']);
    const second = await test.poll({ cursor: first.cursor });
    expect(posts(second)).toEqual(['3']);
    // The wake has three matches, and the cursor of this poll lies before the last.
    expect(await test.states()).toEqual(['offered']);
    expect(posts(await test.poll({ cursor: second.cursor }))).toEqual([]);
    expect(await test.states()).toEqual(['acknowledged']);
  },
);

it('holds a poll until an event comes', async () => {
  await using test = await stage();
  const { cursor } = await test.poll();
  const held = test.poll({ cursor, timeoutMs: 40_000 });
  await test.push('1');
  expect(posts(await held)).toEqual(['1']);
});

it('is told by its name that the account has too many waits', async () => {
  await using test = await stage();
  const { cursor } = await test.poll();
  Object.assign(test.app.context.matchSignals, { countOf: () => MAX_WAITS });
  const refused = { code: -32_013, data: { limit: 'waits', max: MAX_WAITS } };
  await expect(test.poll({ cursor, timeoutMs: 1_000 })).rejects.toMatchObject(refused);
});

it('tells the owner when an agent that polled never came back', async () => {
  await using test = await stage();
  await test.call('createWebhook', { url: 'https://ops.example/', events: ['operational'] });
  const { cursor } = await test.poll();
  await test.push('1');
  await test.poll({ cursor });
  test.clock.forward(DAY);
  await expect.poll(test.states).toEqual(['expired']);
  const { deliveries } = await test.call('listDeliveries', { limit: 10 });
  expect(deliveries.filter(({ matches }: { matches: number }) => matches === 0)).toHaveLength(1);
});

it('is truncated when an event after the cursor is too old, or gone', async () => {
  await using test = await stage();
  const { cursor } = await test.poll();
  await test.push('1');
  test.clock.forward(10_000);
  await test.push('2');
  const young = await test.poll({ cursor, maxAgeMs: 5_000 });
  expect(posts(young)).toEqual(['2']);
  expect(young.truncated).toBe(true);
  expect((await test.poll({ cursor })).truncated).toBe(false);
});

it('is truncated once for a gap, and again for the same cursor', async () => {
  await using test = await stage();
  const { cursor } = await test.poll();
  await test.push('1');
  let last = (await test.poll({ cursor })).cursor;
  const isTold = async (from: string) => {
    const { truncated, cursor: next } = await test.poll({ cursor: from });
    last = next;
    return truncated;
  };
  const note = (from: Date, to: Date | undefined) =>
    test.app.store.noteGaps([{ platform: 'x', from, to, cause: 'stream_down', recovered: false }]);
  const began = test.clock.now();
  await note(new Date(began.getTime() - 1_000), began);
  // It was over when the cursor was given.
  expect(await isTold(last)).toBe(false);
  test.clock.forward(1_000);
  await note(began, test.clock.now());
  const before = last;
  expect([await isTold(before), await isTold(last), await isTold(before), await isTold(last)]).toEqual([
    true,
    false,
    true,
    false,
  ]);

  test.clock.forward(1_000);
  const broken = test.clock.now();
  await note(broken, undefined);
  expect([await isTold(last), await isTold(last)]).toEqual([true, false]);
  await test.push('2');
  expect([await isTold(last), await isTold(last)]).toEqual([false, false]);
  test.clock.forward(1_000);
  await note(broken, test.clock.now());
  expect([await isTold(last), await isTold(last)]).toEqual([true, false]);
  await expect(test.poll({ cursor: `${cursor}.made-up` })).rejects.toMatchObject({ code: -32_602 });
});

it('lists which events can be polled, and refuses the others, a contract and a made-up cursor', async () => {
  await using test = await stage();
  const { events } = (await test.request('events/list', {})) as { events: { name: string; delivery: string[] }[] };
  const polled = events.filter(({ delivery }) => delivery.includes('poll')).map(({ name }) => name);
  expect(polled).toEqual(['match.created', 'story.created']);
  const unsupported = { code: -32_014, data: { value: 'poll' } };
  await expect(test.request('events/poll', { name: 'gap.opened', arguments: {} })).rejects.toMatchObject(unsupported);
  const wake = { rule_id: test.rule_id, wake: { per: 'story' } };
  await expect(test.poll({ arguments: wake })).rejects.toMatchObject(unsupported);
  await expect(test.poll({ cursor: 'made-up' })).rejects.toMatchObject({ code: -32_602 });
  await expect(test.poll({ name: 'no.such' })).rejects.toMatchObject({ code: -32_011 });
  await expect(test.poll({ arguments: { rule_id: 'rule_none' } })).rejects.toMatchObject({ code: -32_012 });
});

it('has one event for a story, and waits on behind its further matches', async () => {
  await using test = await stage();
  const named = { name: 'story.created' };
  const { cursor } = await test.poll(named);
  const text = 'storm closes the harbour of Brindle and every ferry stays in port tonight';
  const push = (id: string) =>
    test.app.http.inject({
      method: 'POST',
      url: '/events?platform=x',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/x-ndjson' },
      payload: JSON.stringify({ data: { id, text } }),
    });
  await push('1');
  await push('2');
  const first = await test.poll({ ...named, cursor });
  expect(posts(first)).toEqual(['1']);
  expect(posts(await test.poll({ ...named, cursor: first.cursor }))).toEqual([]);
});

const HARBOUR = 'storm closes the harbour of Brindle and every ferry stays in port tonight';

async function silenced(text: string, name = 'match.created') {
  const clock = fakeClock('2026-11-15T08:00:00.000Z');
  const test = await openService({ clock });
  const caller = await test.caller('alice');
  const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
  const { rule_id } = await test.call(caller, 'createRule', rule);
  const until = '2026-11-15T09:00:00.000Z';
  await test.call(caller, 'createSilence', { text, reason: 'The bot tests its alarm.', until });
  const poll = (more: object) => {
    const usual = { maxAgeMs: undefined, maxEvents: 20, timeoutMs: 0, cursor: null };
    const request = { name, arguments: { rule_id }, ...usual, ...more };
    return pollEvents(test.service.context, caller, request, new AbortController().signal);
  };
  const { cursor } = await poll({});
  const pushed = async (...texts: string[]) => {
    const posted = test.post(caller, ...texts);
    await clock.pass(1_000);
    await posted;
  };
  return Object.assign(test, { clock, poll, cursor, pushed });
}

const shown = (polled: Polled) =>
  polled.events.map(({ match, digest }) => digest?.match_count ?? JSON.parse(match.json!).data.text);

it('has what a silence covered as one event, with a digest, among the matches that it did not cover', async () => {
  await using test = await silenced('drill');
  await test.pushed('storm one', 'storm drill', 'storm drill again', 'storm two');
  const polled = await test.poll({ cursor: test.cursor });
  expect([shown(polled), polled.hasMore]).toEqual([['storm one', 2, 'storm two'], false]);
  const events = answer.shape.events.parse(pollResult('match.created', polled).events);
  expect(events[1]!.data).toMatchObject({
    digest: { match_count: 2, match_ids: [expect.any(String), expect.any(String)] },
    untrusted_content: { stories: [{ title: 'storm drill again' }, { title: 'storm drill' }] },
  });
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
  expect(shown(await test.poll({ cursor: polled.cursor }))).toEqual([]);
  await test.clock.pass(60 * 60_000);
  // An agent that goes on from before the silence has them one by one, and takes none of them for an event that it has.
  const after = await test.poll({ cursor: test.cursor });
  expect(shown(after)).toEqual(['storm one', 'storm drill', 'storm drill again', 'storm two']);
  expect(after.events.map(({ id }) => id)).not.toContain(polled.events[1]!.id);
});

it('waits on behind what a silence covers, and gives as many events as were asked for', async () => {
  await using test = await silenced('drill');
  const waiting = test.poll({ cursor: test.cursor, timeoutMs: 30_000, maxEvents: 1 });
  await test.pushed('storm drill');
  await test.pushed('storm drill again');
  await test.pushed('storm one');
  const first = await waiting;
  expect([shown(first), first.hasMore]).toEqual([[2], true]);
  expect(shown(await test.poll({ cursor: first.cursor, maxEvents: 1 }))).toEqual(['storm one']);
});

it('counts the stories that began under a silence, and not their further matches', async () => {
  await using test = await silenced('Brindle', 'story.created');
  await test.pushed(HARBOUR, HARBOUR, HARBOUR);
  const first = await test.poll({ cursor: test.cursor });
  expect(shown(first)).toEqual([1]);
  await test.pushed(HARBOUR);
  expect(shown(await test.poll({ cursor: first.cursor }))).toEqual([]);
});

it('passes over a thousand matches of a story for one answer, and says that there may be more', async () => {
  await using test = await stage();
  const named = { name: 'story.created', maxEvents: 50 };
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) =>
      JSON.stringify({ data: { id: String(from + at), text: 'storm closes the harbour of Brindle tonight' } }),
    ).join('\n');
  const push = (from: number, count: number) =>
    test.app.http.inject({
      method: 'POST',
      url: '/events?platform=x',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/x-ndjson' },
      payload: lines(from, count),
    });
  const { cursor } = await test.poll(named);
  await push(1, 1_101);
  const first = await test.poll({ ...named, cursor, maxEvents: 1 });
  expect(posts(first)).toEqual(['1']);
  const passing = await test.poll({ ...named, cursor: first.cursor });
  expect([posts(passing), passing.hasMore, passing.nextPollMs]).toEqual([[], true, 0]);
  const rest = await test.poll({ ...named, cursor: passing.cursor });
  expect([posts(rest), rest.hasMore]).toEqual([[], false]);
});
