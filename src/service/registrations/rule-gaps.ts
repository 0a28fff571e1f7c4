/**
 * Registrations that an upstream has lost, because another program deleted or changed them: what they were to find is a
 * gap of each of their rules. It begins some seconds before the last comparison that found the registration, since the
 * upstream may have been about to match what was published then. It ends when the upstream acts on the new registration.
 */
import type { Clock } from '../../base/clock.ts';
import type { CoverageReason, Gap } from '../../domain/coverage.ts';
import type { Registration } from '../../domain/rule.ts';
import { type LivePlatform, PlatformError } from '../../platforms/platform.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { RegistrationChange, Store } from '../../store/store.ts';
import type { Comparison } from './comparison.ts';
import { OVERLAP_MS } from './due.ts';
import type { RegistrationTable } from './registration-table.ts';

/** Events that were published this long before may not have been matched yet. */
const LEAD_MS = 10_000;
/** A repair is remembered for this long: the verdicts on what came before it may take a minute. */
const REPAIR_KEPT_MS = 300_000;

const CAUSES: readonly string[] = [
  'registration_missing',
  'over_limit',
  'rule_refused',
] satisfies readonly CoverageReason[];

export interface RuleGaps {
  /** The open gaps of rules whose registrations are missing, by rule. */
  readonly open: Map<string, Gap>;
  /** The text that was missing when a gap was opened or last looked at, by rule. */
  readonly missingTexts: Map<string, RuleText>;
  /** When texts were found missing, or were registered again, in milliseconds, by the text's key. */
  readonly repairs: Map<string, number>;
  /** When the last comparison began after which everything was held; of any node. */
  goodAt: Date | undefined;
}

export interface GapDeps {
  readonly platform: LivePlatform;
  readonly store: Store;
  readonly table: RegistrationTable;
  readonly clock: Clock;
  readonly gaps: RuleGaps;
  /** Told of gaps of rules, once they are on record. */
  readonly onGap: (gap: Gap) => void;
}

export const createRuleGaps = (): RuleGaps => ({
  open: new Map(),
  missingTexts: new Map(),
  repairs: new Map(),
  goodAt: undefined,
});

/** Held by what we knew, and not there, or there under another id: between the two it was nowhere. */
export function vanishedRows({ lost, found }: Comparison): Registration[] {
  const gone = lost.filter(({ state }) => state === 'held');
  const replaced = found.filter(({ row, id }) => row.state === 'held' && row.platformRuleId !== id);
  return [...gone, ...replaced.map(({ row }) => row)];
}

/** Opens a gap for every rule of the rows. It is stored before anything else changes: a crash repeats it. */
export async function openGaps(deps: GapDeps, rows: readonly Registration[]): Promise<void> {
  const { table, store, platform, clock, gaps } = deps;
  const opened = new Map<string, { readonly gap: Gap; readonly text: RuleText }>();
  for (const row of rows) {
    const since = Math.max(row.since.getTime(), gaps.goodAt?.getTime() ?? 0);
    for (const text of table.wantedOf(row)) {
      gaps.repairs.set(textKey(text), clock.now().getTime());
      for (const { accountId, ruleId } of await store.rulesWith(platform.name, text.value, text.flags)) {
        if (gaps.open.has(ruleId) || opened.has(ruleId)) continue;
        const of = { platform: platform.name, accountId, ruleId, to: undefined, recovered: false };
        const gap = { ...of, from: new Date(since - LEAD_MS), cause: 'registration_missing' };
        opened.set(ruleId, { gap, text });
      }
    }
  }
  if (opened.size === 0) return;
  await store.noteGaps([...opened.values()].map(({ gap }) => gap));
  for (const [ruleId, { gap, text }] of opened) {
    gaps.open.set(ruleId, gap);
    gaps.missingTexts.set(ruleId, text);
    deps.onGap(gap);
  }
}

/** Until they are registered again, their rules are not active. */
export const missingHolders = (
  { table, platform }: GapDeps,
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
export async function closeGaps(deps: GapDeps): Promise<void> {
  const { store, clock, gaps } = deps;
  const { open, missingTexts, repairs } = gaps;
  const forget = ({ ruleId }: Gap) => {
    open.delete(ruleId!);
    missingTexts.delete(ruleId!);
  };
  const now = clock.now().getTime();
  for (const [key, at] of repairs) if (now - at > REPAIR_KEPT_MS) repairs.delete(key);
  const closed: Gap[] = [];
  for (const gap of [...open.values()].filter(({ ruleId }) => mayClose(deps, ruleId!))) {
    const end = await endOf(deps, gap, now);
    // The gaps of a deleted rule went with it.
    if (end === 'deleted') forget(gap);
    else if (end !== undefined) closed.push({ ...gap, to: end });
  }
  if (closed.length === 0) return;
  // A gap is open for us until its end is stored: when that fails, the next turn closes it.
  await store.noteGaps(closed);
  for (const gap of closed) {
    forget(gap);
    deps.onGap(gap);
  }
}

/** A text that is wanted and not held is missing still: the store need not be asked, which may be of 100,000 rules. */
function mayClose({ table, gaps }: GapDeps, ruleId: string): boolean {
  const text = gaps.missingTexts.get(ruleId);
  return text === undefined || !table.isWanted(text) || table.holderOf(text) !== undefined;
}

/** When the gap of a rule ends; undefined while it lasts. */
async function endOf(deps: GapDeps, gap: Gap, now: number): Promise<Date | 'deleted' | undefined> {
  const { table, store, platform, gaps } = deps;
  const rule = await store.rule(gap.accountId!, gap.ruleId!);
  if (rule === undefined) return 'deleted';
  const text = rule.paused ? undefined : rule.platforms[platform.name];
  if (text === undefined) return new Date(now);
  const holder = table.holderOf(text);
  if (holder === undefined) {
    gaps.missingTexts.set(rule.id, { value: text.value, flags: text.flags });
    return undefined;
  }
  // Whichever node made it. One from before the gap tells nothing: the rule may have changed to its text just now.
  const since = Math.max(holder.since.getTime(), text.addedAt?.getTime() ?? 0);
  const heldAgainAt = since > gap.from.getTime() + LEAD_MS ? since : now;
  gaps.repairs.set(textKey(text), heldAgainAt);
  return new Date(heldAgainAt + OVERLAP_MS);
}

/** Changes the cause of a text's gaps to why it cannot be registered again. */
export async function explainGaps(deps: GapDeps, text: RuleText, error: unknown): Promise<void> {
  const { store, platform, gaps } = deps;
  const cause = causeOf(error);
  const changed: Gap[] = [];
  for (const { ruleId } of await store.rulesWith(platform.name, text.value, text.flags)) {
    const gap = gaps.open.get(ruleId);
    if (gap === undefined || gap.cause === cause) continue;
    changed.push({ ...gap, cause });
  }
  if (changed.length === 0) return;
  await store.noteGaps(changed);
  for (const gap of changed) gaps.open.set(gap.ruleId!, gap);
}

function causeOf(error: unknown): CoverageReason {
  if (!(error instanceof PlatformError)) return 'registration_missing';
  if (error.fault === 'limit') return 'over_limit';
  return error.fault === 'refused' ? 'rule_refused' : 'registration_missing';
}

/** Loads what an earlier run left: when the registrations were last compared, and the gaps that are open. */
export async function loadGaps(deps: GapDeps): Promise<void> {
  await readOpenGaps(deps);
  deps.gaps.goodAt = await lastGoodAudit(deps);
}

/** Reads which gaps are open. Another node may have opened some, and ended some that were opened here. */
export async function readOpenGaps(deps: GapDeps): Promise<void> {
  const { store, platform, gaps } = deps;
  const stored = await store.openGaps(platform.name);
  const before = [...gaps.open.values()];
  gaps.open.clear();
  for (const gap of stored) {
    if (gap.ruleId !== undefined && CAUSES.includes(gap.cause)) gaps.open.set(gap.ruleId, gap);
  }
  for (const ruleId of gaps.missingTexts.keys()) if (!gaps.open.has(ruleId)) gaps.missingTexts.delete(ruleId);
  for (const gap of before) if (!isOpen(gaps, gap)) await tellEnd(deps, gap);
}

const isOpen = ({ open }: RuleGaps, { ruleId, from }: Gap): boolean =>
  open.get(ruleId!)?.from.getTime() === from.getTime();

/** Streams that were told here that the gap began are told here that it ended. */
async function tellEnd({ store, onGap }: GapDeps, { platform, accountId, ruleId, from }: Gap): Promise<void> {
  const query = { platform, accountId: accountId!, ruleId: ruleId!, since: from, until: new Date(from.getTime() + 1) };
  const ended = (await store.gaps({ ...query, limit: 100 })).find(
    (one) => one.ruleId === ruleId && one.from.getTime() === from.getTime(),
  );
  if (ended?.to !== undefined) onGap(ended);
}

/** When the last good comparison of any node on the store began. */
export const lastGoodAudit = async ({
  store,
  platform,
}: Pick<GapDeps, 'store' | 'platform'>): Promise<Date | undefined> =>
  (await store.feeds(platform.name)).find(({ kind }) => kind === 'audit')?.through;

/** The comparison that began then has found, or repaired, everything. */
export async function noteGoodAudit(deps: GapDeps, began: Date): Promise<void> {
  const { store, platform, clock, gaps } = deps;
  const audit = { platform: platform.name, kind: 'audit', name: '', state: 'live', reason: undefined } as const;
  await store.noteFeeds([{ ...audit, through: began, at: clock.now() }]);
  gaps.goodAt = began;
}

/**
 * Whether the upstream held a text when something came that it did not name the text for: it did, it did not, or only the
 * next comparison can tell.
 */
export function heldAt(
  { table, gaps }: GapDeps,
  text: RuleText,
  at: Date,
): 'held' | 'missing' | 'unknown' | 'unwanted' {
  if (!table.isWanted(text)) return 'unwanted';
  const holder = table.holderOf(text);
  const repairedAt = gaps.repairs.get(textKey(text));
  if (holder === undefined) return 'missing';
  if (repairedAt !== undefined && at.getTime() < repairedAt + OVERLAP_MS) return 'missing';
  return gaps.goodAt !== undefined && gaps.goodAt > at ? 'held' : 'unknown';
}
