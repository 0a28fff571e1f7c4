import { describe, expect, it } from 'vitest';
import {
  eventKey,
  findMatchId,
  findStoryId,
  matchId,
  matchKey,
  nextPosition,
  positionAt,
  storyId,
  tailAt,
  timeOf,
} from './order.ts';

const EPOCH = Date.UTC(2026, 0, 1);
const RANKS = 4096;

describe('a position', () => {
  it('is a time and a rank within it', () => {
    expect([positionAt(EPOCH), positionAt(EPOCH + 1), positionAt(EPOCH - 1)]).toEqual([0, RANKS, 0]);
    expect([timeOf(0), timeOf(RANKS - 1), timeOf(RANKS)]).toEqual([EPOCH, EPOCH, EPOCH + 1]);
  });

  it('begins a commit now, or in the millisecond after all that was given out', () => {
    expect(nextPosition(0, EPOCH + 5)).toBe(5 * RANKS);
    expect(nextPosition(5 * RANKS - 1, EPOCH + 5)).toBe(5 * RANKS);
    expect(nextPosition(5 * RANKS, EPOCH + 5)).toBe(6 * RANKS);
    expect(nextPosition(9 * RANKS + 7, EPOCH + 5)).toBe(10 * RANKS);
  });
});

describe('the id of a match', () => {
  it('is found again at its rank, or in its millisecond if it has none', () => {
    const key = matchKey('rule_1', 'x', '7');
    expect(key).toHaveLength(16);
    const position = 3 * RANKS + 33;
    const id = matchId(position, tailAt(position, key));
    expect(findMatchId(id)).toEqual({ from: position, below: position + 1, tail: `011${key}` });
    expect(findMatchId(matchId(position, `0u1${key}`))).toBeUndefined();
    expect(findMatchId(matchId(0, key))).toEqual({ from: 0, below: RANKS, tail: key });
  });

  it('is none from before the first position, nor of another kind', () => {
    const id = matchId(0, matchKey('rule_1', 'x', '7'));
    const before = matchId(-1, matchKey('rule_1', 'x', '7'));
    for (const wrong of [before, id.replace('match', 'rule'), id.slice(0, -1), id.replace('match_0', 'match_u'), ''])
      expect(findMatchId(wrong), wrong).toBeUndefined();
  });

  it('has another key for another rule, platform or post', () => {
    const keys = [
      matchKey('rule_1', 'x', '7'),
      matchKey('rule_2', 'x', '7'),
      matchKey('rule_1', 'firehose', '7'),
      matchKey('rule_1', 'x', '8'),
      eventKey('x', '7'),
      eventKey('firehose', '7'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(matchKey('rule_1', 'x', '7')).toBe(keys[0]);
  });
});

describe('the id of a story', () => {
  it('is the position of the match that began it', () => {
    for (const position of [0, 1, RANKS - 1, RANKS, 99 * RANKS + 4_095])
      expect(findStoryId(storyId(position))).toBe(position);
  });

  it('is none when it is of another form, from before the first position, or of a rank beyond the last', () => {
    const id = storyId(5 * RANKS + 1);
    const beyond = `${id.slice(0, -3)}400`;
    const before = storyId(-RANKS);
    for (const wrong of [
      '',
      'st_',
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      id.replace('st', 'match'),
      beyond,
      before,
    ])
      expect(findStoryId(wrong), wrong).toBeUndefined();
    expect(findStoryId(`${id.slice(0, -3)}00u`)).toBeUndefined();
    expect(findStoryId(`st_u${id.slice(4)}`)).toBeUndefined();
  });
});
