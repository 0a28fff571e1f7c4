/** One question within the budget: what it may cost at most is stored before it is asked, and what it did cost, after it. */
import type { Clock } from '../../base/clock.ts';
import type { MatchJudgement } from '../../domain/match.ts';
import { doubling, jittered } from '../../platforms/pace.ts';
import type { HeldLease, Holder } from '../../store/lease.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import { type Answered, askModel, type JudgeOptions, questionOf } from './ask-model.ts';

export interface AskDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: Holder;
  readonly random?: () => number;
}

export const JUDGE_STATES = ['judging', 'paused', 'spent', 'stopped'] as const;

export interface JudgeState {
  now: (typeof JUDGE_STATES)[number] | undefined;
  lastError: { readonly at: Date; readonly message: string } | undefined;
  /** In a row. */
  failures: number;
  /** `known`: another match with the same text had been judged. `failed`: the model was asked and gave no judgement. */
  readonly counts: { relevant: number; irrelevant: number; known: number; failed: number };
}

export const isStopped = ({ now }: JudgeState): boolean => now === 'stopped';

const SPENT_MS = 5 * 60 * 1_000;
const PAUSE = doubling(5_000, 15 * 60 * 1_000);
const LONGEST_PAUSE_MS = 60 * 60 * 1_000;

interface Asking {
  readonly intent: string;
  readonly text: string;
  readonly held: Pick<HeldLease, 'confirm'>;
  readonly signal: AbortSignal;
}

/** Returns undefined after a failure, or when the budget is spent: then it has rested before it answers. */
export async function askWithin(
  deps: AskDeps,
  options: JudgeOptions,
  state: JudgeState,
  { intent, text, held, signal }: Asking,
): Promise<MatchJudgement | undefined> {
  const { store, clock } = deps;
  const question = questionOf(options, intent, text);
  await held.confirm();
  const reserved = await store.reserveJudgeCall(question.money, options.limits, clock.now());
  if (reserved === undefined) {
    state.now = 'spent';
    await clock.sleep(SPENT_MS, signal);
    return undefined;
  }
  state.now = 'judging';
  const answered = await askModel(options, question, clock, signal);
  const { used, judgement } = answered;
  if (used !== undefined) await store.settleJudgeCall(reserved, used);
  if (used !== undefined && used.money > question.money) stop(deps, state);
  else if (judgement === undefined) await rest(deps, state, answered, signal);
  if (judgement === undefined) return undefined;
  state.failures = 0;
  state.counts[judgement.relevant ? 'relevant' : 'irrelevant']++;
  return { ...judgement, at: clock.now() };
}

async function rest(
  { clock, log, random = Math.random }: AskDeps,
  state: JudgeState,
  { problem = '', retryAfterMs = 0 }: Answered,
  signal: AbortSignal,
): Promise<void> {
  // A call that was cut short because the process stops is no failure of the judge.
  if (signal.aborted) return;
  state.counts.failed++;
  state.failures++;
  state.now = 'paused';
  state.lastError = { at: clock.now(), message: problem };
  const pause = Math.min(LONGEST_PAUSE_MS, Math.max(retryAfterMs, jittered(PAUSE(state.failures), random)));
  log.warn(
    { problem, seconds: Math.round(pause / 1_000) },
    'The judge gave no judgement. It is left alone for a while.',
  );
  await clock.sleep(pause, signal);
}

/** A server that does not keep to `max_tokens` could pass any budget, so it is not asked again. */
function stop({ clock, log }: AskDeps, state: JudgeState): void {
  const message = 'The judge used more tokens than it was allowed. It is not asked again before the next start.';
  state.now = 'stopped';
  state.lastError = { at: clock.now(), message };
  log.error({}, message);
}
