import { expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import type { WakeContract } from '../../domain/wake.ts';
import { createWakeChains } from './wake-chains.ts';

const PER_STORY: WakeContract = { per: 'story' };
const NOW = new Date('2026-11-15T08:30:00.000Z');

const matchOf = (position: number, story: number): Match => ({
  id: `match_${position}`,
  createdAt: NOW,
  position,
  platform: 'x',
  platformPostId: String(position),
  ruleId: 'rule_1',
  ruleName: 'Storms',
  ruleVersion: 1,
  payload: { data: { id: String(position), text: 'storm' } },
  highlights: [],
  storyId: `st_${story}`,
});

/** Takes a match of each story, from a cursor to the next, and answers the stories that woke. */
function taken(
  chains: ReturnType<typeof createWakeChains>,
  from: string,
  to: string,
  stories: readonly number[],
  accountId = 'acct_1',
) {
  const tally = chains.begin(accountId, PER_STORY, from, () => NOW);
  const woke = tally.take(stories.map((story, index) => matchOf(index + 1, story)));
  tally.keep(to, stories.length);
  return woke.map(({ storyId }) => Number(storyId!.slice(3)));
}

it('goes on from a cursor as often as it is asked to, as if for the first time', () => {
  const chains = createWakeChains();
  expect(taken(chains, 'begin', 'a', [1])).toEqual([1]);
  for (let again = 0; again < 2; again++) expect(taken(chains, 'a', 'b', [1, 2, 2])).toEqual([2]);
  expect(taken(chains, 'b', 'c', [1, 2])).toEqual([]);
});

it('takes the answer of the judge before a relevance', () => {
  const judged = (relevant: boolean) => ({ relevant, reason: '', model: 'm', at: NOW });
  const matches = [
    { ...matchOf(1, 1), relevance: 0.2 },
    { ...matchOf(2, 2), relevance: 0.2, judgement: judged(true) },
    { ...matchOf(3, 3), relevance: 0.9, judgement: judged(false) },
  ];
  const tally = createWakeChains().begin('acct_1', { per: 'match', minRelevance: 0.5 }, undefined, () => NOW);
  expect(tally.take(matches).map(({ position }) => position)).toEqual([2]);
});

it('keeps what was decided up to the place where an answer was cut', () => {
  const chains = createWakeChains();
  const tally = chains.begin('acct_1', PER_STORY, undefined, () => NOW);
  tally.take([matchOf(1, 1), matchOf(2, 2)]);
  tally.keep('whole', 2);
  tally.keep('cut', 1);
  expect(taken(chains, 'cut', 'next', [1, 2])).toEqual([2]);
  expect(taken(chains, 'whole', 'next', [1, 2])).toEqual([]);
});

it('forgets the story that was seen least lately, from 200 on', () => {
  const chains = createWakeChains();
  const many = Array.from({ length: 200 }, (_, index) => index);
  expect(taken(chains, 'begin', 'a', many)).toEqual(many);
  expect(taken(chains, 'a', 'b', [0, 200])).toEqual([200]);
  expect(taken(chains, 'b', 'c', [0, 2, 1])).toEqual([1]);
});

it('forgets requests of the account that has most, its oldest first', () => {
  const chains = createWakeChains();
  taken(chains, 'begin', 'other', [1], 'acct_2');
  for (let number = 0; number < 1_001; number++) taken(chains, 'begin', `a${number}`, [1]);
  expect(taken(chains, 'other', 'next', [1], 'acct_2')).toEqual([]);
  expect(taken(chains, 'a1000', 'b', [1])).toEqual([]);
  expect(taken(chains, 'a0', 'c', [1])).toEqual([1]);
});
