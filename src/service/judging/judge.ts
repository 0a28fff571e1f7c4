/**
 * Asks the operator's model about matches whose relevance is unsure, of rules with an intent. It walks along the stored matches, so
 * it is never in the way of an event or a delivery, and one process does it, under a lease. A match that cannot be judged stays
 * as it is: after a failure, and while the budget is spent, the walk rests, and goes on with what is not too old by then.
 */
import { createWakeUp } from '../../base/wake-up.ts';
import type { JudgeLimit, JudgeSpending } from '../../domain/match.ts';
import { isDemo } from '../../domain/source.ts';
import { isUnsure } from '../../signal/relevance.ts';
import { shownText } from '../../signal/shown-text.ts';
import { StoreError } from '../../store/error.ts';
import { type HeldLease, underLease } from '../../store/lease.ts';
import { type Position, positionAt } from '../../store/order.ts';
import type { UnjudgedPage } from '../../store/store.ts';
import type { Reader } from '../reader/reader.ts';
import { contentOf, type JudgeOptions } from './ask-model.ts';
import { type AskDeps, askWithin, isStopped, type JudgeState } from './ask-within.ts';

export interface Judge {
  /** Until the signal aborts. It never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** There may be new matches. */
  wake(): void;
  status(): Promise<JudgeStatus>;
  /** The counts of this process since it started. */
  readonly counts: Readonly<JudgeState['counts']>;
}

/** The state and the last error are those of this process. The state is undefined where another one judges. */
export interface JudgeStatus extends Pick<JudgeState, 'now' | 'lastError'> {
  readonly model: string;
  readonly limits: readonly JudgeLimit[];
  /** By all processes. */
  readonly spent: Readonly<Record<JudgeLimit['per'], JudgeSpending>>;
}

export interface JudgeDeps extends AskDeps {
  readonly reader: Pick<Reader, 'score'>;
}

const LEASE = 'judge';
/** Matches that one step looks through. */
const SLICE = 100;
/** A match that is older is not judged any more: its readers have seen it. */
const OLDEST_MS = 60 * 60 * 1_000;
/** Other processes store matches without a word to this one. */
const LOOK_EVERY_MS = 2_000;
const STORE_PAUSE_MS = 10_000;

export function createJudge(deps: JudgeDeps, options: JudgeOptions): Judge {
  const { store, clock } = deps;
  const wakeUp = createWakeUp(clock);
  const counts = { relevant: 0, irrelevant: 0, known: 0, failed: 0 };
  const state: JudgeState = { now: undefined, lastError: undefined, failures: 0, counts };
  const lookEvery = store.isShared ? LOOK_EVERY_MS : Number.POSITIVE_INFINITY;

  async function walk(held: HeldLease, signal: AbortSignal): Promise<void> {
    let place = 0;
    while (!signal.aborted && !isStopped(state)) {
      state.now = 'judging';
      try {
        await held.confirm();
        place = Math.max(place, positionAt(clock.now().getTime() - OLDEST_MS));
        const page = await store.unjudged(place, SLICE);
        place = await judgePage(deps, options, state, { page, held, signal });
        if (place === page.last && page.looked < SLICE) await wakeUp.sleep(lookEvery, signal);
      } catch (error) {
        if (error instanceof StoreError && error.reason === 'fenced') return;
        deps.log.warn({ err: error }, 'Matches cannot be judged, because the store failed. Retrying in ten seconds.');
        await clock.sleep(STORE_PAUSE_MS, signal);
      }
    }
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !isStopped(state)) {
      await underLease(deps, LEASE, signal, walk);
      if (!isStopped(state)) state.now = undefined;
    }
  };
  return { run, wake: wakeUp.wake, status: () => statusOf(deps, options, state), counts };
}

const statusOf = async (
  { store, clock }: JudgeDeps,
  options: JudgeOptions,
  state: JudgeState,
): Promise<JudgeStatus> => ({
  model: options.model,
  now: state.now,
  lastError: state.lastError,
  limits: options.limits,
  spent: await store.judgeSpending(clock.now()),
});

interface Work {
  readonly page: UnjudgedPage;
  readonly held: HeldLease;
  readonly signal: AbortSignal;
}

/**
 * Answers the place to go on from. A rest leaves the page: its other matches may be rated or too old by then, and are read anew.
 */
async function judgePage(
  deps: JudgeDeps,
  options: JudgeOptions,
  state: JudgeState,
  { page, held, signal }: Work,
): Promise<Position> {
  for (const one of page.matches) {
    await judgeOne(deps, options, state, { one, held, signal });
    if (state.now !== 'judging') return one.match.position;
  }
  return page.last;
}

interface Turn {
  readonly one: UnjudgedPage['matches'][number];
  readonly held: HeldLease;
  readonly signal: AbortSignal;
}

async function judgeOne(
  deps: JudgeDeps,
  options: JudgeOptions,
  state: JudgeState,
  { one: { match, intent }, held, signal }: Turn,
): Promise<void> {
  if (signal.aborted || isStopped(state) || isDemo(match)) return;
  const { store, reader } = deps;
  const score = await reader.score(match);
  if (score === undefined || !isUnsure(score)) return;
  const text = shownText(match.platform, match.payload);
  const content = contentOf(intent, options.model, text);
  const known = await store.knownJudgement(match.ruleId, content);
  if (known !== undefined) state.counts.known++;
  const judgement = known ?? (await askWithin(deps, options, state, { intent, text, held, signal }));
  if (judgement !== undefined) await store.keepJudgement({ position: match.position, intent, content, judgement });
}
