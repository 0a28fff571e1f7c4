/** Suggest Changes: changed texts of a rule, each with what it would have done. It changes nothing of the rule. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { queryOf } from '../../rules/rule-text.ts';
import type { AppliedSuggestion } from '../../store/store.ts';
import type { ReadContext } from '../context.ts';
import { exampleMatch } from '../matches/matches.ts';
import { platformOf, ruleOf } from '../rules/read-rules.ts';
import { platform, ruleId } from '../shapes.ts';
import { keepSuggestions, type MadeSuggestion, newRoom, suggestFor } from './make-suggestions.ts';
import { computed } from './room.ts';
import { compareOnRecent } from './suggestion-effects.ts';
import { asked, checked, suggestion } from './suggestion-shapes.ts';

export const suggestChanges = computed({
  name: 'suggestChanges',
  summary: 'Suggest changes of a rule',
  description:
    'Changed texts of a rule, from its ratings and from recent events: exclusions, narrower and wider forms. Each was tried on the rated and the newest matches, and shows what it would have removed and which relevant matches would be lost. One that may lose more than a very small part of what is wanted is not made, and matches without a rating count as wanted; `ask` has those whose ratings would decide most. Apply one with Update Rule; a day later `checked` compares what it did with what was predicted. Rate matches of both kinds first: without ratings there is little to go by. Changes nothing of the rule.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId, platform: platform.optional() }),
  output: z.object({
    suggestions: z.array(suggestion),
    basis: z.object({
      rated: z.int().describe('Rated matches that were looked at.'),
      recent: z.int().describe('Newest matches that were looked at.'),
    }),
    ask: asked,
    checked: z.array(checked).describe('Suggestions that were applied at least a day ago, the latest first.'),
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id },
    output: {
      suggestions: [
        {
          id: 'sugg_01k3zqb2v4n8s6d0f3h5j7k9m1',
          platform: 'x',
          kind: 'exclude',
          change: '-game',
          value: 'volcano -game',
          effect: {
            irrelevant_removed: 9,
            irrelevant_total: 14,
            relevant_lost: 0,
            relevant_total: 40,
            recent_removed: 61,
            recent_total: 400,
            relevant_lost_upper: 0.088,
            relevant_lost_basis: 'rated',
            unrated_removed: 52,
            unrated_total: 346,
            recent_added: 0,
          },
          lost: [],
          unrated_removed: [],
        },
      ],
      basis: { rated: 54, recent: 400 },
      ask: [{ ...exampleMatch, rating: null }],
      checked: [],
    },
  },
  async run(context, caller, { rule_id, platform: wanted }) {
    const rule = await ruleOf(context, caller, rule_id);
    const names = namesOf(rule, wanted);
    const suggestions: MadeSuggestion[] = [];
    const ask: z.input<typeof asked> = [];
    const basis = { rated: 0, recent: 0 };
    const room = newRoom();
    for (const name of names) {
      const made = await suggestFor(context, caller, { rule, name, room });
      suggestions.push(...made.suggestions);
      ask.push(...made.asked);
      basis.rated += made.rated.relevant.length + made.rated.irrelevant.length;
      basis.recent += made.rated.recent.length;
    }
    return { suggestions, basis, ask, checked: await checkApplied(context, rule, names) };
  },
  async finish(context, caller, { rule_id, platform: wanted }, answer) {
    const rule = await ruleOf(context, caller, rule_id);
    for (const name of namesOf(rule, wanted)) {
      const made = madeIn(answer).filter(({ platform: of }) => of === name);
      await keepSuggestions(context, rule, name, made);
    }
    return { ...answer, suggestions: madeIn(answer).map(withoutShare) };
  },
});

/** `run` gives the share beside each suggestion. It is kept, and no part of the answer. */
const madeIn = (answer: { readonly suggestions: readonly z.input<typeof suggestion>[] }) =>
  answer.suggestions as readonly MadeSuggestion[];

function withoutShare(made: MadeSuggestion): z.input<typeof suggestion> {
  const { share: _, ...one } = made;
  return one;
}

const namesOf = (rule: Rule, wanted: Platform | undefined): Platform[] =>
  wanted === undefined ? PLATFORMS.filter((name) => rule.platforms[name]) : [platformOf(rule, wanted)];

/**
 * Checks applied suggestions a day later: the text before and the text since, side by side on the events since then.
 */
const DAY = 24 * 60 * 60 * 1_000;
const MAX_CHECKED = 3;
/** As many as a rule keeps: those that are not due yet hide none that is. */
const MAX_APPLIED = 10;
/** A share of fewer events says nothing. */
const MIN_EVENTS = 20;

type CheckedSuggestion = z.input<typeof checked>;

async function checkApplied(
  context: ReadContext,
  rule: Rule,
  names: readonly Platform[],
): Promise<CheckedSuggestion[]> {
  const { store, clock } = context;
  const due = clock.now().getTime() - DAY;
  const applied = await store.appliedSuggestions(rule.accountId, rule.id, MAX_APPLIED);
  const ready = applied.filter(({ platform: on, appliedAt }) => names.includes(on) && appliedAt.getTime() <= due);
  const found: CheckedSuggestion[] = [];
  for (const one of ready.slice(0, MAX_CHECKED)) found.push(await check(context, rule, one));
  return found;
}

async function check(
  { store, clock, languages, platforms, settings, checkpoint }: ReadContext,
  rule: Rule,
  { id, platform: name, was, value, share, appliedAt }: AppliedSuggestion,
): Promise<CheckedSuggestion> {
  const said = {
    id,
    platform: name,
    value,
    applied_at: appliedAt.toISOString(),
    predicted_removed_share: rounded(share),
  };
  const unknown = { ...said, actual_removed_share: null, events_matched_before: null };
  const flags = rule.platforms[name]?.flags;
  const queries = flags && [was, value].map((text) => queryOf(languages[name], { value: text, flags }));
  const [before, since] = queries ?? [];
  // An upstream sends what the rules of now ask for: what the text before would have matched never arrived.
  if (before === undefined || since === undefined || platforms[name].shape !== 'local') return unknown;
  const recent = store.recentEvents(rule.accountId, name, settings.recentEvents);
  const trial = { platform: name, clock, checkpoint };
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
