/**
 * Compares what one upstream holds with what it should hold, and mends the difference. Registrations of ours that are
 * missing are added again, those that no rule wants are removed after ten minutes, and those without our mark are never
 * touched.
 */
import type { Registration } from '../../domain/registration.ts';
import { type HeldRule, PlatformError } from '../../platforms/platform.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { RegistrationChange } from '../../store/store.ts';
import { assign } from './assign.ts';
import { type Comparison, compare } from './comparison.ts';
import type { Drift } from './holding.ts';
import type { RegistrationDraft } from './packing.ts';
import { packMembers, type QueueState, readCapacity, roomOf } from './queue-state.ts';
import { registerDrafts } from './register-drafts.ts';
import { textsIn } from './registration-table.ts';
import { retire, wantForOthers } from './removal.ts';
import type { HoldRequest } from './requests.ts';
import { activeHolders } from './rule-status.ts';
import { closeGaps, explainGaps, missingHolders, noteGoodAudit, openGaps, vanishedRows } from './vanished.ts';

/** A registration of ours that no rule wants is kept this long: another process may be about to need it. */
const EXTRA_KEPT_MS = 600_000;
/** A removed registration is remembered this long: the upstream may still name it in its stream. */
const GONE_KEPT_MS = 600_000;
/** On a shared store, an intent that is younger than this may be one that another process is asking for now. */
const ASKING_MS = 60_000;
const CAPACITY_KEPT_MS = 50_000;
/** How long a refused text waits for the next try. The wait doubles each time, up to the longest. */
const REFUSED_WAIT_MS = { first: 300_000, longest: 3_600_000 };

export async function audit(state: QueueState): Promise<Drift> {
  const { table, platform, prefix } = state;
  const began = state.clock.now();
  const held = await platform.held();
  await table.refresh();
  const seen = compare(table.rows(), held, prefix);
  state.ours.clear();
  for (const id of seen.ours) state.ours.add(id);
  const vanished = vanishedRows(seen);
  await openGaps(state, vanished);
  await wantForOthers(
    state,
    seen.found.map(({ row }) => row),
  );
  const change = changeFor(state, seen);
  await table.write({ ...change, holders: [...missingHolders(state, vanished), ...change.holders!] });
  await retire(state);
  if (vanished.length > 0 || isOld(state)) state.capacity = await readCapacity(state);
  noteForeign(state, seen.foreign);
  await mend(state);
  await rewrite(state);
  const extra = await removeExtra(state, seen.extra);
  await closeGaps(state);
  await noteGoodAudit(state, began);
  const missing = vanished.length;
  const drift = { missing, extra, foreign: seen.foreign };
  if (missing + extra > 0)
    state.log.warn({ platform: platform.name, ...drift }, 'registrations had drifted and were mended');
  return drift;
}

/** A comparison that a doubt asked for soon after another does not ask for the capacity again: it has a quota. */
const isOld = ({ capacity, clock }: QueueState): boolean =>
  capacity === undefined || clock.elapsed() - capacity.readAt >= CAPACITY_KEPT_MS;

function changeFor({ table, clock, store }: QueueState, { found, lost }: Comparison): RegistrationChange {
  const since = clock.now();
  const put: Registration[] = [];
  const drop: string[] = [];
  const holders: NonNullable<RegistrationChange['holders']>[number][] = [];
  for (const { row, id: platformRuleId } of found) {
    const isHeld = row.state !== 'leaving' && table.wantedOf(row).length > 0;
    put.push(isHeld ? { ...row, platformRuleId, state: 'held', since } : { ...row, platformRuleId, state: 'leaving' });
    if (isHeld) holders.push(...activeHolders(row.platform, textsIn(row), platformRuleId));
  }
  for (const row of lost) {
    const isAsked = store.isShared && row.state === 'wanted' && since.getTime() - row.since.getTime() < ASKING_MS;
    if (isAsked) continue;
    if (row.platformRuleId === undefined) drop.push(row.tag);
    else put.push({ ...row, state: 'gone', since });
  }
  for (const { tag, state, since: began } of table.rows()) {
    if (state === 'gone' && since.getTime() - began.getTime() >= GONE_KEPT_MS) drop.push(tag);
  }
  return { put, drop, holders };
}

function noteForeign(state: QueueState, foreign: number): void {
  if (foreign === state.foreign) return;
  state.foreign = foreign;
  state.log.info({ platform: state.platform.name, foreign }, 'the upstream also holds rules of other programs');
}

/** Removes old extras. The store is read once more: another process may have stored a registration that we do not know. */
async function removeExtra(
  { platform, store, clock, extraSince }: QueueState,
  extra: readonly HeldRule[],
): Promise<number> {
  const now = clock.now().getTime();
  const present = new Set(extra.map(({ id }) => id));
  for (const id of extraSince.keys()) if (!present.has(id)) extraSince.delete(id);
  for (const id of present) if (!extraSince.has(id)) extraSince.set(id, now);
  const old = extra.filter(({ id }) => now - extraSince.get(id)! >= EXTRA_KEPT_MS);
  if (old.length === 0) return 0;
  const stored = (await store.registrations(platform.name)).filter(({ state }) => state !== 'gone');
  const known = new Set(stored.map(({ tag, platformRuleId }) => platformRuleId ?? tag));
  const ids = old.filter(({ id, tag }) => !known.has(id) && !known.has(tag ?? '')).map(({ id }) => id);
  if (ids.length > 0) await platform.unregister(ids);
  return ids.length;
}

/** Has every text held again that lost its registration. A text that cannot be held fails its rules and is tried again. */
async function mend(state: QueueState): Promise<void> {
  const now = state.clock.now().getTime();
  const due: RuleText[] = [];
  for (const text of state.table.unheld()) {
    if ((state.refusals.get(textKey(text))?.again ?? 0) > now) continue;
    // Another process on this store may have deleted the last rule, and its registration.
    if ((await state.store.countHolders(state.platform.name, text.value, text.flags)) > 0) due.push(text);
    else state.table.forget(text);
  }
  const failures: { text: RuleText; error: unknown }[] = [];
  const requests = due.map(
    (text): HoldRequest => ({
      text,
      resolve: () => {},
      reject: (error) => void failures.push({ text, error }),
      tries: 0,
    }),
  );
  await assign(state, requests);
  if (failures.length === 0) return;
  for (const { text, error } of failures) await explainGaps(state, text, error);
  for (const { text, error } of failures) if (isRefusal(error)) postpone(state, text, now);
  await state.table.write({
    holders: failures.map(({ text, error }) => ({
      platform: state.platform.name,
      ...text,
      status: 'failed',
      error: error instanceof Error ? error.message : String(error),
    })),
  });
}

/** Being unreachable, or taking no more calls for now, is no refusal. */
const isRefusal = (error: unknown): boolean =>
  error instanceof PlatformError &&
  (error.fault === 'refused' || (error.fault === 'limit' && error.retryAfter === undefined));

function postpone({ refusals }: QueueState, text: RuleText, now: number): void {
  const tries = refusals.get(textKey(text))?.tries ?? 0;
  const wait = Math.min(REFUSED_WAIT_MS.first * 2 ** tries, REFUSED_WAIT_MS.longest);
  refusals.set(textKey(text), { tries: tries + 1, again: now + wait });
}

/** Registers packs again without the texts that no rule wants any more, as many as there are free slots. */
async function rewrite(state: QueueState): Promise<void> {
  const { table, log, platform } = state;
  const stale = table.rows().filter((row) => row.state === 'held' && table.heldIn(row).length < row.texts.length);
  const { now } = await roomOf(state);
  const drafts: RegistrationDraft[] = [];
  for (const row of stale.slice(0, Math.max(0, now))) {
    drafts.push({ members: await packMembers(state, table.heldIn(row)), replaces: [row.tag] });
  }
  for (const { error } of await registerDrafts(state, drafts)) {
    log.warn(
      { platform: platform.name, err: error },
      'a pack could not be rewritten without its unwanted texts; it stays as it is',
    );
  }
}
