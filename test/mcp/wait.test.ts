/** Waiting: nobody is lost between a look and a wait, nobody hears what is not theirs, and everything ends in time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Match } from '../../src/domain/match.ts';
import { authenticate } from '../../src/service/access/keys.ts';
import { waitForMatches } from '../../src/service/matches/wait-for-matches.ts';
import { type Started, startServer } from '../black-box/server.ts';
import { openService, type TestService } from '../stages/service.ts';
import { answered, overHttp } from './clients.ts';

const never = new AbortController().signal;
const LONG = 600_000;

const watchOn = async (service: TestService, account: string, value: string) => {
  const caller = await service.caller(account, { xRules: 1_000 });
  const { rule_id } = await service.call(caller, 'createRule', {
    name: value,
    intent: '',
    platforms: ['x'],
    overrides: { x: value },
  });
  return { caller, ruleId: rule_id };
};

describe('waitForMatches', () => {
  it('loses none of 500 waiters, whenever their match comes', async () => {
    await using service = await openService();
    const { context } = service.service;
    const { caller, ruleId } = await watchOn(service, 'alice', 'storm');
    const { latest_cursor } = await service.call(caller, 'listMatches', {});
    // Half of them begin before the match is stored, half while it is being stored or after.
    const begin = () =>
      waitForMatches(context, caller, { ruleId, cursor: latest_cursor, limit: 5, milliseconds: LONG }, never);
    const waiting = Array.from({ length: 250 }, begin);
    const posting = service.post(caller, 'a storm');
    for (let at = 0; at < 250; at++) {
      waiting.push(begin());
      if (at % 10 === 0) await new Promise(setImmediate);
    }
    await posting;
    const all = await Promise.all(waiting);
    expect(all.map(({ matches }) => matches.length)).toEqual(all.map(() => 1));
    expect(context.matchSignals.watching).toBe(0);
  });

  it('gives every reader every match once, in order, while they keep coming', async () => {
    await using service = await openService();
    const { context } = service.service;
    const { caller, ruleId } = await watchOn(service, 'alice', 'storm');
    const { latest_cursor } = await service.call(caller, 'listMatches', {});
    const TOTAL = 60;
    const read = async (limit: number): Promise<readonly Match[]> => {
      const seen: Match[] = [];
      for (let cursor = latest_cursor; seen.length < TOTAL; ) {
        const waited = await waitForMatches(context, caller, { ruleId, cursor, limit, milliseconds: LONG }, never);
        seen.push(...waited.matches);
        cursor = waited.cursor;
      }
      return seen;
    };
    const readers = Array.from({ length: 20 }, (_, index) => read(1 + (index % 7)));
    for (let at = 0; at < TOTAL; at++) await service.post(caller, `storm ${at}`);
    const expected = (await Promise.all(readers)).map((seen) => seen.map(({ position }) => position));
    for (const positions of expected) {
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      expect(new Set(positions).size).toBe(TOTAL);
    }
  });

  it('tells nothing to a key that expires while it waits', async () => {
    const time = { now: Date.parse('2026-11-15T08:00:00Z') };
    const clock = { ...systemClock, now: () => new Date(time.now) };
    await using service = await openService({ clock });
    const { context } = service.service;
    const { caller, ruleId } = await watchOn(service, 'alice', 'storm');
    const { key: secret } = await service.call(caller, 'createKey', {
      name: 'short',
      expires_at: '2026-11-15T09:00:00Z',
    });
    const short = await authenticate(context, secret);
    const wait = waitForMatches(context, short, { ruleId, limit: 5, milliseconds: LONG }, never);
    wait.catch(() => {});
    while (context.matchSignals.watching === 0) await new Promise(setImmediate);
    time.now += 3_600_000;
    await service.post(caller, 'a storm');
    await expect(wait).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('sleeps on when another rule or account matches', async () => {
    await using service = await openService();
    const { context } = service.service;
    const alice = await watchOn(service, 'alice', 'storm');
    const bob = await watchOn(service, 'bob', 'storm');
    const { latest_cursor: cursor } = await service.call(alice.caller, 'listMatches', {});
    const wait = waitForMatches(context, alice.caller, { cursor, limit: 5, milliseconds: LONG }, never);
    await service.post(bob.caller, 'a storm for bob');
    await service.post(alice.caller, 'a storm for alice');
    const { matches } = await wait;
    expect(matches.map(({ ruleId }) => ruleId)).toEqual([alice.ruleId]);
  });

  it('hears of what another process has stored', async () => {
    await using service = await openService();
    const { context } = service.service;
    const { caller, ruleId } = await watchOn(service, 'alice', 'storm');
    const { latest_cursor: cursor } = await service.call(caller, 'listMatches', {});
    const wait = waitForMatches(context, caller, { ruleId, cursor, limit: 5, milliseconds: LONG }, never);
    const event = {
      platform: 'x',
      postId: '1',
      payload: { data: { id: '1', text: 'storm' } },
      accountId: undefined,
    } as const;
    const matches = [{ ruleId, version: 1, highlights: [] }];
    await service.store.commit({ platform: 'x', at: new Date(), events: [{ event, matches }] });
    expect((await wait).matches).toHaveLength(1);
  });

  it('ends empty when it is told to, with a cursor to go on from', async () => {
    await using service = await openService();
    const { caller } = await watchOn(service, 'alice', 'storm');
    const stop = new AbortController();
    const wait = waitForMatches(service.service.context, caller, { limit: 5, milliseconds: LONG }, stop.signal);
    stop.abort();
    const { matches, cursor } = await wait;
    expect(matches).toEqual([]);
    await service.post(caller, 'a storm');
    const after = await waitForMatches(
      service.service.context,
      caller,
      { cursor, limit: 5, milliseconds: LONG },
      never,
    );
    expect(after.matches).toHaveLength(1);
  });

  it('tells nothing to a key that was revoked meanwhile', async () => {
    await using service = await openService();
    const { caller } = await watchOn(service, 'alice', 'storm');
    const other = await service.caller('alice');
    const { latest_cursor: cursor } = await service.call(caller, 'listMatches', {});
    const wait = waitForMatches(service.service.context, caller, { cursor, limit: 5, milliseconds: LONG }, never);
    const refused = wait.catch((error: unknown) => error);
    await service.store.revokeKey(caller.account.id, caller.key.id);
    await service.post(other, 'a storm');
    expect(await refused).toMatchObject({ code: 'unauthenticated' });
  });

  it('refuses cursors of others, of other uses, and unknown rules', async () => {
    await using service = await openService();
    const { context } = service.service;
    const alice = await watchOn(service, 'alice', 'storm');
    const bob = await watchOn(service, 'bob', 'storm');
    const { latest_cursor } = await service.call(alice.caller, 'listMatches', {});
    const wait = (input: object) =>
      waitForMatches(context, bob.caller, { limit: 5, milliseconds: 0, ...input }, never).catch(
        (error: { code: string }) => error.code,
      );
    expect(await wait({ cursor: latest_cursor })).toBe('invalid_argument');
    expect(await wait({ cursor: 'made up' })).toBe('invalid_argument');
    expect(await wait({ ruleId: alice.ruleId })).toBe('not_found');
  });
});

describe('over the wire', () => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('wakes every one of 100 agents that wait at the same time', async () => {
    await using agent = await overHttp(server.url);
    const rule = { name: 'w', intent: '', platforms: ['x'], overrides: { x: 'avalanche' } };
    const { rule_id } = answered<{ rule_id: string }>(await agent.call('create_rule', rule));
    const waiting = Array.from({ length: 100 }, () => agent.call('wait_for_matches', { rule_id, max_tokens: 300 }));
    // A wait without a cursor begins now: the match must come after all of them have begun.
    await agent.call('status');
    let posted = 0;
    const ended = Promise.all(waiting).then((all) => all.map((one) => answered(one)['matches']));
    const isDone = ended.then(() => true);
    const soon = () => server.push('x', [{ data: { id: `77${++posted}`, text: 'An avalanche!' } }]).then(() => false);
    while (!(await Promise.race([isDone, soon()])));
    for (const matches of await ended) expect((matches as unknown[]).length).toBeGreaterThan(0);
  });

  it('stops in order while somebody waits', async () => {
    await using own = await startServer();
    await using agent = await overHttp(own.url, '2025-11-25');
    const wait = agent.call('wait_for_matches', { wait_seconds: 50 });
    await agent.call('status');
    expect(await own.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(answered(await wait)['matches']).toEqual([]);
  });
});
