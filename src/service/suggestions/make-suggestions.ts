/** Makes the suggestions for one text of a rule: changed texts, tried on its matches and on recent events. */
import type { z } from 'zod';
import { newId } from '../../base/ids.ts';
import type { StoredMatch } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { EVERYTHING, type Query } from '../../rules/query.ts';
import { flagsQueryOf, queryOf } from '../../rules/rule-text.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { missesOnRecent } from '../previews/misses-on-recent.ts';
import type { Reader } from '../reader/reader.ts';
import { type listedMatch, matchToJson } from '../shapes.ts';
import { type ChangedText, widerTexts } from './changed-texts.ts';
import { narrowerTexts } from './narrower-texts.ts';
import { type RatedMatches, ratedMatches } from './rated-matches.ts';
import type { SuggestionsRoom } from './room.ts';
import { compareOnRecent, effectsOf, type Measured } from './suggestion-effects.ts';
import { MAX_LOST_SHOWN, type suggestion } from './suggestion-shapes.ts';

const MAX_SUGGESTIONS = 8;
/** Bytes of all matches that an answer shows. It travels to the main thread as objects: four megabytes held that up for a second. */
const MAX_SHOWN_BYTES = 1024 * 1024;
const MAX_UNRATED_SHOWN = 5;
/** Events that a clause alone kept out, of which each may hold another form of a word. */
const SAMPLES = 20;

/** A suggestion, and beside what is shown of it the share of the rule's matches that it takes away: below 0 where it adds some. */
export type MadeSuggestion = z.input<typeof suggestion> & { readonly share: number };

export interface MadeSuggestions {
  readonly suggestions: MadeSuggestion[];
  readonly asked: z.input<typeof listedMatch>[];
  readonly rated: RatedMatches;
}

type Tried = ChangedText &
  Measured &
  Pick<MadeSuggestion, 'share'> & { readonly added: number; readonly invented: number };

/** The room that an answer has left for matches, on all platforms together. */
interface Room {
  left: number;
}

export const newRoom = (): Room => ({ left: MAX_SHOWN_BYTES });

export async function suggestFor(
  context: ReadContext,
  caller: Caller,
  { rule, name, room }: { readonly rule: Rule; readonly name: Platform; readonly room: Room },
): Promise<MadeSuggestions> {
  const { store, clock, languages, checkpoint } = context;
  const held = rule.platforms[name]!;
  const rated = await ratedMatches(store, { accountId: rule.accountId, ruleId: rule.id, platform: name });
  const language = languages[name];
  const current = queryOf(language, held);
  if (current === undefined) return { suggestions: [], asked: [], rated };
  const now = clock.now().getTime();
  const narrowed = narrowerTexts({ platform: name, language, held, intent: rule.intent, now, checkpoint }, rated);
  // Recent events are not those of some rules: an agent that is limited to some rules must not see them.
  const mayWiden = caller.grant?.ruleIds === undefined && rated.irrelevant.length <= rated.relevant.length;
  const wider = mayWiden ? await tryWider(context, rule, name, current, rated) : [];
  const found = [...narrowed.found.map(asTried), ...wider];
  const changed = [...new Map(found.map((one) => [one.value, one])).values()].filter(
    ({ value }) => value !== held.value,
  );
  const asked = await fitting(context.reader, room, narrowed.asked, narrowed.asked.length);
  const suggestions = await shown(context, name, changed, room);
  return { suggestions, asked, rated };
}

const asTried = (one: ChangedText & Measured): Tried => ({
  ...one,
  share: one.effect.recent_removed / Math.max(1, one.effect.recent_total),
  added: 0,
  invented: 0,
});

/** Wider texts that would add something, with how much. */
async function tryWider(
  context: ReadContext,
  rule: Rule,
  name: Platform,
  current: Query,
  rated: RatedMatches,
): Promise<Tried[]> {
  const { store, clock, languages, settings, checkpoint } = context;
  const held = rule.platforms[name]!;
  const texts = await widerOf(context, rule, name, rated);
  if (texts.length === 0) return [];
  const trial = { platform: name, clock, checkpoint };
  const queries = texts.map(({ value }) => queryOf(languages[name], { ...held, value })!);
  const changed = queries.map((query) => ({ query, chosen: 0 }));
  const measured = effectsOf(trial, current, changed, rated);
  const compared = await compareOnRecent(
    store.recentEvents(rule.accountId, name, settings.recentEvents),
    trial,
    queries.map((now) => ({ was: current, now, since: 0 })),
  );
  return texts
    .map((text, at) => {
      const { before, after, both, invented } = compared[at]!;
      // As it is checked later: both texts on the same events. Stored matches reach back further, and know nothing of what is added.
      const share = (before - after) / Math.max(1, before);
      return { ...text, ...measured[at]!, share, added: after - both, invented };
    })
    .filter(({ added }) => added > 0);
}

async function widerOf(
  { store, languages, settings, clock, reader, relevance, checkpoint }: ReadContext,
  rule: Rule,
  name: Platform,
  { recent }: RatedMatches,
): Promise<ChangedText[]> {
  const { value, flags } = rule.platforms[name]!;
  const language = languages[name];
  const clauses = language.clauses(value);
  const also: Query = name === 'firehose' ? flagsQueryOf(flags) : EVERYTHING;
  const trial = { platform: name, clauses, also, limit: SAMPLES };
  const events = store.recentEvents(rule.accountId, name, settings.recentEvents);
  const misses = await missesOnRecent(events, trial, { clock, checkpoint });
  const scores = (await Promise.all(recent.map(reader.score))).flatMap((score) => score ?? []);
  const usual = scores.length === 0 ? undefined : scores.reduce((sum, one) => sum + one, 0) / scores.length;
  return widerTexts({ language, value, relevance }, misses, recent[0], usual);
}

/** In the order in which they were found. A suggestion whose loss cannot be shown is left out. */
async function shown(
  { clock, reader }: ReadContext,
  name: Platform,
  changed: readonly Tried[],
  room: Room,
): Promise<MadeSuggestion[]> {
  const suggestions: MadeSuggestion[] = [];
  for (const { kind, change, value, effect, share, lost, unrated, added, invented } of changed.slice(
    0,
    MAX_SUGGESTIONS,
  )) {
    const shownLost = await fitting(reader, room, lost, MAX_LOST_SHOWN);
    const unrated_removed = await fitting(reader, room, unrated, MAX_UNRATED_SHOWN);
    if (shownLost.length < Math.min(MAX_LOST_SHOWN, effect.relevant_lost)) continue;
    suggestions.push({
      id: newId('sugg', clock.now()),
      platform: name,
      kind,
      change,
      value,
      effect: {
        ...effect,
        relevant_lost_upper: rounded(effect.relevant_lost_upper),
        recent_added: added,
        ...(invented > 0 && { demo_added: invented }),
      },
      lost: shownLost,
      unrated_removed,
      share,
    });
  }
  return suggestions;
}

async function fitting(
  reader: Reader,
  room: Room,
  matches: readonly StoredMatch[],
  most: number,
): Promise<z.input<typeof listedMatch>[]> {
  const fit = matches.slice(0, most).filter((match) => {
    room.left -= Buffer.byteLength(match.json ?? JSON.stringify(match.payload));
    return room.left >= 0;
  });
  return (await reader.show(fit)).map(matchToJson);
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

/** So that a day after one is applied, what it did can be compared with this. */
export const keepSuggestions = (
  { store, clock }: SuggestionsRoom,
  rule: Rule,
  name: Platform,
  suggestions: readonly MadeSuggestion[],
): Promise<void> =>
  store.keepSuggestions(
    rule.accountId,
    rule.id,
    name,
    suggestions.map(({ id, kind, value, share }) => ({
      id,
      at: clock.now(),
      kind,
      was: rule.platforms[name]!.value,
      value,
      share,
    })),
  );
