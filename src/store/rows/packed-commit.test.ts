import { describe, expect, it } from 'vitest';
import type { TextCommit, TextEvent } from './commit.ts';
import { namesIn, packCommit, unpackCommitted, withoutRefused } from './packed-commit.ts';
import { toldEvents } from './packed-events.ts';
import { NO_REFUSALS } from './tombstones.ts';

const quiet = (postId: string, accountId?: string): TextEvent => ({
  postId,
  accountId,
  payload: `{"id":${JSON.stringify(postId)}}`,
  matches: [],
});
const matched = (postId: string, accountId?: string): TextEvent => ({
  ...quiet(postId, accountId),
  source: 'push',
  matches: [{ ruleId: 'rule_1', version: 2, highlights: '[{"field":"a"}]', asked: [-7, 9] }],
  told: { words: [1, -2], marks: [2 ** 51 + 1], at: 5 },
});
const judged: TextEvent = {
  ...matched('judged'),
  matches: [
    { ruleId: 'rule_1', version: 2, highlights: '', asked: [] },
    { ruleId: 'rule_2', version: 3, highlights: '[]', asked: [1], verdict: 'agreed' },
  ],
  engineOnly: ['rule_3'],
  told: { words: [], marks: [] },
};
const edited: TextEvent = { ...quiet('v2', 'acct_1'), earlier: ['v1'] };
const commitOf = (events: readonly TextEvent[]): TextCommit => ({ platform: 'x', at: new Date(0), events });

describe('a packed commit', () => {
  it('tells of events that matched or were edited as they came, and of the others in the ring alone', () => {
    const events = [
      quiet('a'),
      matched('half \ud800 and "quoted"', 'acct_1'),
      quiet('b'),
      edited,
      matched('日本'),
      judged,
    ];
    const { packed, places } = packCommit(commitOf(events));
    expect(places).toEqual([1, 3, 4, 5]);
    expect(toldEvents(structuredClone(packed))).toEqual(places.map((place) => events[place]));
    expect(packed.ring.map((row) => [row.owner, row.events])).toEqual([
      ['', 4],
      ['acct_1', 2],
    ]);
  });

  it('is answered with a number for every event', () => {
    const committed = { added: 3, addedByEvent: [2, 0, 1], repeats: 1, latest: 9, accountIds: [] };
    expect(unpackCommitted(committed, [1, 3, 4], 6).addedByEvent).toEqual([0, 2, 0, 0, 1, 0]);
  });

  it('names the events of its ring, with the versions before an edited one', () => {
    const { packed } = packCommit(commitOf([quiet('a'), edited]));
    expect([...namesIn(packed.ring, toldEvents(packed))]).toEqual([
      { postId: 'a', accountId: undefined, earlier: undefined },
      { postId: 'v2', accountId: 'acct_1', earlier: ['v1'] },
    ]);
  });

  it('keeps refused events out of its ring, an edited one by an earlier version as well', () => {
    const { packed } = packCommit(commitOf([quiet('a'), quiet('b'), edited]));
    const told = toldEvents(packed);
    const isErased = (id: string) => id === 'a' || id === 'v1';
    const refusals = {
      isRefused: () => false,
      isKeptOut: ({ postId, earlier = [] }: { postId: string; earlier?: readonly string[] | undefined }) =>
        [postId, ...earlier].some(isErased),
    };
    const left = withoutRefused(packed.ring, told, refusals);
    expect([...namesIn(left, told)].map(({ postId }) => postId)).toEqual(['b']);
    expect(left.map(({ events, bytes, lines }) => [events, bytes === Buffer.byteLength(lines)])).toEqual([[1, true]]);
    expect(withoutRefused(packed.ring, told, NO_REFUSALS)).toBe(packed.ring);
  });
});
