import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { until } from '../../../test/stages/receiver.ts';
import { openService } from '../../../test/stages/service.ts';
import type { Match } from '../../domain/match.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { authenticateSession } from '../access/sessions.ts';
import { MAX_WAITS } from '../limits.ts';
import { refuseEnded, type Wait, waitForMatches } from '../matches/wait-for-matches.ts';
import { createWakeChains } from '../outlets/wake-chains.ts';
import { matchesAfterOfRules, matchesOfRules } from './match-filter.ts';

const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  const { rule_id } = await test.call(alice, 'createRule', RULE);
  const { rule_id: rain } = await test.call(alice, 'createRule', { ...RULE, overrides: { x: 'rain' } });
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    await pushed;
  };
  const { context } = test.service;
  const wait = (change: Partial<Wait> = {}, who: Caller = alice, signal = new AbortController().signal) =>
    waitForMatches(context, who, { limit: 10, milliseconds: 0, ...change }, signal);
  const waiting = () => until(() => context.matchSignals.countOf(alice.account.id) > 0);
  const cursor = async () => (await wait()).cursor;
  return Object.assign(test, { clock, alice, rule_id, rain, push, wait, waiting, cursor, context });
}

const textsOf = (matches: readonly Match[]) => matches.map(({ payload }) => (payload['data'] as { text: string }).text);

describe('waiting for matches', () => {
  it('is refused beyond the limit of those that wait; a request that does not wait is answered', async () => {
    await using test = await stage();
    Object.assign(test.context.matchSignals, { countOf: () => MAX_WAITS });
    await expect(test.wait({ milliseconds: 1 })).rejects.toMatchObject({
      code: 'resource_exhausted',
      retryAfter: 5,
      details: { limit_code: 'waits', limit: MAX_WAITS },
    });
    expect((await test.wait({ milliseconds: 0 })).matches).toEqual([]);
    Object.assign(test.context.matchSignals, { countOf: () => MAX_WAITS - 1 });
    const waited = test.wait({ milliseconds: 1 });
    await test.clock.pass(1);
    expect((await waited).matches).toEqual([]);
  });

  it('answers at once with what came after the cursor, oldest first, in pages', async () => {
    await using test = await stage();
    await test.push('old storm');
    const start = await test.cursor();
    expect((await test.wait()).matches).toEqual([]);
    await test.push('storm one', 'storm two', 'storm three');
    const first = await test.wait({ cursor: start, limit: 2, milliseconds: 60_000 });
    expect(textsOf(first.matches)).toEqual(['storm one', 'storm two']);
    expect(first).not.toHaveProperty('digest');
    const rest = await test.wait({ cursor: first.cursor });
    expect(textsOf(rest.matches)).toEqual(['storm three']);
    const cut = first.cutAfter(first.matches[0]!.position);
    expect(textsOf((await test.wait({ cursor: cut.cursor })).matches)).toEqual(['storm two', 'storm three']);
  });

  it('reads what is held in pages, however few are asked for, and answers as many as were asked for', async () => {
    await using test = await stage();
    const start = await test.cursor();
    const later = new Date(test.clock.now().getTime() + 60_000).toISOString();
    await test.call(test.alice, 'createSilence', { until: later, reason: 'Calm.', text: 'calm' });
    await test.push(...Array.from({ length: 200 }, (_, at) => `storm calm ${at}`), 'storm a', 'storm b', 'storm c');
    const read = vi.spyOn(test.context.reader, 'after');
    const answers: [string[], number | undefined][] = [];
    for (let [cursor, count] = [start, 0]; count < 3; count++) {
      const one = await test.wait({ cursor, limit: 1, milliseconds: 60_000 });
      answers.push([textsOf(one.matches), one.digest?.match_count]);
      cursor = one.cursor;
    }
    expect(answers).toEqual([
      [['storm a'], 200],
      [['storm b'], 0],
      [['storm c'], 0],
    ]);
    expect(read.mock.calls.length).toBeLessThan(20);
  });

  it('answers when the first match arrives', async () => {
    await using test = await stage();
    const answer = test.wait({ milliseconds: 60_000 });
    await test.waiting();
    await test.push('a storm');
    expect(textsOf((await answer).matches)).toEqual(['a storm']);
    expect(test.clock.now().getTime()).toBeLessThan(Date.parse('2026-11-15T08:30:01Z'));
  });

  it('is of one rule, or of one platform, where that is asked for', async () => {
    await using test = await stage();
    const start = await test.cursor();
    await test.push('storm', 'rain');
    expect(textsOf((await test.wait({ cursor: start, ruleId: test.rain })).matches)).toEqual(['rain']);
    expect((await test.wait({ cursor: start, platform: 'firehose' })).matches).toEqual([]);
    await expect(test.wait({ ruleId: 'rule_unknown' })).rejects.toMatchObject({ code: 'not_found' });
    const grant = { scopes: ['read' as const], ruleIds: [test.rain], tokenDigest: 'x' };
    expect(textsOf((await test.wait({ cursor: start }, { ...test.alice, grant })).matches)).toEqual(['rain']);
  });

  it('ends with nothing when the time is over, or the caller goes', async () => {
    await using test = await stage();
    const answer = test.wait({ milliseconds: 5_000 });
    await test.waiting();
    let isDone = false;
    void (async () => {
      await answer;
      isDone = true;
    })();
    await test.clock.pass(4_999);
    expect(isDone).toBe(false);
    await test.clock.pass(1);
    expect((await answer).matches).toEqual([]);
    const leaving = new AbortController();
    const left = test.wait({ milliseconds: 5_000 }, test.alice, leaving.signal);
    await test.waiting();
    leaving.abort();
    expect((await left).matches).toEqual([]);
    expect(test.context.matchSignals.countOf(test.alice.account.id)).toBe(0);
  });

  it('gives a key that was revoked meanwhile nothing', async () => {
    await using test = await stage();
    const other = await test.caller('alice');
    const answer = test.wait({ milliseconds: 60_000 }, other);
    await test.waiting();
    await test.call(test.alice, 'revokeKey', { key_id: other.key.id });
    const refused = answer.catch((error: unknown) => error);
    await test.push('a storm');
    expect(await refused).toMatchObject({ code: 'unauthenticated' });
  });

  it('gives a session that was ended meanwhile nothing', async () => {
    await using test = await stage();
    const { token } = await test.context.sessions.open(test.alice);
    const answer = test.wait({ milliseconds: 60_000 }, await authenticateSession(test.context, token));
    await test.waiting();
    await test.context.sessions.end(token);
    const refused = answer.catch((error: unknown) => error);
    await test.push('a storm');
    expect(await refused).toMatchObject({ code: 'unauthenticated' });
  });

  it('goes on for a session that nothing else uses, for as long as it may live', async () => {
    await using test = await stage();
    const { token } = await test.context.sessions.open(test.alice);
    const caller = await authenticateSession(test.context, token);
    const hour = 3_600_000;
    test.clock.jump(11 * hour);
    await refuseEnded(test.context, caller);
    test.clock.jump(hour);
    await expect(refuseEnded(test.context, caller)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('refuses a cursor of another account, and one whose matches are gone', async () => {
    await using test = await stage();
    const bob = await test.caller('bob');
    const start = await test.cursor();
    await expect(test.wait({ cursor: start }, bob)).rejects.toMatchObject({ code: 'invalid_argument' });
    const position = test.context.cursors.read(test.alice.account.id, 'newer', 'cursor', start);
    let oldest = position + 1;
    Object.assign(test.context.store, { oldest: async () => oldest });
    expect((await test.wait({ cursor: start })).matches).toEqual([]);
    oldest++;
    await expect(test.wait({ cursor: start })).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { reason: 'cursor_expired' },
    });
  });

  it('with a contract answers with what wakes, and with a digest of what was held', async () => {
    await using test = await stage();
    const start = await test.cursor();
    const wake = { per: 'match', atMost: { count: 1, window: 'hour' } } as const;
    await test.push('storm one', 'storm two', 'storm three');
    const first = await test.wait({ cursor: start, wake, limit: 2 });
    expect([textsOf(first.matches), first.digest?.match_count]).toEqual([['storm one'], 1]);
    const second = await test.wait({ cursor: first.cursor, wake });
    expect([textsOf(second.matches), second.digest?.match_count]).toEqual([[], 1]);
  });

  it('goes on over full pages of held matches', async () => {
    await using test = await stage();
    const start = await test.cursor();
    const wake = { per: 'match', atMost: { count: 1, window: 'hour' } } as const;
    await test.push('storm one', 'storm two', 'storm three');
    const first = await test.wait({ cursor: start, wake, limit: 1 });
    const answer = test.wait({ cursor: first.cursor, wake, limit: 1, milliseconds: 1_000 });
    await test.clock.pass(1_000);
    expect((await answer).digest?.match_count).toBe(2);
  });

  it('reads half a megabyte at a time, says that there is more, and holds four for one answer', async () => {
    await using test = await stage();
    const start = await test.cursor();
    // A key may push long posts; most of what they have is not shown.
    const long = Array.from({ length: 60 }, (_, number) => `storm ${number} ${'a '.repeat(10_000)}`);
    await test.push(...long);
    const first = await test.wait({ cursor: start, limit: 50 });
    expect([first.matches.length, first.more]).toEqual([27, true]);
    const rest = await test.wait({ cursor: first.cursor, limit: 50 });
    expect([rest.matches.length, rest.more]).toEqual([27, true]);
    for (let push = 0; push < 4; push++) await test.push(...long.map((text) => `${push} ${text}`));
    const wake = { per: 'match', atMost: { count: 0, window: 'day' } } as const;
    const held = await test.wait({ cursor: start, limit: 50, milliseconds: 60_000, wake });
    expect([held.matches.length, held.digest?.match_count, held.more]).toEqual([0, 216, true]);
    const last = await test.wait({ cursor: held.cursor, limit: 50, wake });
    expect(last.digest?.match_count).toBe(27);
  });
});

describe('the chain of a contract', () => {
  const NOW = new Date('2026-11-15T08:30:00.000Z');
  const matchOf = (position: number, storyId?: string): Match =>
    ({
      id: `match_${position}`,
      position,
      ...(storyId !== undefined && { storyId }),
      createdAt: NOW,
      platform: 'x',
      ruleId: 'r',
      ruleName: 'Storms',
      payload: { data: { text: `text ${position}` } },
      highlights: [],
    }) as unknown as Match;
  const stories = { per: 'story' } as const;

  it('remembers the stories of the request before, by its cursor and contract', () => {
    const chains = createWakeChains();
    const first = chains.begin('acct_1', stories, undefined, () => NOW);
    expect(first.take([matchOf(1, 'a'), matchOf(2, 'a'), matchOf(3, 'b')]).map(({ id }) => id)).toEqual([
      'match_1',
      'match_3',
    ]);
    first.keep('early', 1);
    first.keep('late', 3);
    const wokenBy = (cursor: string | undefined, contract: Parameters<typeof chains.begin>[1] = stories) =>
      chains.begin('acct_1', contract, cursor, () => NOW).take([matchOf(4, 'a'), matchOf(5, 'b')]).length;
    expect([wokenBy('late'), wokenBy('early'), wokenBy(undefined), wokenBy('unknown')]).toEqual([0, 1, 2, 2]);
    expect(wokenBy('late', { per: 'match' })).toBe(2);
  });

  it('has a digest of what was held up to a position', () => {
    const tally = createWakeChains().begin('acct_1', stories, undefined, () => NOW);
    tally.take([matchOf(1, 'a'), matchOf(2, 'a'), matchOf(3, 'a')]);
    expect([tally.digestTo(1).match_count, tally.digestTo(2).match_count, tally.digestTo(9).match_count]).toEqual([
      0, 1, 2,
    ]);
  });

  it('is full with a thousand held matches', () => {
    const tally = createWakeChains().begin('acct_1', stories, undefined, () => NOW);
    tally.take(Array.from({ length: 1_000 }, (_, at) => matchOf(at, 'a')));
    expect(tally.isFull).toBe(false);
    tally.take([matchOf(1_000, 'a')]);
    expect(tally.isFull).toBe(true);
  });

  it('forgets the story that was seen longest ago when there are more than two hundred', () => {
    const chains = createWakeChains();
    const first = chains.begin('acct_1', stories, undefined, () => NOW);
    first.take(Array.from({ length: 200 }, (_, at) => matchOf(at, `s${at}`)));
    first.take([matchOf(200, 's0'), matchOf(201, 'new')]);
    first.keep('next', 201);
    const next = chains.begin('acct_1', stories, 'next', () => NOW);
    expect(next.take([matchOf(202, 's0'), matchOf(203, 's2'), matchOf(204, 's1')]).map(({ id }) => id)).toEqual([
      'match_204',
    ]);
  });
});

describe('the matches of several rules', () => {
  type Position = { readonly position: number };
  const positionsOf = (matches: readonly Position[]) => matches.map(({ position }) => position);
  const at = (...positions: number[]) => positions.map((position) => ({ position }));

  function storeOf(pages: Record<string, object>, latest = 100) {
    const asked: Record<string, unknown>[] = [];
    const read = async (query: Record<string, unknown>) => {
      asked.push(query);
      return { walked: { rows: 2, bytes: 30 }, more: false, ...pages[query['ruleId'] as string] };
    };
    const store = { latest: async () => latest, matches: read, matchesAfter: read } as unknown as Store;
    return { store, asked };
  }

  it('are merged, newest first, down to where one of the rules was read', async () => {
    const { store, asked } = storeOf({
      a: { matches: at(90, 70, 50), next: 50 },
      b: { matches: at(80, 60, 10), next: undefined },
    });
    const page = await matchesOfRules(store, { accountId: 'x', limit: 10 }, ['a', 'b']);
    expect(positionsOf(page.matches)).toEqual([90, 80, 70, 60, 50]);
    expect([page.next, page.latest, page.walked]).toEqual([50, 100, { rows: 4, bytes: 60 }]);
    expect(asked).toMatchObject([
      { ruleId: 'a', before: 101 },
      { ruleId: 'b', before: 101 },
    ]);
  });

  it('end with the limit, and say where to go on', async () => {
    const { store, asked } = storeOf({
      a: { matches: at(90, 70), next: undefined },
      b: { matches: at(80), next: undefined },
    });
    const cut = await matchesOfRules(store, { accountId: 'x', limit: 2, before: 95, bytes: 101 }, ['a', 'b']);
    expect([positionsOf(cut.matches), cut.next]).toEqual([[90, 80], 80]);
    expect(asked[0]).toMatchObject({ before: 95, bytes: 51 });
    const whole = await matchesOfRules(store, { accountId: 'x', limit: 3, walk: { rows: 5, bytes: 7 } }, ['a', 'b']);
    expect([whole.matches.length, whole.next]).toEqual([3, undefined]);
    expect(asked.at(-1)).toMatchObject({ walk: { rows: 3, bytes: 4 } });
  });

  it('after a position are merged, oldest first, up to where one of the rules was read', async () => {
    const { store } = storeOf({
      a: { matches: at(10, 30), last: 30, more: true },
      b: { matches: at(20, 40), last: 100 },
    });
    const page = await matchesAfterOfRules(store, { accountId: 'x', after: 5, limit: 10 }, ['a', 'b']);
    expect([positionsOf(page.matches), page.last, page.more]).toEqual([[10, 20, 30], 30, true]);
    const cut = await matchesAfterOfRules(store, { accountId: 'x', after: 5, limit: 2 }, ['a', 'b']);
    expect([positionsOf(cut.matches), cut.last, cut.more]).toEqual([[10, 20], 20, true]);
  });

  it('after a position share the rows that are walked over to find a source', async () => {
    const { store, asked } = storeOf({ a: { matches: [], last: 100 }, b: { matches: [], last: 100 } });
    await matchesAfterOfRules(store, { accountId: 'x', after: 5, limit: 10, source: 'wire' }, ['a', 'b']);
    expect(asked).toMatchObject([{ walk: { rows: 2_500 } }, { walk: { rows: 2_500 } }]);
    await matchesAfterOfRules(store, { accountId: 'x', after: 5, limit: 10 }, ['a']);
    expect(asked.at(-1)).not.toHaveProperty('walk');
  });

  it('after a position reach no further than the newest match was when they were asked for', async () => {
    const { store } = storeOf({ a: { matches: at(10, 150), last: 150 } });
    const page = await matchesAfterOfRules(store, { accountId: 'x', after: 5, limit: 10 }, ['a']);
    expect([positionsOf(page.matches), page.last, page.more]).toEqual([[10], 100, false]);
    const beyond = storeOf({ a: { matches: [], last: 200 } });
    expect((await matchesAfterOfRules(beyond.store, { accountId: 'x', after: 120, limit: 1 }, ['a'])).last).toBe(120);
  });
});
