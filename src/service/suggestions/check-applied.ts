/**
 * Checks applied suggestions a day later: the text before and the text since, side by side on the events since then.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { queryOf } from '../../rules/rule-text.ts';
import type { AppliedSuggestion } from '../../store/store.ts';
import type { ReadContext } from '../context.ts';
import { compareOnRecent } from './suggestion-effects.ts';

const DAY = 24 * 60 * 60 * 1_000;
const MAX_CHECKED = 3;
/** A share of fewer events says nothing. */
const MIN_EVENTS = 20;

export interface CheckedSuggestion {
  readonly id: string;
  readonly platform: Platform;
  readonly value: string;
  readonly applied_at: string;
  readonly predicted_removed_share: number;
  readonly actual_removed_share: number | null;
  readonly events_matched_before: number | null;
}

export async function checkApplied(
  context: ReadContext,
  rule: Rule,
  names: readonly Platform[],
): Promise<CheckedSuggestion[]> {
  const { store, clock } = context;
  const due = clock.now().getTime() - DAY;
  const applied = await store.appliedSuggestions(rule.accountId, rule.id, MAX_CHECKED);
  const checked: CheckedSuggestion[] = [];
  for (const one of applied)
    if (names.includes(one.platform) && one.appliedAt.getTime() <= due) checked.push(await check(context, rule, one));
  return checked;
}

async function check(
  { store, clock, languages, platforms, settings, checkpoint }: ReadContext,
  rule: Rule,
  { id, platform, was, value, share, appliedAt }: AppliedSuggestion,
): Promise<CheckedSuggestion> {
  const said = { id, platform, value, applied_at: appliedAt.toISOString(), predicted_removed_share: rounded(share) };
  const unknown = { ...said, actual_removed_share: null, events_matched_before: null };
  const flags = rule.platforms[platform]?.flags;
  const queries = flags && [was, value].map((text) => queryOf(languages[platform], { value: text, flags }));
  const [before, since] = queries ?? [];
  // An upstream sends what the rules of now ask for: what the text before would have matched never arrived.
  if (before === undefined || since === undefined || platforms[platform].shape !== 'local') return unknown;
  const recent = store.recentEvents(rule.accountId, platform, settings.recentEvents);
  const trial = { platform, now: clock.now().getTime(), clock, checkpoint };
  const [compared] = await compareOnRecent(recent, trial, [{ was: before, now: since, since: appliedAt.getTime() }]);
  const { before: matched, after } = compared!;
  const isEnough = matched >= MIN_EVENTS;
  return {
    ...said,
    actual_removed_share: isEnough ? rounded((matched - after) / matched) : null,
    events_matched_before: matched,
  };
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;
