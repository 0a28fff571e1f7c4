/**
 * Registrations that an upstream has lost, because another program deleted or changed them: what they were to find is a
 * gap of each of their rules. It begins some seconds before the last comparison that found the registration, since the
 * upstream may have been about to match what was published then. It ends when the upstream acts on the new registration.
 */

import type { CoverageReason } from '../../domain/coverage-reasons.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Registration } from '../../domain/registration.ts';
import { PlatformError } from '../../platforms/platform.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { RegistrationChange } from '../../store/store.ts';
import type { Comparison } from './comparison.ts';
import { OVERLAP_MS } from './due.ts';
import type { QueueState } from './queue-state.ts';

/** What was published this long before may not have been matched yet. */
const LEAD_MS = 10_000;
/** A repair is remembered for this long: the verdicts on what came before it may take a minute. */
const REPAIR_KEPT_MS = 300_000;

const CAUSES: readonly string[] = [
  'registration_missing',
  'over_limit',
  'rule_refused',
] satisfies readonly CoverageReason[];

/** Held by what we knew, and not there, or there under another id: between the two it was nowhere. */
export function vanishedRows({ lost, found }: Comparison): Registration[] {
  const gone = lost.filter(({ state }) => state === 'held');
  const replaced = found.filter(({ row, id }) => row.state === 'held' && row.platformRuleId !== id);
  return [...gone, ...replaced.map(({ row }) => row)];
}

/** Opens a gap for every rule of the rows. It is stored before anything else changes: a crash repeats it. */
export async function openGaps(state: QueueState, rows: readonly Registration[]): Promise<void> {
  const { table, store, platform, clock, openGaps: open } = state;
  const gaps: Gap[] = [];
  for (const row of rows) {
    const since = Math.max(row.since.getTime(), state.goodAt?.getTime() ?? 0);
    for (const text of table.wantedOf(row)) {
      state.repairs.set(textKey(text), clock.now().getTime());
      for (const { accountId, ruleId } of await store.rulesWith(platform.name, text.value, text.flags)) {
        if (open.has(ruleId)) continue;
        const of = { platform: platform.name, accountId, ruleId, to: undefined, recovered: false };
        const gap = { ...of, from: new Date(since - LEAD_MS), cause: 'registration_missing' };
        open.set(ruleId, gap);
        state.missingTexts.set(ruleId, text);
        gaps.push(gap);
      }
    }
  }
  if (gaps.length === 0) return;
  await store.noteGaps(gaps);
  for (const gap of gaps) state.onGap(gap);
}

/** Until they are registered again, their rules are not active. */
export const missingHolders = (
  { table, platform }: QueueState,
  rows: readonly Registration[],
): NonNullable<RegistrationChange['holders']> =>
  rows.flatMap((row) =>
    table.wantedOf(row).map((text) => ({
      ...text,
      platform: platform.name,
      status: 'missing' as const,
      error: `${platform.name} no longer holds this rule. It is being registered again.`,
    })),
  );

/** Closes the gaps of rules whose text is held again, and of rules that want nothing held any more. */
export async function closeGaps(state: QueueState): Promise<void> {
  const { store, clock, openGaps: open, missingTexts, repairs } = state;
  const now = clock.now().getTime();
  for (const [key, at] of repairs) if (now - at > REPAIR_KEPT_MS) repairs.delete(key);
  const closed: Gap[] = [];
  for (const gap of [...open.values()].filter(({ ruleId }) => mayClose(state, ruleId!))) {
    const end = await endOf(state, gap, now);
    if (end === undefined) continue;
    open.delete(gap.ruleId!);
    missingTexts.delete(gap.ruleId!);
    // The gaps of a deleted rule went with it.
    if (end !== 'deleted') closed.push({ ...gap, to: end });
  }
  if (closed.length === 0) return;
  await store.noteGaps(closed);
  for (const gap of closed) state.onGap(gap);
}

/** A text that is wanted and not held is missing still: the store need not be asked, which may be of 100,000 rules. */
function mayClose({ table, missingTexts }: QueueState, ruleId: string): boolean {
  const text = missingTexts.get(ruleId);
  return text === undefined || !table.isWanted(text) || table.holderOf(text) !== undefined;
}

/** When the gap of a rule ends; undefined while it lasts. */
async function endOf(state: QueueState, gap: Gap, now: number): Promise<Date | 'deleted' | undefined> {
  const { table, store, platform, missingTexts, repairs } = state;
  const rule = await store.rule(gap.accountId!, gap.ruleId!);
  if (rule === undefined) return 'deleted';
  const text = rule.paused ? undefined : rule.platforms[platform.name];
  if (text === undefined) return new Date(now);
  if (table.holderOf(text) === undefined) {
    missingTexts.set(rule.id, { value: text.value, flags: text.flags });
    return undefined;
  }
  repairs.set(textKey(text), now);
  return new Date(now + OVERLAP_MS);
}

/** Says of the gaps of a text why it cannot be registered again. */
export async function explainGaps(state: QueueState, text: RuleText, error: unknown): Promise<void> {
  const { store, platform, openGaps: open } = state;
  const cause = causeOf(error);
  const changed: Gap[] = [];
  for (const { ruleId } of await store.rulesWith(platform.name, text.value, text.flags)) {
    const gap = open.get(ruleId);
    if (gap === undefined || gap.cause === cause) continue;
    open.set(ruleId, { ...gap, cause });
    changed.push({ ...gap, cause });
  }
  if (changed.length > 0) await store.noteGaps(changed);
}

function causeOf(error: unknown): CoverageReason {
  if (!(error instanceof PlatformError)) return 'registration_missing';
  if (error.fault === 'limit') return 'over_limit';
  return error.fault === 'refused' ? 'rule_refused' : 'registration_missing';
}

/** What an earlier run left: when the registrations were last compared, and the gaps that are open. */
export async function loadVanished(state: QueueState): Promise<void> {
  const { store, platform } = state;
  for (const gap of await store.openGaps(platform.name)) {
    if (gap.ruleId !== undefined && CAUSES.includes(gap.cause)) state.openGaps.set(gap.ruleId, gap);
  }
  state.goodAt = await lastGoodAudit(state);
}

/** Of any node on the store. */
export const lastGoodAudit = async ({ store, platform }: QueueState): Promise<Date | undefined> =>
  (await store.feeds(platform.name)).find(({ kind }) => kind === 'audit')?.through;

/** The comparison that began then has found, or repaired, everything. */
export async function noteGoodAudit(state: QueueState, began: Date): Promise<void> {
  const { store, platform, clock } = state;
  const audit = { platform: platform.name, kind: 'audit', name: '', state: 'live', reason: undefined } as const;
  await store.noteFeeds([{ ...audit, through: began, at: clock.now() }]);
  state.goodAt = began;
}

/**
 * Whether the upstream held a text when something came that it did not name the text for: it did, it did not, or only the
 * next comparison can tell.
 */
export function heldAt(state: QueueState, text: RuleText, at: Date): 'held' | 'missing' | 'unknown' | 'unwanted' {
  const { table, repairs, goodAt } = state;
  if (!table.isWanted(text)) return 'unwanted';
  const holder = table.holderOf(text);
  const repairedAt = repairs.get(textKey(text));
  if (holder === undefined) return 'missing';
  if (repairedAt !== undefined && at.getTime() < repairedAt + OVERLAP_MS) return 'missing';
  return goodAt !== undefined && goodAt > at ? 'held' : 'unknown';
}
