/** Makes the suggestions for one text of a rule: changed texts, tried on its matches and on recent events. */
import type { z } from 'zod';
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { PlatformRule, Rule } from '../../domain/rule.ts';
import { EVERYTHING, type Query } from '../../rules/query.ts';
import { flagsQueryOf, queryOf } from '../../rules/rule-text.ts';
import type { Caller } from '../access/caller.ts';
import { missesOnRecent } from '../previews/misses-on-recent.ts';
import { matchToJson } from '../shapes.ts';
import type { ChangedText } from './changed-texts.ts';
import { narrowerTexts } from './narrower-texts.ts';
import { type RatedMatches, ratedMatches } from './rated-matches.ts';
import type { SuggestionsRoom } from './room.ts';
import { compareOnRecent, effectsOf, type Measured } from './suggestion-effects.ts';
import { MAX_LOST_SHOWN, type suggestion } from './suggestion-shapes.ts';
import { widerTexts } from './wider-texts.ts';

const MAX_SUGGESTIONS = 8;
/** Bytes of all matches that are shown. */
const MAX_SHOWN_BYTES = 2 * 1024 * 1024;
const MAX_UNRATED_SHOWN = 5;
/** Events that a clause alone kept out, of which each may hold another form of a word. */
const SAMPLES = 20;

export interface MadeSuggestions {
  readonly suggestions: z.input<typeof suggestion>[];
  readonly rated: RatedMatches;
}

export async function suggestFor(
  context: SuggestionsRoom,
  caller: Caller,
  rule: Rule,
  name: Platform,
  signal: AbortSignal,
): Promise<MadeSuggestions> {
  const { store, clock, languages, settings } = context;
  const held = rule.platforms[name]!;
  const rated = await ratedMatches(store, { accountId: rule.accountId, ruleId: rule.id, platform: name });
  const language = languages[name];
  const current = queryOf(language, held);
  if (current === undefined) return { suggestions: [], rated };
  const trial = { platform: name, now: clock.now().getTime(), signal };
  const texts = [
    ...(await narrowerTexts({ language, value: held.value, ...trial }, rated)),
    // Recent events are not those of some rules: an agent that is limited to some rules must not see them.
    ...(caller.grant?.ruleIds === undefined ? await widerOf(context, rule, name, rated, signal) : []),
  ];
  const changed = [...new Map(texts.map((text) => [text.value, text])).values()].filter(
    ({ value }) => value !== held.value,
  );
  const queries = changed.map(({ value }) => queryOf(language, { ...held, value })!);
  const measured = await effectsOf(trial, current, queries, rated);
  const wider = changed.flatMap(({ kind }, at) => (kind === 'widen' ? [at] : []));
  const compared = await compareOnRecent(
    wider.length === 0 ? none() : store.recentEvents(rule.accountId, name, settings.recentEvents),
    trial,
    wider.map((at) => ({ was: current, now: queries[at]!, since: 0 })),
  );
  const added = new Map(wider.map((at, index) => [at, compared[index]!.after - compared[index]!.both]));
  const suggestions = shown(context, name, changed, measured, added);
  await keep(context, rule, held, name, suggestions);
  return { suggestions, rated };
}

async function* none(): AsyncIterable<never[]> {}

async function widerOf(
  { store, languages, settings, clock, relevance }: SuggestionsRoom,
  rule: Rule,
  name: Platform,
  { recent }: RatedMatches,
  signal: AbortSignal,
): Promise<ChangedText[]> {
  const { value, flags } = rule.platforms[name]!;
  const language = languages[name];
  const clauses = language.clauses(value);
  const also: Query = name === 'firehose' ? flagsQueryOf(flags) : EVERYTHING;
  const trial = { platform: name, clauses, also, now: clock.now().getTime(), limit: SAMPLES };
  const events = store.recentEvents(rule.accountId, name, settings.recentEvents);
  const misses = await missesOnRecent(events, trial, signal);
  const scores = recent.flatMap((match) => match.relevance ?? []);
  const usual = scores.length === 0 ? undefined : scores.reduce((sum, one) => sum + one, 0) / scores.length;
  return widerTexts({ language, value, relevance }, misses, recent[0], usual);
}

/** The best first. A suggestion that would change nothing, or whose loss cannot be shown, is left out. */
function shown(
  { clock }: SuggestionsRoom,
  name: Platform,
  changed: readonly ChangedText[],
  measured: readonly Measured[],
  added: ReadonlyMap<number, number>,
): z.input<typeof suggestion>[] {
  let room = MAX_SHOWN_BYTES;
  const fitting = (matches: readonly Match[], most: number) =>
    matches.slice(0, most).flatMap((match) => {
      room -= Buffer.byteLength(match.json ?? JSON.stringify(match.payload));
      return room < 0 ? [] : [matchToJson(match)];
    });
  return changed
    .map((text, at) => ({ text, ...measured[at]!, added: added.get(at) ?? 0 }))
    .filter(({ text, effect, added: more }) =>
      text.kind === 'widen' ? more > 0 : effect.irrelevant_removed > 0 && isWorthIt(effect),
    )
    .toSorted((one, other) => worthOf(other) - worthOf(one))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ text, effect, lost, unrated, added: more }) => ({
      id: newId('sugg', clock.now()),
      platform: name,
      ...text,
      effect: { ...effect, relevant_lost_upper: rounded(effect.relevant_lost_upper), recent_added: more },
      lost: fitting(lost, MAX_LOST_SHOWN),
      unrated_removed: fitting(unrated, MAX_UNRATED_SHOWN),
    }))
    .filter(({ effect, lost }) => lost.length === Math.min(MAX_LOST_SHOWN, effect.relevant_lost));
}

/** A loss must be far smaller than what is gained. */
const LOSS_COST = 3;

const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const isWorthIt = (effect: Measured['effect']): boolean =>
  shareOf(effect.irrelevant_removed, effect.irrelevant_total) >
  LOSS_COST * shareOf(effect.relevant_lost, effect.relevant_total);

const worthOf = ({ effect }: Pick<Measured, 'effect'>): number =>
  shareOf(effect.irrelevant_removed, effect.irrelevant_total) -
  LOSS_COST * shareOf(effect.relevant_lost, effect.relevant_total);

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

/** So that a day after one is applied, what it did can be compared with this. */
const keep = (
  { store, clock }: SuggestionsRoom,
  rule: Rule,
  { value: was }: PlatformRule,
  name: Platform,
  suggestions: readonly z.input<typeof suggestion>[],
): Promise<void> =>
  store.keepSuggestions(
    rule.accountId,
    rule.id,
    name,
    suggestions.map(({ id, kind, value, effect }) => ({
      id,
      at: clock.now(),
      kind,
      was,
      value,
      share: shareOf(effect.recent_removed - effect.recent_added, Math.max(1, effect.recent_total)),
    })),
  );
