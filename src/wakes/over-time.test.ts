import { describe, expect, it } from 'vitest';
import type { WakeAccount, WakeContract } from '../domain/wake.ts';
import { candidateOf } from './candidates.ts';
import { decideWakes, type WakeCandidate } from './decide.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-15T08:00:00Z');

/** At a minute, of a rule, by somebody. */
const at = (minute: number, ruleId = 'b', key?: string): WakeCandidate => ({
  story: undefined,
  relevance: null,
  at: START + minute * MINUTE,
  ruleId,
  key,
});

/** Each is decided by itself, from what was kept. */
function run(contract: Omit<WakeContract, 'per'>, ...candidates: WakeCandidate[]) {
  let account: WakeAccount | undefined;
  return candidates.map((candidate) => {
    const past = { account, stories: new Map() };
    const decision = decideWakes({ per: 'match', ...contract }, past, [candidate], { now: new Date(candidate.at!) });
    ({ account } = decision);
    return decision.wakes[0] ? (decision.because[0] ?? 'wakes') : 'held';
  });
}

describe('terms over several matches', () => {
  it('count matches within the time, and begin anew after a wake', () => {
    const when = { count: 3, within: 10 * MINUTE };
    expect(run({ when }, at(0), at(5), at(10), at(12), at(13), at(14))).toEqual([
      'held',
      'held',
      'held',
      '3 matches in 7 minutes',
      'held',
      'held',
    ]);
  });

  it('count different authors once, and those without a name not at all', () => {
    const when = { count: 2, distinct: 'author' as const, within: 10 * MINUTE };
    const of = (minute: number, name?: string) => at(minute, 'b', name);
    expect(run({ when }, of(0, 'ada'), of(1, 'ada'), of(2), of(10, 'bob'), of(11, 'ada'))).toEqual([
      'held',
      'held',
      'held',
      '2 authors in 9 minutes',
      'held',
    ]);
  });

  it('wake for what follows another rule in time, once for each match of it', () => {
    const when = { after: 'a', within: 10 * MINUTE };
    expect(run({ when }, at(0), at(1, 'a'), at(3), at(4), at(5, 'a'), at(16))).toEqual([
      'held',
      'held',
      '2 minutes after a match of a',
      'held',
      'held',
      'held',
    ]);
  });

  it('wake for what is not followed by another rule', () => {
    const when = { without: 'a', within: 10 * MINUTE };
    const [answered, open] = [{ ...at(0), isAnswered: true }, at(1)];
    expect(run({ when }, answered, open, at(2, 'a'))).toEqual(['held', 'no match of a within 10 minutes', 'held']);
  });

  it('wake for the first in a while', () => {
    expect(run({ when: { quietFor: 60 * MINUTE } }, at(0), at(30), at(89), at(149), at(150))).toEqual([
      'the first match',
      'held',
      'held',
      'the first match in 60 minutes',
      'held',
    ]);
  });

  it('hold what another rule keeps from waking, for an hour after each of its matches', () => {
    expect(run({ unless: 'a' }, at(0), at(1, 'a'), at(2), at(60), at(61))).toEqual([
      'wakes',
      'wakes',
      'held',
      'held',
      'wakes',
    ]);
  });

  it('count only what nothing else holds', () => {
    const when = { count: 2, within: 10 * MINUTE };
    const dull = { ...at(1), relevance: 0.1 };
    expect(run({ when, minRelevance: 0.5 }, at(0), dull, at(2))).toEqual(['held', 'held', '2 matches in 2 minutes']);
  });

  it('remember no more than they count, however much comes', () => {
    const when = { count: 100, distinct: 'author' as const, within: 7 * 1_440 * MINUTE };
    let account: WakeAccount | undefined;
    for (let match = 0; match < 5_000; match++) {
      const candidate = at(match / 60, 'b', `author ${match % 99}`);
      const past = { account, stories: new Map() };
      ({ account } = decideWakes({ per: 'match', when }, past, [candidate], { now: new Date(candidate.at!) }));
    }
    expect(account?.memory?.recent).toHaveLength(99);
  });
});

it('tells authors, sites and sources of matches apart', () => {
  const post = {
    createdAt: new Date(START),
    platform: 'x' as const,
    platformPostId: '1',
    ruleId: 'b',
    ruleName: 'B',
    source: 'source_1',
    storyId: undefined,
    payload: {
      data: { text: 'storm', author_id: '7' },
      includes: { users: [{ id: '7', username: 'ada' }] },
      url: 'https://social.example/1',
    },
  };
  const keyOf = (distinct: 'author' | 'site' | 'source') =>
    candidateOf({ per: 'match', when: { distinct } }, post, false).key;
  expect([keyOf('author'), keyOf('site'), keyOf('source')]).toEqual(['@ada', 'social.example', 'source_1']);
});
