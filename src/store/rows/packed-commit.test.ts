import { describe, expect, it } from 'vitest';
import type { TextEvent } from '../nouns/commits.ts';
import { NO_REFUSALS } from '../nouns/erasure/tombstones.ts';
import type { TextCommit } from './commit.ts';
import { namesIn, type PackedCommit, packCommit, unpackCommitted, withoutRefused } from './packed-commit.ts';
import { toldEvents } from './packed-events.ts';
import { textIn } from './packed-ring.ts';

const quiet = (postId: string, accountId?: string): TextEvent => ({
  postId,
  accountId,
  payload: `{"id":${JSON.stringify(postId)}}`,
  matches: [],
});
const matched = (postId: string, accountId?: string): TextEvent => ({
  ...quiet(postId, accountId),
  source: 'push',
  matches: [{ ruleId: 'rule_1', version: 2, highlights: '[{"field":"a"}]', asked: 2 ** 47 + 1 }],
  carried: [{ postId: 'original', isEdit: false }],
  told: { words: [1, -2], marks: [2 ** 51 + 1], at: 5 },
});
const judged: TextEvent = {
  ...matched('judged'),
  matches: [
    { ruleId: 'rule_1', version: 2, highlights: '', asked: 0 },
    { ruleId: 'rule_2', version: 3, highlights: '[]', asked: 1, verdict: 'agreed' },
  ],
  engineOnly: ['rule_3'],
  told: { words: [], marks: [] },
};
const edited: TextEvent = { ...quiet('v2', 'acct_1'), earlier: ['v1'] };
const commitOf = (events: readonly TextEvent[]): TextCommit => ({ platform: 'x', at: new Date(0), events });

/** The commit as it is handed over, with what each of its events cost. */
function packed(events: readonly TextEvent[]) {
  const costs: number[] = [];
  const packing = packCommit(commitOf(events));
  for (;;) {
    const step = packing.next();
    if (step.done === true) return { ...step.value, costs };
    costs.push(step.value);
  }
}

const textsOf = (given: PackedCommit) =>
  toldEvents(given).map((event) => ({ ...event, payload: Buffer.from(event.payload).toString() }));

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
    const { packed: given, places } = packed(events);
    expect(places).toEqual([1, 3, 4, 5]);
    const taken = structuredClone(given, { transfer: [...given.buffers] });
    expect(textsOf(taken)).toEqual(places.map((place) => events[place]));
    // Nothing of it was copied.
    expect(given.ring.map(({ lines }) => lines.byteLength)).toEqual([0, 0]);
    expect(taken.ring.map((row) => [row.owner, row.events])).toEqual([
      ['', 4],
      ['acct_1', 2],
    ]);
  });

  it('costs something for each event, more for what matched, and for what is long', () => {
    const long = { ...quiet('long'), payload: `"${'x'.repeat(8_190)}"` };
    expect(packed([quiet('a'), long, edited, matched('b'), judged]).costs).toEqual([1, 3, 1, 15, 16]);
  });

  it('keeps payloads as they are, however long they are and whatever they are made of', () => {
    const payloads = ['a', 'é', '火', '🌋'].map((text) => JSON.stringify(text.repeat(20_000)));
    const events = payloads.map((payload, index) => ({ ...matched(`${index}`), payload }));
    const { packed: given } = packed(events);
    expect(textsOf(given)).toEqual(events);
    expect(
      given.ring
        .map((row) => textIn(row))
        .join('\n')
        .split('\n'),
    ).toEqual(payloads.map((payload, index) => `["","${index}",${payload},"push"]`));
  });

  it('is answered with a number for every event', () => {
    const committed = { added: 3, addedByEvent: [2, 0, 1], repeats: 1, latest: 9, accountIds: [], addedByAccount: [] };
    expect(unpackCommitted(committed, [1, 3, 4], 6).addedByEvent).toEqual([0, 2, 0, 0, 1, 0]);
  });

  it('names the events of its ring, with the versions before an edited one', () => {
    const { packed: given } = packed([quiet('a'), edited]);
    expect([...namesIn(given.ring, toldEvents(given))]).toEqual([
      { postId: 'a', earlier: undefined, payload: { id: 'a' } },
      { postId: 'v2', earlier: ['v1'], payload: { id: 'v2' } },
    ]);
  });

  it('keeps refused events out of its ring', () => {
    const { packed: given } = packed([quiet('a'), quiet('b'), edited]);
    const refusals = {
      isRefused: () => false,
      isKeptOut: ({ postId, accountId }: { postId: string; accountId?: string | undefined }) =>
        postId === 'a' || accountId === 'acct_1',
    };
    const left = withoutRefused(given.ring, refusals);
    expect([...namesIn(left, [])].map(({ postId }) => postId)).toEqual(['b']);
    expect(left.map(({ events, bytes, lines }) => [events, bytes === lines.byteLength])).toEqual([[1, true]]);
    expect(withoutRefused(given.ring, NO_REFUSALS)).toBe(given.ring);
  });
});
