/** Many commits leave work for one transaction: readers see the same before it and after it. */
import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { at, collect, DAY, eventOf, range, removeAll, ruleOf } from '../../../test/conformance/store/stage.ts';
import { eventKey, matchKey, positionAt } from '../order.ts';
import { storeOnConnection } from '../sqlite.ts';
import { SQLITE_STEPS } from '../steps.ts';
import type { Store } from '../store.ts';
import { connect, IN_MEMORY } from './connection.ts';
import { writingDb } from './db.ts';
import { connectInMemory, migrate } from './migrate.ts';
import { settle as settleIn } from './settle.ts';
import { sqlOf } from './sql.ts';

const ACCOUNT = { id: 'acct_one', name: 'one', plan: 'paid', xRules: 25, createdAt: at(0) } as const;
const rules = ['rule_a', 'rule_b', 'rule_c'].map((id) =>
  ruleOf(ACCOUNT, { id, platforms: { x: { value: 'storm', flags: {} }, firehose: { value: 'storm', flags: {} } } }),
);
const [a, b, c] = rules as [(typeof rules)[0], (typeof rules)[0], (typeof rules)[0]];

/** A store, its tables, and `settle` by hand. */
async function open(settleAfter?: number) {
  const opened = openOn(connectInMemory(), settleAfter);
  await opened.store.addAccount(ACCOUNT);
  for (const rule of rules) await opened.store.addRule(rule, {});
  return opened;
}

function openOn(db: DatabaseSync, settleAfter?: number) {
  const sql = sqlOf(db);
  const store = storeOnConnection(db, { recent: { events: 10, bytes: 1e6 }, ...(settleAfter && { settleAfter }) });
  return { store, sql, settle: () => writingDb(sql).transaction(settleIn) };
}

const WORDS = ['flood closes the old bridge tonight', 'harvest of apples begins early', 'new record for the long jump'];

/** Ten commits, of which some tell again what others told, on two platforms and from two sources. */
async function fill(store: Store, between: () => Promise<unknown>): Promise<void> {
  for (const commit of range(10)) {
    const platform = commit % 3 === 2 ? 'firehose' : 'x';
    const events = range(4).map((index) =>
      eventOf(`post ${commit} ${index}`, [a, b, c].slice(0, 1 + (index % 3)), {
        platform,
        text: `${WORDS[(commit + index) % 3]} ${commit}`,
        ...(index === 1 && { source: 'feed one' }),
      }),
    );
    await store.commit({ platform, at: at(commit * 20_000), events });
    await between();
  }
}

const whole = <T extends { readonly payload: unknown }>(match: T) => ({ ...match, payload: match.payload });

/** Reads everything that callers can read of matches, counts and stories. */
async function seen(store: Store, sql: ReturnType<typeof sqlOf>) {
  const accountId = ACCOUNT.id;
  const span = { from: at(-60_000), to: at(DAY), seconds: 60 };
  const { matches } = await store.matches({ accountId, limit: 1_000 });
  const about = [{}, ...rules.map(({ id }) => ({ ruleId: id }))].flatMap((of) => [
    of,
    { ...of, platform: 'x' as const },
  ]);
  const told = async (of: (typeof about)[0]) => {
    const pages = [];
    for (let before: number | undefined; ; ) {
      const page = await store.stories({ accountId, limit: 2, ...(before && { before }), ...of });
      pages.push(page.stories.map((story) => ({ ...story, first: whole(story.first) })));
      if (page.next === undefined) return pages;
      before = page.next;
    }
  };
  return {
    matches: matches.map(whole),
    lists: await Promise.all(
      about.map((of) => store.matches({ accountId, limit: 7, ...of }).then((page) => page.matches.map(whole))),
    ),
    after: await Promise.all(
      about.map((of) =>
        store.matchesAfter({ accountId, after: 0, limit: 1_000, ...of }).then((page) => page.matches.map(whole)),
      ),
    ),
    counts: await Promise.all(about.map((of) => store.matchCounts({ accountId, ...span, ...of }))),
    stories: await Promise.all(about.map(told)),
    ofStory: await Promise.all(
      [...new Set(matches.map(({ storyId }) => storyId!))].map((storyId) =>
        store.matches({ accountId, limit: 100, storyId }).then((page) => page.matches.map(({ id }) => id)),
      ),
    ),
    beginnings: await store.storyBeginnings(matches.map(({ position }) => position)),
    rules: await collect(store.rules(accountId)),
    rule: await store.rule(accountId, a.id),
    view: sql.rows('SELECT * FROM sql_matches ORDER BY id'),
  };
}

it('is done by the second look of the house at which nothing has come since the one before', async () => {
  const { store, sql } = await open();
  const waiting = () => sql.row<{ value: number }>(`SELECT value FROM state WHERE name = 'unsettled'`)!.value;
  const commit = (id: string) => store.commit({ platform: 'x', at: at(Number(id)), events: [eventOf(id, [a])] });
  const left: number[] = [];
  for (const id of ['1', '2', undefined, undefined, '3']) {
    if (id !== undefined) await commit(id);
    await store.removeSlice(at(0));
    left.push(waiting());
  }
  expect(left).toEqual([1, 2, 0, 0, 1]);
  expect((await store.rule(ACCOUNT.id, a.id))?.platforms.x?.matchCount).toBe(3);
});

describe('what commits leave to be settled', () => {
  it('is read as if it were settled, and settling changes no answer', async () => {
    const late = await open();
    const early = await open();
    await fill(late.store, async () => {});
    await fill(early.store, early.settle);
    const expected = await seen(early.store, early.sql);
    expect(expected.matches.length).toBe(70);
    expect(expected.stories[0]!.flat().length).toBeLessThan(40);
    expect(late.sql.rows('SELECT * FROM rule_matches')).toEqual([]);
    expect(await seen(late.store, late.sql)).toEqual(expected);
    await late.settle();
    expect(late.sql.rows('SELECT * FROM rule_matches')).toHaveLength(70);
    expect(await seen(late.store, late.sql)).toEqual(expected);
    await late.settle();
    expect(await seen(late.store, late.sql)).toEqual(expected);
  });

  it('is read together with what was settled before', async () => {
    const mixed = await open(22);
    const early = await open();
    await fill(mixed.store, async () => {});
    await fill(early.store, early.settle);
    expect(mixed.sql.row(`SELECT value FROM state WHERE name = 'unsettled'`)).toEqual({ value: 14 });
    expect(await seen(mixed.store, mixed.sql)).toEqual(await seen(early.store, early.sql));
  });

  it.each([
    ['a post is erased', (store: Store) => store.deleteMatches(ACCOUNT.id, 'x', 'post 3 1')],
    ['a rule is deleted', (store: Store) => store.deleteRule(ACCOUNT.id, a.id)],
    ['matches are past retention', (store: Store) => removeAll(store, at(30 * DAY + 90_000))],
    [
      'a rule leaves the disk',
      async (store: Store) => {
        await store.deleteRule(ACCOUNT.id, b.id);
        await removeAll(store, at(DAY));
      },
    ],
  ])('is settled first when %s', async (_, change) => {
    const late = await open();
    const early = await open();
    await fill(late.store, async () => {});
    await fill(early.store, early.settle);
    await change(early.store);
    await change(late.store);
    const expected = await seen(early.store, early.sql);
    expect(await seen(late.store, late.sql)).toEqual(expected);
    await late.settle();
    for (const table of ['rule_matches', 'story_parts', 'tallies', 'minutes'])
      expect(late.sql.rows(`SELECT * FROM ${table}`), table).toEqual(early.sql.rows(`SELECT * FROM ${table}`));
  });

  it('is counted where rules are watched', async () => {
    const { store, sql } = await open();
    const [rule] = sql.rows<{ number: number }>('SELECT number FROM rules WHERE id = ?', [a.id]);
    sql.run(`INSERT INTO watches (rule, platform, past_version, due_at) VALUES (?, 'x', 0, 0)`, [rule!.number]);
    const minute = Math.floor(at(0).getTime() / 60_000);
    const place = { rule: rule!.number, platform: 'x' as const };
    const commit = (number: number) =>
      store.commit({ platform: 'x', at: at(number), events: [eventOf(`${number}`, [a])] });
    await commit(1);
    expect(await store.minutesOf([place], minute, minute + 1)).toEqual([{ ...place, minute, matches: 1 }]);
    await commit(2);
    expect((await store.watchesOf([place], minute)).map(({ ten }) => ten)).toEqual([2]);
    await commit(3);
    expect((await store.dueWatches(at(0), minute, 1)).map(({ ten }) => ten)).toEqual([3]);
    await commit(60_000);
    expect((await store.watchedIn(minute + 1, undefined, 10)).watched).toEqual([place]);
  });

  it('waits for sixteen thousand matches and not for more', async () => {
    const { store, sql } = await open();
    const unsettled = () => sql.row<{ value: number }>(`SELECT value FROM state WHERE name = 'unsettled'`)!.value;
    const commit = (from: number, events: number) =>
      store.commit({
        platform: 'x',
        at: at(from),
        events: range(events).map((index) => eventOf(`${from + index}`, [a])),
      });
    await commit(0, 15_999);
    expect(unsettled()).toBe(15_999);
    await commit(20_000, 1);
    expect(unsettled()).toBe(0);
    expect((await store.rule(ACCOUNT.id, a.id))!.platforms.x!.matchCount).toBe(16_000);
  });
});

it('finds the story behind one with more matches of the rule than a walk along parts would pass', async () => {
  const { store, settle } = await open();
  await store.commit({ platform: 'x', at: at(0), events: [eventOf('first', [a], { text: WORDS[0]! })] });
  const many = range(12_000).map((index) => eventOf(`${index}`, [a], { text: WORDS[1]! }));
  await store.commit({ platform: 'x', at: at(1_000), events: many });
  await settle();
  const { stories, next } = await store.stories({ accountId: ACCOUNT.id, ruleId: a.id, limit: 10 });
  expect(stories.map(({ size }) => size)).toEqual([12_000, 1]);
  expect(next).toBeUndefined();
});

it('finds the matches of a file from before, by rule, by story and by event, and erases them', async () => {
  const before = SQLITE_STEPS.findIndex(({ name }) => name === 'sqlite-settled');
  const db = connect(IN_MEMORY);
  migrate(db, SQLITE_STEPS.slice(0, before));
  const [first, second, without] = [
    positionAt(at(1).getTime()),
    positionAt(at(2).getTime()),
    positionAt(at(0).getTime()),
  ];
  db.exec(`INSERT INTO accounts (number, id, name, plan, x_rules, created_at) VALUES (1, '${ACCOUNT.id}', '"one"', 'paid', 9, 0);
    INSERT INTO rules (number, id, account, version, paused, deleted, created_at, name, intent) VALUES (1, '${a.id}', 1, 1, 0, 0, 0, '"a"', '""');
    INSERT INTO rule_platforms (rule, platform, holding, status, flags, value) VALUES (1, 'x', 1, 'active', '{}', '"storm"');
    INSERT INTO events (number, platform, account, post_id, payload, key) VALUES
      (1, 'x', 0, '"p0"', '{}', NULL), (2, 'x', 0, '"p1"', '{}', '${eventKey('x', 'p1')}'), (3, 'x', 0, '"p2"', '{}', '${eventKey('x', 'p2')}');
    INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, story) VALUES
      (${without}, 1, 'x', 1, 1, 1, 't0', '[]', NULL), (${first}, 1, 'x', 1, 1, 2, 't1', '[]', ${first}), (${second}, 1, 'x', 1, 1, 3, 't2', '[]', ${first});
    INSERT INTO story_parts VALUES (${first}, 1, 'x', '', 1, 2, ${first}, ${second});
    INSERT INTO tallies VALUES (1, 'x', 3, ${at(2).getTime()});
    UPDATE state SET value = ${second} WHERE name = 'latest';`);
  migrate(db);
  const { store, sql } = openOn(db);
  const of = { accountId: ACCOUNT.id, limit: 10 };
  const posts = async (query: object) =>
    (await store.matches({ ...of, ...query })).matches.map(({ platformPostId }) => platformPostId);
  expect(await posts({ ruleId: a.id })).toEqual(['p2', 'p1', 'p0']);
  expect(await posts({ eventKey: eventKey('x', 'p1') })).toEqual(['p1']);
  for (const ruleId of [{}, { ruleId: a.id }])
    expect((await store.stories({ ...of, ...ruleId })).stories.map(({ size }) => size)).toEqual([2]);
  const again = await store.commit({
    platform: 'x',
    at: at(5),
    events: ['p0', 'p1', 'p3'].map((post) => eventOf(post, [a])),
  });
  expect([again.added, again.repeats]).toEqual([1, 2]);
  expect((await store.rule(ACCOUNT.id, a.id))!.platforms.x!.matchCount).toBe(4);
  for (const post of ['p0', 'p1', 'p2', 'p3']) expect(await store.deleteMatches(ACCOUNT.id, 'x', post)).toBe(1);
  for (const table of ['matches', 'events', 'rule_matches', 'event_posts', 'event_keys', 'new_events', 'story_parts'])
    expect(sql.rows(`SELECT * FROM ${table}`), table).toEqual([]);
});

it('writes the parts of a story with its second event, of the matches before it, too', async () => {
  const { store, sql, settle } = await open();
  const commit = (id: string, time: number, of: typeof rules) =>
    store.commit({ platform: 'x', at: at(time), events: [eventOf(id, of, { text: WORDS[0]! })] });
  const parts = () =>
    sql.rows<object>('SELECT rule, matches FROM story_parts ORDER BY rule').map((row) => ({ ...row }));
  await commit('one', 0, [a, b]);
  await settle();
  expect(parts()).toEqual([]);
  const sizes = async () =>
    (await store.stories({ accountId: ACCOUNT.id, limit: 10 })).stories.map(({ size, ruleIds }) => [
      size,
      ruleIds.length,
    ]);
  expect(await sizes()).toEqual([[2, 2]]);
  await commit('two', 1_000, [b]);
  expect(await sizes()).toEqual([[3, 2]]);
  await settle();
  expect(parts()).toEqual([
    { rule: 1, matches: 1 },
    { rule: 2, matches: 2 },
  ]);
  await commit('three', 2_000, [b, c]);
  await settle();
  expect(parts()).toEqual([
    { rule: 1, matches: 1 },
    { rule: 2, matches: 3 },
    { rule: 3, matches: 1 },
  ]);
  expect(await sizes()).toEqual([[5, 3]]);
});

it('finds a match by its id, whether the key in it is its own or that of its rule', async () => {
  const { store, sql } = await open();
  await store.commit({ platform: 'x', at: at(0), events: [eventOf('one', [a, b]), eventOf('two', [c])] });
  const own = `001${matchKey(b.id, 'x', 'one')}`;
  sql.run('UPDATE matches SET tail = ? WHERE rule = 2', [own]);
  const { matches } = await store.matches({ accountId: ACCOUNT.id, limit: 10 });
  const ids = matches.map(({ id }) => id);
  const ofRule = ({ id }: typeof a) => id.padStart(16, '0');
  expect(ids.map((id) => id.slice(-19))).toEqual([`002${ofRule(c)}`, own, `000${ofRule(a)}`]);
  expect(sql.rows<{ id: string }>('SELECT id FROM sql_matches ORDER BY id DESC').map(({ id }) => id)).toEqual(ids);
  for (const { id, position } of matches) expect(await store.match(ACCOUNT.id, id)).toMatchObject({ position });
  expect(await store.match(ACCOUNT.id, `${ids[0]!.slice(0, -1)}0`)).toBeUndefined();
  expect(await store.match('acct_other', ids[0]!)).toBeUndefined();
});

it('gives parts to the stories of a file from before, of which nobody noted whether they grew', async () => {
  const before = SQLITE_STEPS.findIndex(({ name }) => name === 'sqlite-derived-ids');
  const db = connect(IN_MEMORY);
  migrate(db, SQLITE_STEPS.slice(0, before));
  const [first, second] = [positionAt(at(1).getTime()), positionAt(at(2).getTime())];
  db.exec(`INSERT INTO accounts (number, id, name, plan, x_rules, created_at) VALUES (1, '${ACCOUNT.id}', '"one"', 'paid', 9, 0);
    INSERT INTO rules (number, id, account, version, paused, deleted, created_at, name, intent) VALUES (1, '${a.id}', 1, 1, 0, 0, 0, '"a"', '""');
    INSERT INTO events (number, platform, account, post_id, payload, key) VALUES (1, 'x', 0, '"p1"', '{}', 'k1'), (2, 'x', 0, '"p2"', '{}', 'k2');
    INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, story) VALUES
      (${first}, 1, 'x', 1, 1, 1, 't1', '[]', ${first}), (${second}, 1, 'x', 1, 1, 2, 't2', '[]', ${first});
    UPDATE state SET value = ${second} WHERE name = 'latest';
    UPDATE state SET value = 2 WHERE name = 'unsettled';`);
  migrate(db);
  const { sql, settle } = openOn(db);
  await settle();
  expect(sql.rows('SELECT story, matches, first, last FROM story_parts')).toEqual([
    expect.objectContaining({ story: first, matches: 2, first, last: second }),
  ]);
});
