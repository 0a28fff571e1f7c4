/**
 * Reconciliation of one upstream: what is held there is compared with what should be, and mended. Ours that are missing
 * are added again, ours that nobody wants go after ten minutes, and what is not marked as ours is never touched.
 */
import type { Registration } from '../../domain/registration.ts';
import { type HeldRule, PlatformError } from '../../platforms/platform.ts';
import type { RegistrationChange } from '../../store/store.ts';
import { keyOf, type RuleText } from '../rule-text.ts';
import { placeWants, type Want } from './assign.ts';
import { type Comparison, compare } from './comparison.ts';
import type { Draft } from './packing.ts';
import { type DeskState, membersOf, readCapacity, roomOf } from './queue-state.ts';
import { carryOut } from './register-drafts.ts';
import { textsOf } from './registration-table.ts';
import type { Drift } from './registrations.ts';
import { retire, wantForOthers } from './removal.ts';

/** How long something may be nobody's before it goes: another program of ours may be about to need it. */
const EXTRA_KEPT = 600_000;
/** How long the upstream may still speak of what is gone. */
const GONE_KEPT = 600_000;
/** On a shared store, another process may be asking for what was written down so lately. */
const ASKING = 60_000;
/** How long a text that was refused waits: doubled each time, up to the last. */
const REFUSED_WAIT = { first: 300_000, longest: 3_600_000 };

export async function audit(state: DeskState): Promise<Drift> {
  const { book, platform, prefix } = state;
  const held = await platform.held();
  await book.refresh();
  const seen = compare(book.rows(), held, prefix);
  state.ours.clear();
  for (const id of seen.ours) state.ours.add(id);
  await wantForOthers(
    state,
    seen.found.map(({ row }) => row),
  );
  await book.write(changeFor(state, seen));
  await retire(state);
  state.capacity = await readCapacity(state);
  noteForeign(state, seen.foreign);
  await mend(state);
  await rewrite(state);
  const extra = await takeExtra(state, seen.extra);
  const missing = seen.lost.filter((row) => row.state === 'held').length;
  const drift = { missing, extra, foreign: seen.foreign };
  if (missing + extra > 0) state.log.warn({ platform: platform.name, ...drift }, 'registrations had drifted');
  return drift;
}

function changeFor({ book, clock, store }: DeskState, { found, lost }: Comparison): RegistrationChange {
  const since = clock.now();
  const put: Registration[] = [];
  const drop: string[] = [];
  const holders: NonNullable<RegistrationChange['holders']>[number][] = [];
  for (const { row, id: platformRuleId } of found) {
    const isHeld = row.state !== 'leaving' && book.wantedOf(row).length > 0;
    put.push(isHeld ? { ...row, platformRuleId, state: 'held', since } : { ...row, platformRuleId, state: 'leaving' });
    if (!isHeld) continue;
    for (const text of textsOf(row))
      holders.push({ platform: row.platform, ...text, status: 'active', platformRuleId });
  }
  for (const row of lost) {
    const isAsked = store.isShared && row.state === 'wanted' && since.getTime() - row.since.getTime() < ASKING;
    if (isAsked) continue;
    if (row.platformRuleId === undefined) drop.push(row.tag);
    else put.push({ ...row, state: 'gone', since });
  }
  for (const { tag, state, since: began } of book.rows()) {
    if (state === 'gone' && since.getTime() - began.getTime() >= GONE_KEPT) drop.push(tag);
  }
  return { put, drop, holders };
}

function noteForeign(state: DeskState, foreign: number): void {
  if (foreign === state.foreign) return;
  state.foreign = foreign;
  state.log.info({ platform: state.platform.name, foreign }, 'the upstream holds rules that are not ours');
}

/** The store is asked once more: another program may have written down what we do not know. */
async function takeExtra(
  { platform, store, clock, extraSince }: DeskState,
  extra: readonly HeldRule[],
): Promise<number> {
  const now = clock.now().getTime();
  const present = new Set(extra.map(({ id }) => id));
  for (const id of extraSince.keys()) if (!present.has(id)) extraSince.delete(id);
  for (const id of present) if (!extraSince.has(id)) extraSince.set(id, now);
  const old = extra.filter(({ id }) => now - extraSince.get(id)! >= EXTRA_KEPT);
  if (old.length === 0) return 0;
  const stored = (await store.registrations(platform.name)).filter(({ state }) => state !== 'gone');
  const known = new Set(stored.map(({ tag, platformRuleId }) => platformRuleId ?? tag));
  const ids = old.filter(({ id, tag }) => !known.has(id) && !known.has(tag ?? '')).map(({ id }) => id);
  if (ids.length > 0) await platform.unregister(ids);
  return ids.length;
}

/** Gives every text a place again that lost its own. What cannot be held says so in its rules, and is tried again. */
async function mend(state: DeskState): Promise<void> {
  const now = state.clock.now().getTime();
  const due: RuleText[] = [];
  for (const text of state.book.homeless()) {
    if ((state.refusals.get(keyOf(text))?.again ?? 0) > now) continue;
    // Another program on this store may have deleted the last rule, and its registration.
    if ((await state.store.countHolders(state.platform.name, text.value, text.flags)) > 0) due.push(text);
    else state.book.forget(text);
  }
  const failures: { text: RuleText; error: unknown }[] = [];
  const wants = due.map(
    (text): Want => ({
      text,
      resolve: () => {},
      reject: (error) => void failures.push({ text, error }),
      tries: 0,
    }),
  );
  await placeWants(state, wants);
  if (failures.length === 0) return;
  for (const { text, error } of failures) if (isRefusal(error)) postpone(state, text, now);
  await state.book.write({
    holders: failures.map(({ text, error }) => ({
      platform: state.platform.name,
      ...text,
      status: 'failed',
      error: error instanceof Error ? error.message : String(error),
    })),
  });
}

/** An upstream that could not be reached, or has had enough calls for now, has not said no. */
const isRefusal = (error: unknown): boolean =>
  error instanceof PlatformError &&
  (error.fault === 'refused' || (error.fault === 'limit' && error.retryAfter === undefined));

function postpone({ refusals }: DeskState, text: RuleText, now: number): void {
  const tries = refusals.get(keyOf(text))?.tries ?? 0;
  const wait = Math.min(REFUSED_WAIT.first * 2 ** tries, REFUSED_WAIT.longest);
  refusals.set(keyOf(text), { tries: tries + 1, again: now + wait });
}

/** Packs with texts that nobody wants any more are written anew without them, as many as there are slots for. */
async function rewrite(state: DeskState): Promise<void> {
  const { book, log, platform } = state;
  const stale = book.rows().filter((row) => row.state === 'held' && book.livingIn(row).length < row.texts.length);
  const { now } = await roomOf(state);
  const drafts: Draft[] = [];
  for (const row of stale.slice(0, Math.max(0, now))) {
    drafts.push({ members: await membersOf(state, book.livingIn(row)), replaces: [row.tag] });
  }
  for (const { error } of await carryOut(state, drafts)) {
    log.warn({ platform: platform.name, err: error }, 'a pack could not be written anew; it stays as it is');
  }
}
