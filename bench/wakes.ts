/**
 * `npm run bench -- wakes`: what a match costs where webhooks have terms over several matches. Each of 10,000 contracts decides its own
 * matches, which come one after another over a day; beside it the same contracts without those terms.
 */
import type { WakeAccount, WakeContract, WakeTerms } from '../src/domain/wake.ts';
import { decideWakes, type WakeCandidate } from '../src/wakes/decide.ts';
import { cpuOf } from './measure.ts';
import { randomFrom } from './random.ts';

const SEED = 20_261_118;
const MINUTE = 60_000;
const BEGIN = Date.UTC(2026, 10, 18);
const DAY = 24 * 60 * MINUTE;
const [RULE, OTHER] = ['rule_a', 'rule_b'];
const TURNS = 3;

/** The kinds that there are, and the largest number that may be asked for. */
const TERMS: Readonly<Record<string, WakeTerms>> = {
  '5 matches in 10 minutes': { count: 5, within: 10 * MINUTE },
  '5 authors in 10 minutes': { count: 5, distinct: 'author', within: 10 * MINUTE },
  '100 sites in a day': { count: 100, distinct: 'site', within: DAY },
  'one rule after another': { after: OTHER, within: 30 * MINUTE },
  'one rule without another': { without: OTHER, within: 5 * MINUTE },
  'the first in an hour': { quietFor: 60 * MINUTE },
};

export function benchWakes(quick: boolean): Record<string, unknown> {
  const contracts = quick ? 500 : 10_000;
  const matches = contracts * 100;
  const plain = bestOf(undefined, contracts, matches);
  const rows = Object.entries(TERMS).map(([name, when]) => [name, micros(bestOf(when, contracts, matches) - plain)]);
  return { contracts, matches, 'no terms': micros(plain), ...(Object.fromEntries(rows) as Record<string, number>) };
}

const micros = (value: number): number => Math.round(value * 100) / 100;

const bestOf = (when: WakeTerms | undefined, contracts: number, matches: number): number =>
  Math.min(...Array.from({ length: TURNS }, () => cpuOf(() => play(when, contracts, matches)) / matches));

/** Matches of all contracts in turns, as a busy server has them: what one remembers is out of the caches when its next match comes. */
function play(when: WakeTerms | undefined, contracts: number, matches: number): void {
  const random = randomFrom(SEED);
  const contract: WakeContract = { per: 'match', when };
  const accounts: (WakeAccount | undefined)[] = Array.from({ length: contracts });
  for (let at = 0; at < matches; at++) {
    const owner = at % contracts;
    const time = BEGIN + Math.floor((at / matches) * DAY);
    const candidate: WakeCandidate = {
      story: undefined,
      relevance: null,
      at: time,
      ruleId: random() < 0.2 ? OTHER : RULE,
      key: `author${Math.floor(random() * 1_000)}`,
    };
    const past = { account: accounts[owner], stories: NONE };
    accounts[owner] = decideWakes(contract, past, [candidate], { now: new Date(time) }).account;
  }
}

const NONE = new Map();
