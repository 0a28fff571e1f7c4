/** The parts of a commit before they meet the server: what is asked for, in which order, and what is left out. */
import { describe, expect, it } from 'vitest';
import type { Db } from '../db.ts';
import type { TextEvent } from '../nouns/commits.ts';
import { deliveryWrites } from '../nouns/deliveries.ts';
import { changeCounts, changeMinutes, takeCounts } from '../nouns/minutes.ts';
import { noticeOf, readNotice } from '../nouns/nodes.ts';
import { countAgreement, countUsage } from '../nouns/usage.ts';
import { matchKey, positionAt } from '../order.ts';
import { encodeText } from '../rows/texts.ts';
import {
  type Candidate,
  candidatesOf,
  claimKeys,
  countMatches,
  placeFrom,
  possibleMatches,
  ruleIdsOf,
  type StoredRule,
} from './candidates.ts';
import { startOfDay } from './partitions.ts';
import { retentionDue } from './removal.ts';
import { type Preparation, storyOfEarlier } from './store-matches.ts';

const START = Date.UTC(2026, 10, 15);

/** Writes down what it is asked. Whether the server takes it is tried with the store as a whole. */
function recorder(answer: readonly unknown[] = []) {
  const asked: { text: string; values: readonly unknown[] }[] = [];
  async function rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    asked.push({ text, values });
    return [...answer] as Row[];
  }
  const db: Db = {
    dialect: 'postgres',
    rows,
    row: async <Row>(text: string, values?: readonly unknown[]) => (await rows<Row>(text, values))[0],
    run: async (text, values = []) => asked.push({ text, values }),
    transaction: (work) => work(db),
  };
  return { db, asked };
}

/** The rows that a statement was handed. */
const rowsIn = ({ values }: { readonly values: readonly unknown[] }): unknown => JSON.parse(String(values[0]));

const rule = (number: number, account = 7): StoredRule => ({
  id: `rule_${number}`,
  number,
  account,
  account_id: `acct_${account}`,
  version: 2,
});

const event = (postId: string, rules: readonly number[], change: Partial<TextEvent> = {}): TextEvent => ({
  postId,
  accountId: undefined,
  payload: '{}',
  matches: rules.map((number) => ({ ruleId: `rule_${number}`, version: 2, highlights: '[]', asked: 0 })),
  ...change,
});

const candidate = (key: string, of: StoredRule = rule(1)): Candidate => ({
  rule: of,
  key,
  event: event(key, []),
  highlights: '[]',
  asked: 0,
  verdict: undefined,
});

describe('the candidates of a commit', () => {
  const rules = new Map([rule(1), rule(2, 8)].map((one) => [one.id, one]));
  const found = (...events: TextEvent[]) =>
    candidatesOf(possibleMatches({ platform: 'x', events }), rules).map(
      (one) => `${one.event.postId} ${one.rule.number}`,
    );

  it('are of live rules in the version that was matched, each match once', () => {
    expect(found(event('a', [1, 2, 3]), event('b', [1]), event('a', [1]))).toEqual(['a 1', 'a 2', 'b 1']);
    const older = event('c', [1]);
    expect(found({ ...older, matches: older.matches.map((match) => ({ ...match, version: 1 })) })).toEqual([]);
    expect(possibleMatches({ platform: 'x', events: [event('a', [1])] })).toMatchObject([
      { key: matchKey('rule_1', 'x', 'a') },
    ]);
  });

  it('are of the account that pushed the event alone', () => {
    expect(found(event('a', [1, 2], { accountId: 'acct_8' }))).toEqual(['a 2']);
  });

  it('are placed one after another from the first free position on', () => {
    const placed = placeFrom([candidate('k'.repeat(16)), candidate('l'.repeat(16))], positionAt(START));
    expect(placed.map(({ position, tail }) => [position - positionAt(START), tail])).toEqual([
      [0, `000${'k'.repeat(16)}`],
      [1, `001${'l'.repeat(16)}`],
    ]);
  });

  it('are claimed in the order of their keys', async () => {
    const { db, asked } = recorder();
    await claimKeys(db, [candidate('c'), candidate('b'), candidate('a')], new Date(START));
    expect(asked[0]!.values).toEqual([['a', 'b', 'c'], positionAt(START)]);
  });

  it('are of rules that an upstream named, or that our engine alone found', () => {
    expect(ruleIdsOf([event('a', [])])).toEqual([]);
    expect(ruleIdsOf([event('a', [1, 2], { engineOnly: ['rule_3', 'rule_1'] })])).toEqual([
      'rule_1',
      'rule_2',
      'rule_3',
    ]);
  });
});

describe('the counts of a commit', () => {
  const fresh = [candidate('a', rule(9)), candidate('b', rule(2, 8)), candidate('c', rule(9))];

  it('are added up by rule, in the order of their numbers', async () => {
    const { db, asked } = recorder();
    await countMatches(db, 'x', fresh, START);
    expect(asked[0]!.values).toEqual([[2, 9], [1, 2], 'x', START]);
    const at = { platform: 'x', minute: START / 60_000 };
    expect(rowsIn(asked[1]!)).toMatchObject([
      { account: 7, matches: 2, came: 2, came_bytes: 4 },
      { account: 8, matches: 1, came: 1, came_bytes: 2 },
    ]);
    expect(rowsIn(asked[2]!)).toEqual([
      { subject: -7, ...at, matches: 2 },
      { subject: -8, ...at, matches: 1 },
      { subject: 2, ...at, matches: 1 },
      { subject: 9, ...at, matches: 2 },
    ]);
  });

  it('are one row for each subject, platform and minute, in one order, and empty ones go', async () => {
    const { db, asked } = recorder();
    const change = (subject: number, minute: number, matches: number) => ({
      subject,
      platform: 'x' as const,
      minute,
      matches,
    });
    await changeCounts(db, [change(2, 5, 1), change(1, 5, 1), change(2, 5, 3)]);
    expect(asked).toHaveLength(1);
    expect(rowsIn(asked[0]!)).toEqual([change(1, 5, 1), change(2, 5, 4)]);
    await changeCounts(db, [change(2, 5, -1), change(1, 5, 1)]);
    expect(rowsIn(asked.at(-1)!)).toEqual([change(2, 5, -1)]);
  });

  it('that are taken back are not those of a minute past retention, which goes as a whole', async () => {
    const { db, asked } = recorder([{ minute: 5 }]);
    const change = { rule: 1, account: 7, platform: 'x' as const, matches: -1 };
    await takeCounts(
      db,
      [4, 5, 6].map((minute) => ({ ...change, minute })),
    );
    const counted = rowsIn(asked.find(({ text }) => text.startsWith('INSERT INTO minutes'))!);
    expect(counted).toMatchObject([5, 6, 5, 6].map((minute) => ({ minute, matches: -1 })));
    expect(rowsIn(asked.at(-1)!)).toMatchObject([{ account: 7, matches: -2 }]);
  });

  it('of a rule that is hidden are not those of its account', async () => {
    const { db, asked } = recorder();
    const change = { rule: 1, account: 7, platform: 'x' as const, minute: 5, matches: 1 };
    await changeMinutes(db, [{ ...change, hidden: true }]);
    expect(rowsIn(asked[0]!)).toMatchObject([{ subject: 1 }]);
    await changeMinutes(db, [change]);
    expect(rowsIn(asked[1]!)).toMatchObject([{ subject: -7 }, { subject: 1 }]);
  });

  it('of use and agreement are in one order, and cost nothing when there are none', async () => {
    const { db, asked } = recorder();
    await countUsage(db, 'x', new Date(START), []);
    await countAgreement(db, 'x', [], []);
    expect(asked).toEqual([]);
    await countUsage(db, 'x', new Date(START), [fresh]);
    expect(asked[0]!.values.slice(1)).toEqual(['x', 202_611]);
    expect(rowsIn(asked[0]!)).toEqual([
      { subject: -8, owner: null, reads: 1, matches: 1 },
      { subject: -7, owner: null, reads: 1, matches: 2 },
      { subject: 2, owner: 8, reads: 1, matches: 1 },
      { subject: 9, owner: 7, reads: 2, matches: 2 },
    ]);
    await countAgreement(db, 'x', [], [9, 2, 9]);
    expect(rowsIn(asked[1]!)).toEqual([
      { rule: 2, agreed: 0, upstream_only: 0, engine_only: 1 },
      { rule: 9, agreed: 0, upstream_only: 0, engine_only: 2 },
    ]);
  });
});

describe('a commit', () => {
  it('tells of its accounts by name and of its positions, and nothing when the names are too long for the bell', () => {
    const news = { accountIds: ['acct_1', 'acct_2'], spans: [{ before: 10, latest: 20 }] };
    expect(noticeOf(news)).toBe('acct_1 acct_2 10-20');
    expect([readNotice('acct_1 acct_2 10-20'), readNotice('')]).toEqual([news, undefined]);
    const notice = (accountId: string) => noticeOf({ accountIds: [accountId], spans: [] });
    const longest = 'a'.repeat(7_000);
    expect([notice(longest), notice(`${longest}a`)]).toEqual([longest, '']);
  });

  it('by hand rings for the account', async () => {
    const { db, asked } = recorder([{ account: 1 }]);
    const sending = { id: 'd', accountId: 'acct_1', webhookId: 'w', position: 1, body: '', at: new Date(START) };
    await deliveryWrites(db).sendMatch(sending);
    expect(asked.at(-1)!.values).toEqual(['sluice', 'acct_1']);
  });

  it('puts an edit into the story of the newest earlier version that its account has', () => {
    const row = (postId: string, account: number, story: number | null) => ({
      post_id: encodeText(postId),
      rule: 1,
      position: 1,
      tail: '',
      account,
      story,
    });
    const earlier = [row('a', 7, 10), row('b', 7, 20), row('c', 7, null), row('c', 8, 30)];
    const forced = storyOfEarlier({ earlier } as unknown as Preparation);
    const story = (...ids: string[]) => forced({ account: 7, event: event('d', [], { earlier: ids }) });
    expect([story('a', 'b', 'c'), story('a'), story('c'), story()]).toEqual([20, 10, undefined, undefined]);
    expect(forced({ account: 7, event: event('d', []) })).toBeUndefined();
  });
});

describe('a day', () => {
  it('begins at midnight of UTC, and what is past retention ends with a whole minute', () => {
    const noon = START + 12 * 60 * 60_000;
    expect(startOfDay(positionAt(noon) + 5)).toBe(positionAt(START));
    expect(startOfDay(positionAt(START))).toBe(positionAt(START));
    expect(startOfDay(positionAt(START) - 1)).toBe(positionAt(START - 24 * 60 * 60_000));
    expect(retentionDue(new Date(noon + 59_999), 2)).toBe(noon - 48 * 60 * 60_000);
  });
});
