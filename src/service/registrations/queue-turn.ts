/** One turn of a queue: handles everything requested since the last turn, and everything that is due. */
import { PlatformError } from '../../platforms/platform.ts';
import { textKey } from '../../rules/rule-text.ts';
import { assign } from './assign.ts';
import { audit } from './audit.ts';
import { isLeaving, isRefreshDue, NO_RETRY, retryAfter, retryPause } from './due.ts';
import { isAnyHeld, noRoom, type QueueState } from './queue-state.ts';
import { dueAt, removeDue, retire } from './removal.ts';
import type { AuditRequest, ReleaseRequest, TakenRequests } from './requests.ts';

export async function takeTurn(state: QueueState): Promise<void> {
  const taken = state.requests.take();
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
const isOutOfDate = ({ store, table }: QueueState, { holds, releases }: TakenRequests): boolean =>
  store.isShared && (releases.length > 0 || holds.some(({ text }) => table.holderOf(text) !== undefined));

async function refresh(state: QueueState): Promise<void> {
  state.freshness = { ...state.freshness, isStale: false, refreshedAt: state.clock.elapsed() };
  await state.table.refresh();
}

/** Forgets the texts that no rule needs, and retires the registrations that then hold nothing. */
async function release(state: QueueState, releases: readonly ReleaseRequest[]): Promise<void> {
  const { table, pins, store, platform, unreleased } = state;
  // Until it is done: a store that fails now must not leave a registration behind for good.
  for (const { text } of releases) unreleased.set(textKey(text), text);
  if (unreleased.size === 0) return;
  for (const [key, text] of unreleased) {
    const isNeeded = pins.putsOff(text) || (await store.countHolders(platform.name, text.value, text.flags)) > 0;
    if (isNeeded) continue;
    table.forget(text);
    state.parts.delete(key);
  }
  await retire(state);
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
  for (const { reject } of parked.splice(0)) reject(error ?? noRoom(state));
}

function noteFirstHeld(state: QueueState): void {
  if (!isAnyHeld(state)) return;
  state.freshness = { ...state.freshness, awaitsFirst: false };
  state.firstHeld.resolve();
  state.firstHeld = Promise.withResolvers();
}

const timeOf = ({ clock }: QueueState): number => clock.now().getTime();
