import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { StreamCounter } from '../platform.ts';
import type { BacklogEntry } from './spill.ts';
import { createRecentPosts, itemOf } from './stream.ts';

const AT = Date.parse('2026-11-15T08:30:00.000Z');

function stand() {
  const counted: StreamCounter[] = [];
  const learned: (readonly string[])[] = [];
  const parts = {
    recent: createRecentPosts(fakeClock(), 600_000),
    silence: { learn: (ids: readonly string[]) => void learned.push(ids), forget: () => {}, isSuspect: () => false },
    count: (counter: StreamCounter) => void counted.push(counter),
  };
  const item = (entry: BacklogEntry) => itemOf(entry, parts);
  const record = (line: string, replayed = false) =>
    item({ kind: 'record', at: AT, through: AT - 7_000, cursor: 'c', replayed, line: Buffer.from(line) });
  return { counted, learned, item, record };
}

const POST = '{"data":{"id":"1","text":"a"},"matching_rules":[{"id":"7"}]}';

describe('an entry of the backlog', () => {
  it('is an arrival when it is a post, and its rules are heard of', () => {
    const { record, learned, counted } = stand();
    expect(record(POST)).toEqual({
      kind: 'arrival',
      postId: '1',
      payload: { data: { id: '1', text: 'a' } },
      cursor: 'c',
      verdicts: ['7'],
      at: new Date(AT),
      through: new Date(AT - 7_000),
    });
    expect([learned, counted]).toEqual([[['7']], []]);
  });

  it('is left out when it is a repeat', () => {
    const { record, counted, learned } = stand();
    record(POST);
    expect(record(POST)).toBeUndefined();
    expect([counted, learned.length]).toEqual([['dup'], 1]);
  });

  it('says nothing of how many posts come now when it was replayed', () => {
    const { record, learned } = stand();
    expect(record(POST, true)).toMatchObject({ kind: 'arrival' });
    expect(learned).toEqual([]);
  });

  it('is broken when it cannot be read, with its first 4 KiB', () => {
    const { record, counted } = stand();
    expect(record(`{${'x'.repeat(9_000)}`)).toEqual({
      kind: 'broken',
      cursor: 'c',
      through: new Date(AT - 7_000),
      reason: 'it is not valid JSON',
      sample: `{${'x'.repeat(4_095)}`,
    });
    expect(counted).toEqual(['broken']);
  });

  it.each(['{"errors":[{"title":"x"}]}', '{"news":1}'])('is counted and left out when it is %s', (line) => {
    const { record, counted } = stand();
    expect(record(line)).toBeUndefined();
    expect(counted).toEqual(['unknown_message']);
  });

  it('that is about the stream becomes the same item, with dates', () => {
    const { item } = stand();
    expect(item({ kind: 'mark', through: AT, cursor: 'c' })).toEqual({
      kind: 'mark',
      through: new Date(AT),
      cursor: 'c',
    });
    expect(item({ kind: 'state', state: 'live' })).toEqual({ kind: 'state', state: 'live' });
    const broken = { kind: 'broken', through: AT, cursor: 'c', reason: 'r', sample: 's' } as const;
    expect(item(broken)).toEqual({ ...broken, through: new Date(AT) });
    expect(item({ kind: 'gap', from: AT, cause: 'stall', recovered: false })).toEqual({
      kind: 'gap',
      gap: { from: new Date(AT), to: undefined, cause: 'stall', recovered: false },
    });
    expect(item({ kind: 'gap', from: AT, to: AT + 1, cause: 'stall', recovered: true })).toMatchObject({
      gap: { to: new Date(AT + 1), recovered: true },
    });
  });
});
