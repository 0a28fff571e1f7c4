import { describe, expect, it } from 'vitest';
import { verifyLogged } from '../../../packages/client/src/index.ts';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { Clock } from '../../base/clock.ts';
import type { Match } from '../../domain/match.ts';
import { StoreError } from '../../store/error.ts';
import { positionAt } from '../../store/order.ts';
import { openSqlite } from '../../store/sqlite.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = Date.parse('2026-11-15T08:30:00.000Z');
const at = (minutes: number) => new Date(START + minutes * MINUTE);

/** A rule that is a minute younger than the source that feeds it, and half an hour that was read. */
async function stage(clockOfStore = (clock: Clock): Clock => clock) {
  const clock = fakeClock();
  const store = await openSqlite(':memory:', { clock: clockOfStore(clock) });
  const test = await openService({ clock, store });
  const alice = await test.caller('alice');
  const { feeds } = test.service.context;
  const report = async (through: Date | undefined, more: object = {}) => {
    const source = { platform: 'x', kind: 'source', name: 'bluesky', state: 'live' } as const;
    feeds.report({ ...source, reason: undefined, through, ...more });
    await feeds.flush();
  };
  await report(clock.now());
  clock.jump(MINUTE);
  const rule = { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } };
  const { rule_id } = await test.call(alice, 'createRule', rule);
  clock.jump(30 * MINUTE);
  await report(clock.now());
  const certify = (from: number, to: number) =>
    test.call(alice, 'certify', { rule_id, from: at(from).toISOString(), to: at(to).toISOString() });
  const entriesOf = async (from: number, to: number) => {
    const { certificate } = await certify(from, to);
    const lines = certificate.split('\n').filter((line) => /^[0-9a-f]{64} \{/.test(line));
    return lines.map((line) => JSON.parse(line.slice(65)) as Record<string, unknown>);
  };
  /** Matches as the store would page them, newest first. */
  const withMatches = (...pages: Partial<Match>[][]) => {
    let asked = 0;
    Object.assign(test.store, {
      matches: async ({ before }: { before?: number }) => {
        asked++;
        const page = before ?? 0;
        const next = page + 1 < pages.length ? page + 1 : undefined;
        return { matches: pages[page], next, walked: { rows: 0, bytes: 0 } };
      },
    });
    return () => asked;
  };
  const allCovered = () =>
    Object.assign(test.service.context.coverage, {
      of: async () => ({ complete: true, from: at(0), through: at(31), reasons: [], platforms: {} }),
    });
  return Object.assign(test, { allCovered, clock, alice, rule_id, report, certify, entriesOf, withMatches });
}

const matchOf = (id: string, minutes: number, payload: Match['payload'] = {}): Partial<Match> => ({
  id,
  platform: 'x',
  platformPostId: `post ${id}`,
  ruleVersion: 1,
  createdAt: at(minutes),
  payload,
});

const refused = (message: RegExp) => ({ code: 'failed_precondition', message: expect.stringMatching(message) });

describe('a certificate', () => {
  it('has the claim, the sources, the recovered gaps, the matches in their order, and a count of all', async () => {
    await using test = await stage();
    const gap = { platform: 'x', source: 'bluesky', cause: 'source_down:bluesky', recovered: true } as const;
    await test.store.noteGaps([{ ...gap, from: at(5), to: at(6) }]);
    test.withMatches([matchOf('b', 12)], [matchOf('a', 10)]);
    expect(await test.entriesOf(2, 20)).toEqual([
      {
        kind: 'claim',
        rule_id: test.rule_id,
        rule_version: 1,
        queries: { x: 'lava' },
        from: at(2).toISOString(),
        to: at(20).toISOString(),
        issued_at: at(31).toISOString(),
        erased: 0,
      },
      {
        kind: 'source',
        platform: 'x',
        name: 'bluesky',
        reads_since: at(0).toISOString(),
        complete_through: at(31).toISOString(),
        events: 0,
        first_cursor: null,
        last_cursor: null,
      },
      {
        kind: 'gap',
        platform: 'x',
        source: 'bluesky',
        from: at(5).toISOString(),
        to: at(6).toISOString(),
        cause: 'source_down:bluesky',
        recovered: true,
      },
      {
        kind: 'match',
        platform: 'x',
        match_id: 'a',
        post_id: 'post a',
        rule_version: 1,
        stored_at: at(10).toISOString(),
      },
      {
        kind: 'match',
        platform: 'x',
        match_id: 'b',
        post_id: 'post b',
        rule_version: 1,
        stored_at: at(12).toISOString(),
      },
      { kind: 'end', sources: 1, gaps: 1, matches: 2 },
    ]);
  });

  it('says which sources the rule is limited to, and lists those of the operator among them alone', async () => {
    await using test = await stage();
    test.allCovered();
    const [feed] = (await test.store.feeds('x')).filter(({ kind }) => kind === 'source');
    Object.assign(test.store, { feeds: async () => [feed!, { ...feed!, name: 'hn' }] });
    const rule = (await test.store.rule(test.alice.account.id, test.rule_id))!;
    const limitTo = (...sources: string[]) =>
      Object.assign(test.store, {
        rule: async () => ({ ...rule, platforms: { x: { ...rule.platforms.x!, flags: { sources } } } }),
      });
    expect((await test.entriesOf(2, 20))[0]).not.toHaveProperty('options');
    limitTo('hn', 'source_1');
    const [claim, source, end] = await test.entriesOf(2, 20);
    expect([claim!['options'], source!['name'], end]).toEqual([
      { x: { sources: ['hn', 'source_1'] } },
      'hn',
      { kind: 'end', sources: 1, gaps: 0, matches: 0 },
    ]);
    limitTo('source_1');
    await expect(test.certify(2, 20)).rejects.toMatchObject(refused(/No source of the operator feeds the rule on x/));
  });

  it('shows the address in a cursor of the operator as lists do, without what may be a secret', async () => {
    await using test = await stage();
    const cursor = 'https://ada:pw@feeds.example/all?token=abc 12';
    Object.assign(test.store, { readings: async () => ({ events: 1, firstCursor: cursor, lastCursor: cursor }) });
    const shown = 'https://feeds.example/all?*** 12';
    expect((await test.entriesOf(2, 20))[1]).toMatchObject({ first_cursor: shown, last_cursor: shown });
  });

  it('has what came late when it was published in the span, or might have been', async () => {
    await using test = await stage();
    const post = (minutes: number) => ({ data: { created_at: at(minutes).toISOString() } });
    const page = (minutes: number) => ({ publish_time: at(minutes).toISOString().slice(0, -1) });
    test.withMatches([
      matchOf('late page', 25, page(21)),
      matchOf('page', 25, page(20)),
      matchOf('late post', 25, post(21)),
      matchOf('post', 25, post(20)),
      matchOf('no time', 25, { data: {} }),
      matchOf('no data', 25, {}),
      matchOf('at the end', 20, post(99)),
    ]);
    const entries = await test.entriesOf(2, 20);
    const ids = entries.filter(({ kind }) => kind === 'match').map(({ match_id }) => match_id);
    expect(ids).toEqual(['at the end', 'no data', 'no time', 'post', 'page']);
  });

  it('is in the log before it is given out, once', async () => {
    await using test = await stage();
    const first = await test.certify(2, 20);
    expect(await verifyLogged(first.certificate, first.log)).toMatchObject({ matches: 0 });
    expect(first.log).toMatchObject({ index: 0, head: { size: 1, at: test.clock.now().toISOString() } });
    // In the same millisecond it is the same certificate.
    expect(await test.certify(2, 20)).toEqual(first);
    test.clock.jump(1);
    expect((await test.certify(2, 20)).log).toMatchObject({ index: 1, head: { size: 2 } });
    const away = new StoreError('away', 'The store is away.');
    Object.assign(test.store, { logCertificate: () => Promise.reject(away) });
    await expect(test.certify(2, 20)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('says how many matches it has, and with which key it is signed', async () => {
    await using test = await stage();
    test.withMatches([matchOf('a', 10)]);
    const answer = await test.certify(2, 20);
    expect([answer.matches, answer.public_key]).toEqual([1, test.service.context.signer.publicKey]);
  });
});

describe('a certificate is refused', () => {
  it('for a span that ends before it begins, is too long, or is not over', async () => {
    await using test = await stage();
    const issues = [{ path: 'to' }];
    await expect(test.certify(2, 2)).rejects.toMatchObject({ details: { issues } });
    await expect(test.certify(2, 2 + (31 * DAY) / MINUTE + 1)).rejects.toMatchObject({ details: { issues } });
    await expect(test.certify(2, 2 + (31 * DAY) / MINUTE)).rejects.toMatchObject(refused(/in the future/));
    await expect(test.certify(2, 31.001)).rejects.toMatchObject(refused(/in the future/));
    expect((await test.certify(2, 31)).matches).toBe(0);
  });

  it('from before the rule was there, or was changed', async () => {
    await using test = await stage();
    await expect(test.certify(0.999, 20)).rejects.toMatchObject(refused(/exists since 2026-11-15T08:31:00\.000Z/));
    await test.call(test.alice, 'updateRule', { rule_id: test.rule_id, overrides: { x: 'lava OR ash' } });
    test.clock.jump(10 * MINUTE);
    await test.report(test.clock.now());
    await expect(test.certify(2, 20)).rejects.toMatchObject(refused(/was changed at 2026-11-15T09:01:00\.000Z/));
    expect((await test.certify(32, 40)).matches).toBe(0);
  });

  it('where matches of the span are past retention, or were when it was shorter', async () => {
    await using test = await stage();
    test.clock.jump(30 * DAY - 29 * MINUTE);
    await test.report(test.clock.now());
    expect((await test.certify(2, 20)).matches).toBe(0);
    test.clock.jump(1);
    await expect(test.certify(2, 20)).rejects.toMatchObject(
      refused(/up to 2026-11-15T08:32:00\.001Z are past retention/),
    );
    expect((await test.certify(3, 20)).matches).toBe(0);
    const removed = positionAt(at(10).getTime());
    Object.assign(test.store, { oldest: async () => removed + 1 });
    await expect(test.certify(10, 20)).rejects.toMatchObject(
      refused(/up to 2026-11-15T08:40:00\.000Z are past retention/),
    );
    expect((await test.certify(10.001, 20)).matches).toBe(0);
  });

  it('while matches of the account are being erased, and says afterwards how many went', async () => {
    let isStopped = false;
    const stopping = (clock: Clock): Clock => ({
      ...clock,
      now() {
        if (isStopped) throw new Error('the process has ended');
        return clock.now();
      },
    });
    await using test = await stage(stopping);
    const { store, clock, alice, rule_id } = test;
    const events = [
      { id: '1', text: 'lava on the road' },
      { id: '2', text: 'lava in the harbour' },
      { id: '9', text: 'RT lava', referenced_tweets: [{ type: 'retweeted', id: '1' }] },
    ].map((data) => ({
      event: { platform: 'x' as const, postId: data.id, accountId: undefined, payload: { data } },
      matches: [{ ruleId: rule_id, version: 1, highlights: [] }],
    }));
    await store.commit({ platform: 'x', at: at(10), events });
    expect((await test.certify(2, 20)).matches).toBe(3);
    // The post is gone, and its repost is to go.
    const note = { id: 'ers_1', by: { kind: 'system' }, accountId: alice.account.id } as const;
    const erasing = store.deleteMatches(alice.account.id, 'x', '1', note);
    isStopped = true;
    await expect(erasing).rejects.toThrow('has ended');
    isStopped = false;
    const left = await store.matches({ accountId: alice.account.id, ruleId: rule_id, limit: 9 });
    expect(left.matches.map(({ platformPostId }) => platformPostId)).toEqual(['9', '2']);
    await expect(test.certify(2, 20)).rejects.toMatchObject({
      ...refused(/are being erased/),
      details: { reason: 'erasure_under_way' },
    });
    clock.jump(MINUTE + 1);
    while ((await store.removeSlice(clock.now())).more);
    await test.report(clock.now());
    const [claim, , match, end] = await test.entriesOf(2, 20);
    expect([claim!['erased'], match!['post_id'], end!['matches']]).toEqual([2, '2', 1]);
  });

  it('for a rule of another account', async () => {
    await using test = await stage();
    const input = { rule_id: test.rule_id, from: at(2).toISOString(), to: at(20).toISOString() };
    await expect(test.call(await test.caller('bob'), 'certify', input)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('where a gap was not recovered, or no one can tell, and says which', async () => {
    await using test = await stage();
    const gap = { platform: 'x', source: 'bluesky', from: at(5), to: at(6), recovered: false } as const;
    await test.store.noteGaps([{ ...gap, cause: 'source_down:bluesky' }]);
    await expect(test.certify(2, 20)).rejects.toMatchObject({
      ...refused(/not complete/),
      details: {
        reasons: expect.arrayContaining(['gap']),
        gaps: [{ cause: 'source_down:bluesky', recovered: false }],
      },
    });
    expect((await test.certify(7, 20)).matches).toBe(0);
    await test.store.noteGaps([{ ...gap, cause: 'source_down:bluesky', recovered: true }]);
    await test.store.noteGaps([{ ...gap, cause: 'source_unwitnessed:bluesky', recovered: true }]);
    await expect(test.certify(2, 20)).rejects.toMatchObject({ details: { gaps: [{ recovered: true }] } });
  });

  it('where the span has a hundred gaps', async () => {
    await using test = await stage();
    const gap = { platform: 'x', source: 'bluesky', cause: 'source_down:bluesky', recovered: true } as const;
    test.allCovered();
    let count = 99;
    Object.assign(test.store, {
      gaps: async () => Array.from({ length: count }, () => ({ ...gap, from: at(5), to: at(6) })),
    });
    expect((await test.entriesOf(2, 20)).at(-1)).toMatchObject({ gaps: 99 });
    count = 100;
    await expect(test.certify(2, 20)).rejects.toMatchObject(refused(/a hundred gaps/));
  });

  it('where coverage ends before the span', async () => {
    await using test = await stage();
    test.clock.jump(MINUTE);
    await expect(test.certify(2, 31.5)).rejects.toMatchObject({
      ...refused(/not complete/),
      details: { complete_through: at(31).toISOString() },
    });
  });

  it('where a source was read for a part of the span alone', async () => {
    await using test = await stage();
    const feeds = await test.store.feeds('x');
    const later = { ...feeds.find(({ kind }) => kind === 'source')!, name: 'late', since: at(10) };
    Object.assign(test.store, { feeds: async () => [...feeds, later] });
    test.allCovered();
    await expect(test.certify(2, 20)).rejects.toMatchObject({
      ...refused(/source late was not read/),
      details: { source: 'late', reads_since: at(10).toISOString(), complete_through: at(31).toISOString() },
    });
    expect((await test.entriesOf(10, 20)).at(-1)).toMatchObject({ sources: 2 });
  });

  it('where only pushes feed the platform', async () => {
    await using test = await stage();
    Object.assign(test.store, { feeds: async () => [] });
    Object.assign(test.service.context, { feeds: { ...test.service.context.feeds, own: () => [] } });
    test.allCovered();
    await expect(test.certify(2, 20)).rejects.toMatchObject(refused(/No source of the operator feeds the rule on x/));
  });

  it('where more than 2,000 matches are in the span, or 10,000 came since', async () => {
    await using test = await stage();
    const page = (length: number, minutes: number) => Array.from({ length }, () => matchOf('m', minutes));
    test.withMatches(page(2_000, 10));
    expect((await test.certify(2, 20)).matches).toBe(2_000);
    test.withMatches(page(2_001, 10));
    await expect(test.certify(2, 20)).rejects.toMatchObject(refused(/over 2000 matches/));
    const late = [matchOf('m', 25, { data: { created_at: at(25).toISOString() } })];
    const asked = test.withMatches(...Array.from({ length: 20 }, () => late));
    expect([(await test.certify(2, 20)).matches, asked()]).toEqual([0, 20]);
    test.withMatches(...Array.from({ length: 21 }, () => late));
    await expect(test.certify(2, 20)).rejects.toMatchObject(refused(/Over 10000 matches came since/));
  });
});
