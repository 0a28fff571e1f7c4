/**
 * One upstream's registrations. Requests wait until the turn before has ended and are then taken together: however many
 * rules come and go meanwhile, a turn makes one addition and one deletion. Everything is stored before the upstream is
 * asked.
 */
import { PlatformError } from '../../platforms/platform.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import { mayRefresh, retryPause, untilNextTurn } from './due.ts';
import type { Drift, Holding, RegistrationFigures } from './holding.ts';
import { createQueueState, isAnyHeld, nextRemoval, type QueueParts, type QueueState, runTurn } from './queue-turn.ts';
import { leaveUnneeded } from './removal.ts';
import type { Pins } from './requests.ts';
import { heldAt, lastGoodAudit, loadGaps } from './rule-gaps.ts';

const AUDIT_EVERY_MS = 60_000;
/** On a shared store one node compares every minute; every other one does so this often. */
const AUDIT_AT_LEAST_MS = 300_000;
/** A comparison of very many registrations takes at most a tenth of the time. */
const AUDIT_SHARE = 10;
/** Doubts ask for a comparison at most this often: upstreams limit how often they may be asked. */
const DOUBT_EVERY_MS = 15_000;

export interface RegistrationQueue extends Pick<Pins, 'pin'> {
  /** Lets the text go again. A release that came meanwhile is carried out. */
  unpin(text: RuleText): void;
  /** The id under which the upstream holds the text, once it does. */
  hold(text: RuleText): Promise<string>;
  standsAlone(text: RuleText): boolean;
  /** The text's id at present: packs come and go. */
  idOf(text: RuleText): string | undefined;
  /** Removes the text unless a rule needs it. Resolves after the first try. */
  release(text: RuleText): Promise<void>;
  resolve(platformRuleId: string): Holding | 'late' | undefined;
  rulesHeld(): Promise<void>;
  /** Whether the upstream held the text at a time. A doubt makes the queue compare soon. */
  heldAt(text: RuleText, at: Date): ReturnType<typeof heldAt>;
  reconcile(): Promise<Drift>;
  figures(): RegistrationFigures;
}

/** Reads what is stored; `wanted` are the texts that rules want held. From then on the queue works by itself. */
export async function openRegistrationQueue(parts: QueueParts, wanted: Iterable<RuleText>): Promise<RegistrationQueue> {
  const state = createQueueState(parts);
  const { table, slots, requests, pins, log, platform } = state;
  await table.load(wanted);
  await loadGaps(state);
  await leaveUnneeded(state);
  void run(state);
  void auditRegularly(state);
  return {
    pin: pins.pin,
    unpin(text) {
      if (!pins.unpin(text)) return;
      requests
        .release(text)
        .catch((error: unknown) => log.warn({ platform: platform.name, err: error }, 'a release failed; retrying'));
    },
    hold: requests.hold,
    standsAlone: (text) => table.holderOf(text)?.texts.length === 1,
    idOf: (text) => table.holderOf(text)?.platformRuleId,
    release: requests.release,
    resolve: (platformRuleId) => resolve(state, platformRuleId),
    rulesHeld: () => rulesHeld(state),
    heldAt: (text, at) => doubtAt(state, text, at),
    reconcile: requests.audit,
    figures: () => slots.figures(),
  };
}

async function run(state: QueueState): Promise<void> {
  const { signal, wakeUp, clock, requests, parked } = state;
  while (!signal.aborted) {
    const wait = untilNextTurn({
      ...state.freshness,
      hasRequests: !requests.isEmpty,
      removalAt: nextRemoval(state),
      now: clock.now().getTime(),
      elapsed: clock.elapsed(),
    });
    if (wait > 0) await wakeUp.sleep(wait, signal);
    else await runTurn(state);
  }
  const error = new PlatformError('unreachable', 'The service is stopping.');
  requests.repeat(parked.splice(0));
  requests.close(error);
}

async function auditRegularly(state: QueueState): Promise<void> {
  const { clock, signal, log, platform, requests } = state;
  let auditedAt = Number.NEGATIVE_INFINITY;
  for (let failures = 0; !signal.aborted; ) {
    let pause = AUDIT_EVERY_MS;
    try {
      if (clock.elapsed() - auditedAt >= AUDIT_AT_LEAST_MS || !(await isAuditedElsewhere(state))) {
        const began = clock.elapsed();
        await requests.audit();
        auditedAt = clock.elapsed();
        pause = Math.max(pause, AUDIT_SHARE * (auditedAt - began));
      }
      failures = 0;
    } catch (error) {
      pause = retryPause(error, failures++);
      if (signal.aborted) return;
      log.warn({ platform: platform.name, err: error, retryMs: pause }, 'comparing registrations failed; retrying');
    }
    await clock.sleep(pause, signal);
  }
}

async function isAuditedElsewhere(state: QueueState): Promise<boolean> {
  if (!state.store.isShared) return false;
  const { gaps, clock } = state;
  gaps.goodAt = (await lastGoodAudit(state)) ?? gaps.goodAt;
  return gaps.goodAt !== undefined && clock.now().getTime() - gaps.goodAt.getTime() < AUDIT_EVERY_MS / 2;
}

function doubtAt(state: QueueState, text: RuleText, at: Date): ReturnType<typeof heldAt> {
  const { clock, requests, log, platform } = state;
  const known = heldAt(state, text, at);
  if (known !== 'unknown' || clock.elapsed() - state.doubtedAt < DOUBT_EVERY_MS) return known;
  state.doubtedAt = clock.elapsed();
  requests
    .audit()
    .catch((error: unknown) => log.warn({ platform: platform.name, err: error }, 'comparing registrations failed'));
  return known;
}

/** An unknown id makes the queue read the store again: another process may have registered it. */
function resolve(state: QueueState, platformRuleId: string): Holding | 'late' | undefined {
  const holding = state.table.meaningOf(platformRuleId);
  if (holding === undefined && mayRefresh(state.freshness, state.clock.elapsed())) {
    state.freshness = { ...state.freshness, isStale: true };
    state.wakeUp.wake();
  }
  return holding;
}

function rulesHeld(state: QueueState): Promise<void> {
  if (isAnyHeld(state)) return Promise.resolve();
  if (state.store.isShared && !state.freshness.awaitsFirst) {
    // Another process may make the first registration, and only the store tells.
    state.freshness = { ...state.freshness, awaitsFirst: true };
    state.wakeUp.wake();
  }
  return state.firstHeld.promise;
}
