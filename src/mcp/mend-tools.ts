/** The tools that write rules: what the ratings of one speak for, and what examples have in common. */
import { z } from 'zod';
import type { Payload } from '../domain/match.ts';
import { PLATFORMS } from '../domain/platform.ts';
import { performComputed } from '../service/perform/perform.ts';
import { pageOfContent, postOf } from '../service/previews/twins.ts';
import { characters } from '../service/shapes.ts';
import { draftRule } from '../service/suggestions/draft-rule.ts';
import { suggestChanges } from '../service/suggestions/suggest-changes.ts';
import { passageTo } from './show-match.ts';
import { operation } from './tool.ts';
import { cutTo, type Flag, flagsField, fromStrangers, NOTICE, visible } from './untrusted.ts';

/** Characters of what strangers wrote, and of a rule text that has their words. */
const MAX_PASSAGE = 160;
const MAX_TEXT = 4_096;

const MAX_SUGGESTIONS = 4;

export const suggestTool = operation({
  ...suggestChanges,
  runs: 'main',
  name: 'suggest_changes',
  summary: 'Suggest changes of a rule',
  description:
    'For a noisy rule: changed texts by its ratings, with what each would have removed and may lose. `rate_first`: matches whose ratings would decide most. Try one with check_rule, then update_rule.',
  output: z.object({
    ...fromStrangers,
    basis: z.string(),
    suggestions: z.array(z.unknown()),
    rate_first: z.array(z.unknown()).optional(),
  }),
  example: {
    input: { rule_id: 'Volcanoes' },
    output: { notice: NOTICE, basis: '54 rated and 400 recent matches', suggestions: [] },
  },
  async run(context, caller, input, request) {
    const { suggestions, basis, ask } = await performComputed(context, suggestChanges, caller, input, request);
    const flags = new Set<Flag>();
    const shown = suggestions.slice(0, MAX_SUGGESTIONS).map(({ platform, kind, change, value, effect }) => ({
      platform,
      kind,
      effect: effectLine(effect),
      untrusted_content: { change: visible(change, flags), value: cutTo(visible(value, flags), MAX_TEXT, flags) },
    }));
    const asked = ask.map(({ id, ...match }) => ({
      id,
      untrusted_content: { passage: passageTo(match, MAX_PASSAGE, flags) },
    }));
    return {
      notice: NOTICE,
      basis: `${basis.rated} rated and ${basis.recent} recent matches`,
      ...flagsField(flags),
      suggestions: shown,
      ...(asked.length > 0 && { rate_first: asked }),
    };
  },
});

type Effect = z.input<typeof suggestChanges.output>['suggestions'][number]['effect'];

function effectLine(effect: Effect): string {
  const { irrelevant_removed, irrelevant_total, recent_removed, recent_total, relevant_lost_upper } = effect;
  const { recent_added, demo_added: invented = 0 } = effect;
  if (recent_added > 0)
    return `Matches ${recent_added} more recent events${invented > 0 ? `, ${invented} of them invented` : ''}.`;
  const lost = Math.round(relevant_lost_upper * 1_000) / 10;
  return `Removes ${irrelevant_removed} of ${irrelevant_total} rated irrelevant and ${recent_removed} of ${recent_total} recent matches; at most ${lost} % of what is wanted is lost.`;
}

const example = characters(1, 25_000);
/** Examples of one kind, each as text. */
const MAX_EXAMPLES = 50;

export const draftTool = operation({
  access: draftRule.access,
  grants: 'rules',
  name: 'draft_rule',
  summary: 'Draft a rule from a sentence or examples',
  description:
    'A rule from a sentence (`intent`), from wanted and unwanted texts, or from both; or give `rule_id` to start from its rated matches. Creates nothing: check_rule next.',
  input: draftRule.input.extend({
    wanted: z.array(example).min(1).max(MAX_EXAMPLES).optional(),
    unwanted: z.array(example).max(MAX_EXAMPLES).optional(),
  }),
  problems: (context, input) => draftRule.problems?.(context, input) ?? [],
  output: z.object({
    ...fromStrangers,
    platform: z.enum(PLATFORMS),
    fit: z.string(),
    intent_notes: z.array(z.string()).optional(),
    untrusted_content: z.record(z.string(), z.unknown()),
  }),
  example: {
    input: { platform: 'x', wanted: ['The volcano erupts'], unwanted: ['Volcano, the game'] },
    output: {
      notice: NOTICE,
      platform: 'x',
      fit: '1 of 1 wanted, 0 of 1 unwanted',
      untrusted_content: { value: 'volcano erupts' },
    },
  },
  async run(context, caller, { wanted, unwanted, ...input }, request) {
    const eventOf = (text: string): Payload =>
      input.platform === 'firehose' ? pageOfContent({ text }, context.clock.now()) : postOf({ text });
    const asked = {
      ...input,
      ...(wanted && { wanted: wanted.map(eventOf) }),
      ...(unwanted && { unwanted: unwanted.map(eventOf) }),
    };
    const { platform, value, fit, alternatives, notes } = await performComputed(
      context,
      draftRule,
      caller,
      asked,
      request,
    );
    const flags = new Set<Flag>();
    const tell = (text: string) => cutTo(visible(text, flags), MAX_TEXT, flags);
    const content = {
      value: tell(value),
      ...(alternatives.length > 0 && {
        others: alternatives.slice(0, 2).map((other) => `${tell(other.value)} (${fitLine(other.fit)})`),
      }),
    };
    return {
      notice: NOTICE,
      platform,
      fit: fitLine(fit),
      ...(notes.length > 0 && { intent_notes: notes }),
      ...flagsField(flags),
      untrusted_content: content,
    };
  },
});

type Fit = z.input<typeof draftRule.output>['fit'];

const fitLine = ({ wanted, wanted_matched, unwanted, unwanted_matched }: Fit): string =>
  `${wanted_matched} of ${wanted} wanted, ${unwanted_matched} of ${unwanted} unwanted`;
