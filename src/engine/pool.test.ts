import { describe, expect, it } from 'vitest';
import type { Query } from '../rules/query.ts';
import { createPool } from './pool.ts';

const word = (term: string): Query => ({ kind: 'term', field: 'text', term });
const post = (text: string): string => JSON.stringify({ data: { id: '1', text } });
const matchesOf = (outcome: object | undefined) =>
  outcome !== undefined && 'matches' in outcome ? outcome.matches : outcome;

describe.each([1, 2, 3])('a pool of %i', (threads) => {
  it('keeps the order of the events, bad ones included', async () => {
    await using pool = createPool('x', threads);
    await pool.put('rule_a', word('a'));
    await pool.put('rule_b', word('b'));
    const outcomes = await pool.match([post('a'), post('b'), 'rubbish', post('c'), post('a b'), '{}', post('b')]);
    expect(outcomes.map(matchesOf)).toEqual([
      ['rule_a'],
      ['rule_b'],
      { rejected: 'not JSON' },
      [],
      ['rule_a', 'rule_b'],
      { rejected: expect.any(String) },
      ['rule_b'],
    ]);
  });

  it('applies puts and drops to every batch handed in after them', async () => {
    await using pool = createPool('x', threads);
    const lines = Array.from({ length: 10 }, () => post('a'));
    const before = pool.match(lines);
    const put = pool.put('rule_a', word('a'));
    const between = pool.match(lines);
    const dropped = pool.drop('rule_a');
    const after = pool.match(lines);
    expect((await before).every((outcome) => 'matches' in outcome && outcome.matches.length === 0)).toBe(true);
    await put;
    expect((await between).every((outcome) => 'matches' in outcome && outcome.matches.length === 1)).toBe(true);
    expect(await dropped).toBe(true);
    expect((await after).every((outcome) => 'matches' in outcome && outcome.matches.length === 0)).toBe(true);
    expect(await pool.drop('rule_a')).toBe(false);
  });

  it('matches nothing in an empty batch', async () => {
    await using pool = createPool('firehose', threads);
    expect(await pool.match([])).toEqual([]);
  });
});
