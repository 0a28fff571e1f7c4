/**
 * Compares what one upstream holds with what it should hold, and mends the difference. Registrations of ours that are
 * missing are added again, those that no rule wants are removed after ten minutes, and those without our mark are never
 * touched.
 */
import type { Registration } from '../../domain/rule.ts';
import { PlatformError } from '../../platforms/platform.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import { type Comparison, compare } from './comparison.ts';
import type { Drift } from './holding.ts';
import type { RegistrationDraft } from './packing.ts';
import { assign, packMembers, type RegisterDeps, registerDrafts } from './register.ts';
import { type RegistrationStep, registrationChange } from './registration-lifecycle.ts';
import { leaveUnneeded, type RemovalDeps, removeExtra, wantForOthers } from './removal.ts';
import type { HoldRequest } from './requests.ts';
import {
  closeGaps,
  explainGaps,
  type GapDeps,
  missingHolders,
  noteGoodAudit,
  openGaps,
  readOpenGaps,
  vanishedRows,
} from './rule-gaps.ts';

/** A removed registration is remembered this long: the upstream may still name it in its stream. */
const GONE_KEPT_MS = 600_000;
/** On a shared store, a wanted registration that is younger than this may be one that another process is asking for now. */
const ASKING_MS = 60_000;
/** How long a refused text waits for the next try. The wait doubles each time, up to the longest. */
const REFUSED_WAIT_MS = { first: 300_000, longest: 3_600_000 };

type AuditDeps = RegisterDeps & RemovalDeps & GapDeps;

export async function audit(state: AuditDeps): Promise<Drift> {
  const { table, platform, prefix, slots, store } = state;
  const began = state.clock.now();
  if (store.isShared) {
    await table.refresh();
    // Not later: what another node misses from here on may have been there still when this node listed.
    await readOpenGaps(state);
  }
  const before = new Set(table.rows().map(idHeld));
  const held = await platform.held();
  await table.refresh();
  const listed = new Set(held.map(({ id }) => id));
  // Another process may have registered it while the list was on its way.
  const isTooNew = (id: string | undefined) => id !== undefined && !before.has(id) && !listed.has(id);
  const rows = table.rows().filter((row) => !isTooNew(idHeld(row)));
  const seen = compare(rows, held, prefix);
  state.ours.clear();
  for (const id of seen.ours) state.ours.add(id);
  await wantForOthers(state, [...seen.found.map(({ row }) => row), ...tracesIn(rows)]);
  const vanished = vanishedRows(seen);
  await openGaps(state, vanished);
  const change = registrationChange(stepsFor(state, seen));
  await table.write({ ...change, holders: [...missingHolders(state, vanished), ...change.holders] });
  await leaveUnneeded(state);
  if (vanished.length > 0 || slots.isOld) await slots.read();
  slots.noteForeign(seen.foreign);
  await registerMissing(state);
  await rewritePacks(state);
  const extra = await removeExtra(state, seen.extra);
  await closeGaps(state);
  await noteGoodAudit(state, began);
  const missing = vanished.length;
  const drift = { missing, extra, foreign: seen.foreign };
  if (missing + extra > 0)
    state.log.warn({ platform: platform.name, ...drift }, 'registrations had drifted and were mended');
  return drift;
}

/**
 * A node that is no more may have made a rule and then noted that its registration is gone: no other sign of it reaches
 * this node, which must have it registered. One that is held comes first, so that its texts are not registered twice.
 */
const tracesIn = (rows: readonly Registration[]): Registration[] =>
  (['held', 'gone'] as const).flatMap((state) => rows.filter((row) => row.state === state));

const idHeld = ({ state, platformRuleId }: Registration) => (state === 'held' ? platformRuleId : undefined);

/** The steps that follow from the comparison for each registration. */
function* stepsFor({ table, clock, store }: AuditDeps, { found, lost }: Comparison): Iterable<RegistrationStep> {
  const at = clock.now();
  for (const { row, id } of found) {
    const isHeld = row.state !== 'leaving' && table.wantedOf(row).length > 0;
    yield { row, event: isHeld ? 'found' : 'found_unneeded', at, id };
  }
  const age = ({ since }: Registration): number => at.getTime() - since.getTime();
  for (const row of lost) {
    const mayBeAsked = store.isShared && row.state === 'wanted' && age(row) < ASKING_MS;
    if (!mayBeAsked) yield { row, event: 'lost', at };
  }
  for (const row of table.rows())
    if (row.state === 'gone' && age(row) >= GONE_KEPT_MS) yield { row, event: 'expired', at };
}

/** Has every text held again that lost its registration. A text that cannot be held fails its rules and is tried again. */
async function registerMissing(state: AuditDeps): Promise<void> {
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

function postpone({ refusals }: AuditDeps, text: RuleText, now: number): void {
  const tries = refusals.get(textKey(text))?.tries ?? 0;
  const wait = Math.min(REFUSED_WAIT_MS.first * 2 ** tries, REFUSED_WAIT_MS.longest);
  refusals.set(textKey(text), { tries: tries + 1, again: now + wait });
}

/** Registers packs again without the texts that no rule wants any more, as many as there are free slots. */
async function rewritePacks(state: AuditDeps): Promise<void> {
  const { table, log, platform } = state;
  await takeOut(state);
  const stale = table.rows().filter((row) => row.state === 'held' && table.heldIn(row).length < row.texts.length);
  const { now } = await state.slots.room();
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

/**
 * Registers alone what an earlier release packed and what must stand alone, as far as slots are free for good. Its pack holds it
 * until then, and is rewritten without it.
 */
async function takeOut(state: AuditDeps): Promise<void> {
  const { table, log, platform, refusals } = state;
  const at = state.clock.now().getTime();
  const { free, now } = await state.slots.room();
  const texts: RuleText[] = [];
  for (const row of table.rows().filter((one) => one.state === 'held' && one.texts.length > 1)) {
    const members = await packMembers(state, table.heldIn(row));
    const alone = members.filter(({ part }) => part === undefined).map(({ text }) => text);
    texts.push(...(alone.length === members.length ? alone.slice(1) : alone));
  }
  const due = texts.filter((text) => (refusals.get(textKey(text))?.again ?? 0) <= at);
  const drafts = due.map((text) => ({ members: [{ text, part: undefined }], replaces: [] }));
  for (const { draft, error } of await registerDrafts(state, drafts.slice(0, Math.max(0, Math.min(free, now))))) {
    for (const { text } of draft.members) if (isRefusal(error)) postpone(state, text, at);
    log.warn({ platform: platform.name, err: error }, 'a text could not be taken out of its pack; it stays there');
  }
}
