/**
 * Budgets under fire. In each run several nodes ask a model at once, within limits of calls and money. Answers get lost, are
 * rubbish or errors, processes die before they have settled a call, and some are stopped in the middle of one. The model itself
 * counts what it was asked and what that cost: it is never more than the limits.
 */
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import type { JudgeLimit } from '../../src/domain/match.ts';
import { type JudgeOptions, moneyFor } from '../../src/service/judging/ask-model.ts';
import { askWithin, type JudgeState } from '../../src/service/judging/ask-within.ts';
import type { Store } from '../../src/store/store.ts';
import { RELEVANT, type StubAnswer, stubModel } from '../stages/stub-model.ts';
import { hastyClock } from './hasty-clock.ts';

export interface BudgetReport {
  readonly runs: number;
  readonly calls: number;
  /** Runs in which a limit kept a call from being made, and calls whose process died before it settled them. */
  readonly limited: number;
  readonly died: number;
  /** The limits that were passed: none, it is to be hoped. */
  readonly passed: string[];
}

const PRICE = { input: 2, output: 8 };
const MILLION = 1_000_000;

/** The limits of one run, and what it took by the count of the model. */
interface Run {
  readonly limits: readonly JudgeLimit[];
  readonly before: { readonly calls: number; readonly money: number };
  readonly took: { calls: number; money: number };
}

/** `nodes`: stores on the same data, at least one. */
export async function spendUnderFire(nodes: readonly Store[], times: number, seed: number): Promise<BudgetReport> {
  const random = randomFrom(seed);
  const runs: Run[] = [];
  await using model = await stubModel();
  model.answer = ({ body }) => {
    const tokens = Math.ceil((JSON.stringify(body).length * random()) / 2);
    const usage = { prompt_tokens: tokens, completion_tokens: Math.floor(random() * (body.max_tokens + 1)) };
    // A question of a process that was stopped may come late, so each says which run it belongs to.
    const { took } = runs[Number(body.model)]!;
    took.calls++;
    took.money += moneyFor(PRICE, usage.prompt_tokens, usage.completion_tokens);
    return answerOf(random, usage);
  };
  let [died, limited] = [0, 0];
  for (let number = 0; number < times; number++) {
    const { month: before } = await nodes[0]!.judgeSpending(new Date());
    const limits = limitsOf(random, before);
    runs.push({ limits, before, took: { calls: 0, money: 0 } });
    const options: JudgeOptions = { url: model.url, model: String(number), price: PRICE, limits };
    const outcomes = await Promise.all(nodes.flatMap((store) => askSome(store, options, random)));
    died += outcomes.filter((one) => one === 'died').length;
    if (outcomes.includes('spent')) limited++;
  }
  const { month } = await nodes[0]!.judgeSpending(new Date());
  const sum = (what: 'calls' | 'money') => runs.reduce((all, { took }) => all + took[what], 0);
  const passed = runs.flatMap(passedIn);
  if (month.calls < sum('calls') || month.money < sum('money')) passed.push('the store counts less than was spent');
  return { runs: times, calls: sum('calls'), limited, died, passed };
}

const passedIn = ({ limits, before, took }: Run, number: number): string[] =>
  limits
    .filter(({ what, most }) => before[what] + took[what] > most)
    .map(({ what, most }) => `run ${number}: ${before[what]} + ${took[what]} of ${most} ${what}`);

const limitsOf = (random: Random, { calls, money }: { calls: number; money: number }): JudgeLimit[] => [
  { what: 'calls', most: calls + Math.floor(random() * 12), per: 'month' },
  { what: 'money', most: money + Math.floor(random() * 0.08 * MILLION), per: 'month' },
];

/** `hang` is a connection that breaks: the call was made and cost its price, and nobody hears of it. */
function answerOf(random: Random, usage: NonNullable<StubAnswer['usage']>): StubAnswer {
  return pick(random, [
    { ...RELEVANT, usage },
    { ...RELEVANT, usage },
    { ...RELEVANT, usage: null },
    { content: 'rubbish', usage },
    { status: 500, body: '' },
    { status: 200, body: '{"choices":' },
  ]);
}

type Outcome = 'asked' | 'died' | 'spent';

/** A few questions of one node at once; some of them end before they are settled. */
const askSome = (store: Store, options: JudgeOptions, random: Random): Promise<Outcome>[] =>
  Array.from({ length: 1 + Math.floor(random() * 4) }, async () => {
    const counts = { relevant: 0, irrelevant: 0, known: 0, failed: 0 };
    const state: JudgeState = { now: undefined, lastError: undefined, failures: 0, counts };
    const dies = random() < 0.2;
    const stopping = new AbortController();
    if (random() < 0.1) setTimeout(() => stopping.abort(), random() * 3);
    const dying = { ...store, settleJudgeCall: () => Promise.reject(new Died()) };
    const deps = { store: dies ? dying : store, clock: hastyClock, log: SILENT, holder: NOBODY };
    const asking = {
      intent: 'storms',
      text: 'a storm '.repeat(1 + random() * 200),
      held: HELD,
      signal: stopping.signal,
    };
    const end = await askWithin(deps, options, state, asking).catch((error: unknown) => error);
    if (end instanceof Error && !(end instanceof Died)) throw end;
    if (end instanceof Died) return 'died';
    return state.now === 'spent' ? 'spent' : 'asked';
  });

class Died extends Error {}

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const NOBODY = { id: 'node', isGone: () => false };
const HELD = { confirm: async () => {} };
