/** One turn of a queue, and what the queue knows between two of them. */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp, type WakeUp } from '../../base/wake-up.ts';
import type { Gap } from '../../domain/coverage.ts';
import { type LivePlatform, PlatformError } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import { audit } from './audit.ts';
import { type Freshness, isLeaving, isRefreshDue, NO_RETRY, type RemovalRetry, retryAfter, retryPause } from './due.ts';
import { assign, type RegisterDeps } from './register.ts';
import { createRegistrationTable } from './registration-table.ts';
import { dueAt, leaveUnneeded, type RemovalDeps, removeDue } from './removal.ts';
import {
  type AuditRequest,
  createPins,
  createRequests,
  type HoldRequest,
  type PendingRequests,
  type Pins,
  type ReleaseRequest,
  type Requests,
} from './requests.ts';
import { createRuleGaps, type GapDeps } from './rule-gaps.ts';
import { createUpstreamSlots } from './slots.ts';

export interface QueueParts {
  readonly platform: LivePlatform;
  readonly language: Language;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The tags of this instance's registrations begin with it. */
  readonly prefix: string;
  /** Told of gaps of rules, once they are on record. */
  readonly onGap: (gap: Gap) => void;
}

/**
 * The steps of the queue work on this state, each with its own part of it. The queue alone knows what is asked of it
 * and when its turns are.
 */
export interface QueueState extends QueueParts, RegisterDeps, RemovalDeps, GapDeps {
  readonly requests: Requests;
  readonly pins: Pins;
  /** Requests whose slots are still taken by registrations that are leaving. */
  readonly parked: HoldRequest[];
  /** Texts whose release is not done yet, by key. */
  readonly unreleased: Map<string, RuleText>;
  readonly wakeUp: WakeUp;
  freshness: Freshness;
  removalRetry: RemovalRetry;
  /** Resolves when the upstream holds a registration of ours. */
  firstHeld: PromiseWithResolvers<void>;
  /** When a doubt last asked for a comparison, on the monotonic clock. */
  doubtedAt: number;
}

export function createQueueState(parts: QueueParts): QueueState {
  const wakeUp = createWakeUp(parts.clock);
  const table = createRegistrationTable(parts.store, parts.platform.name);
  return {
    ...parts,
    table,
    slots: createUpstreamSlots({ ...parts, table }),
    gaps: createRuleGaps(),
    ours: new Set(),
    extraSince: new Map(),
    packParts: new Map(),
    refusals: new Map(),
    requests: createRequests(wakeUp.wake),
    pins: createPins(),
    parked: [],
    unreleased: new Map(),
    wakeUp,
    freshness: { refreshedAt: Number.NEGATIVE_INFINITY, isStale: false, awaitsFirst: false },
    removalRetry: NO_RETRY,
    firstHeld: Promise.withResolvers(),
    doubtedAt: Number.NEGATIVE_INFINITY,
  };
}

export const isAnyHeld = ({ table }: QueueState): boolean => table.rows().some(({ state }) => state === 'held');

/** Does everything that was requested since the last turn, and everything that is due. */
export async function runTurn(state: QueueState): Promise<void> {
  const taken = state.requests.drain();
  try {
    if (isRefreshDue(state.freshness, state.clock.elapsed()) || isOutOfDate(state, taken)) await refresh(state);
    await release(state, taken.releases);
    await answerAudits(state, taken.audits);
    state.parked.push(...(await assign(state, taken.holds)));
    await removeAndRetry(state);
    noteFirstHeld(state);
    for (const { resolve } of taken.releases) resolve();
  } catch (error) {
    // The store failed, or there is a defect. What was answered before stays answered.
    for (const { reject } of [...taken.holds, ...taken.releases, ...taken.audits]) reject(error);
    state.removalRetry = { ...state.removalRetry, notBefore: timeOf(state) + retryPause(error, 0) };
  }
}

/** When something is to be removed, or is to be looked at again because the store failed. */
export function nextRemoval(state: QueueState): number {
  const { table, removalRetry, unreleased } = state;
  const first = unreleased.size > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const due = table.rows().reduce((earliest, row) => Math.min(earliest, dueAt(state, row)), first);
  return Math.max(due, removalRetry.notBefore);
}

/** Another process on the same store may have removed what we take for held, or have made what is to go. */
const isOutOfDate = ({ store, table }: QueueState, { holds, releases }: PendingRequests): boolean =>
  store.isShared && (releases.length > 0 || holds.some(({ text }) => table.holderOf(text) !== undefined));

async function refresh(state: QueueState): Promise<void> {
  state.freshness = { ...state.freshness, isStale: false, refreshedAt: state.clock.elapsed() };
  await state.table.refresh();
}

/** Forgets the texts that no rule needs, and has the registrations leave that then hold nothing. */
async function release(state: QueueState, releases: readonly ReleaseRequest[]): Promise<void> {
  const { table, pins, store, platform, unreleased } = state;
  // Until it is done: a store that fails now must not leave a registration behind for good.
  for (const { text } of releases) unreleased.set(textKey(text), text);
  if (unreleased.size === 0) return;
  for (const [key, text] of unreleased) {
    const isNeeded = pins.putsOff(text) || (await store.countHolders(platform.name, text.value, text.flags)) > 0;
    if (isNeeded) continue;
    table.forget(text);
    state.packParts.delete(key);
  }
  await leaveUnneeded(state);
  unreleased.clear();
}

async function answerAudits(state: QueueState, audits: readonly AuditRequest[]): Promise<void> {
  if (audits.length === 0) return;
  try {
    const drift = await audit(state);
    for (const { resolve } of audits) resolve(drift);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    for (const { reject } of audits) reject(error);
  }
}

async function removeAndRetry(state: QueueState): Promise<void> {
  const { log, platform, requests, parked } = state;
  if (nextRemoval(state) > timeOf(state)) return refuseParked(state);
  try {
    const isFreed = await removeDue(state);
    state.removalRetry = NO_RETRY;
    if (isFreed) requests.repeat(parked.splice(0));
    refuseParked(state);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    state.removalRetry = retryAfter(error, state.removalRetry, timeOf(state));
    log.warn({ platform: platform.name, err: error }, 'removing registrations failed; retrying');
    refuseParked(state, error);
  }
}

/** Refuses requests that wait for a slot when none can come free. */
function refuseParked(state: QueueState, error?: PlatformError): void {
  const { parked, table } = state;
  if (parked.length === 0 || (error === undefined && table.rows().some(isLeaving))) return;
  for (const { reject } of parked.splice(0)) reject(error ?? state.slots.full());
}

function noteFirstHeld(state: QueueState): void {
  if (!isAnyHeld(state)) return;
  state.freshness = { ...state.freshness, awaitsFirst: false };
  state.firstHeld.resolve();
  state.firstHeld = Promise.withResolvers();
}

const timeOf = ({ clock }: QueueState): number => clock.now().getTime();
