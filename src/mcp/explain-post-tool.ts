/**
 * explain_post: why a rule missed a post, and the smallest change with which it would have matched it. near_misses:
 * which clause keeps a quiet rule quiet.
 */
import { z } from 'zod';
import { PLATFORMS } from '../domain/platform.ts';
import { performComputed } from '../service/perform/perform.ts';
import { nearMisses } from '../service/previews/near-misses.ts';
import type { Part } from '../service/rules/explanation.ts';
import { explainEvent } from '../service/suggestions/explain-event.ts';
import { clauseText, inventedPart, noticeFor, sampleFields, shownSamples } from './samples.ts';
import { passageTo } from './show-match.ts';
import { operation } from './tool.ts';
import { cutTo, type Flag, flagsField, fromStrangers, NOTICE, visible } from './untrusted.ts';

/** Characters of the post, and of a rule text that has words of it. */
const MAX_PASSAGE = 160;
const MAX_TEXT = 4_096;
/** Parts of a rule that are named. */
const MAX_LINES = 12;

export const explainPostTool = operation({
  ...explainEvent,
  runs: 'main',
  input: explainEvent.input.omit({ value: true, options: true }),
  name: 'explain_post',
  summary: 'Why a rule missed a post',
  description:
    'Which parts of a rule a post or page fails, and `nearest`: the smallest change that matches it, tried on recent events. Give one of `text`, `url`, `event_id`, `event`; nothing is fetched. Then update_rule with its `value`.',
  output: z.object({
    ...fromStrangers,
    matched: z.boolean(),
    platform: z.enum(PLATFORMS),
    found: z.string(),
    demo: z.literal(true).optional(),
    explanation: z.array(z.string()),
    recent: z.string(),
    untrusted_content: z.record(z.string(), z.unknown()),
  }),
  example: {
    input: { rule_id: 'Volcanoes', text: 'Etna erupts' },
    output: {
      notice: NOTICE,
      matched: false,
      platform: 'x',
      found: 'recent',
      explanation: ['no: text has "volcano"'],
      recent: '0 of 900 recent events match.',
      untrusted_content: { passage: 'Etna erupts' },
    },
  },
  async run(context, caller, input, request) {
    const answer = await performComputed(context, explainEvent, caller, input, request);
    const { matched, platform, payload, found, demo, explanation, nearest, others, basis } = answer;
    const flags = new Set<Flag>();
    const tell = (one: Change) => ({
      change: cutTo(visible(one.change, flags), MAX_TEXT, flags),
      value: cutTo(visible(one.value, flags), MAX_TEXT, flags),
      ...(one.options && { options: one.options }),
      recent: `${one.added} more${(one.demo_added ?? 0) > 0 ? `, ${one.demo_added} of them invented` : ''}`,
    });
    const content = {
      passage: passageTo({ platform, payload, highlights: [] }, MAX_PASSAGE, flags),
      ...(nearest && { nearest: tell(nearest) }),
      ...(others.length > 0 && { other: tell(others[0]!) }),
    };
    return {
      notice: NOTICE,
      matched,
      platform,
      found,
      ...(demo && { demo }),
      explanation: [...decisive(explanation as Part, '')].slice(0, MAX_LINES),
      recent: `${basis.matched} of ${basis.events} recent events match${inventedPart(basis)}.`,
      ...flagsField(flags),
      untrusted_content: content,
    };
  },
});

type Explained = z.input<typeof explainEvent.output>;
type Change = NonNullable<Explained['nearest']>;

/** The parts that decide: of one that fails, those that fail, or those that hold where none may. */
function* decisive({ label, holds, of }: Part, indent: string): Iterable<string> {
  yield `${indent}${holds ? 'yes' : 'no'}: ${label}`;
  const alike = of.filter((part) => part.holds === holds);
  for (const part of alike.length > 0 ? alike : of) yield* decisive(part, `${indent}  `);
}

const MAX_SAMPLES = 10;

/** near_misses: which clause keeps a quiet rule quiet. */
export const nearMissesTool = operation({
  ...nearMisses,
  runs: 'main',
  name: 'near_misses',
  summary: 'What a rule nearly matched',
  description:
    'For a rule that matches nothing or too little: for each of its clauses, how many recent events fail by that clause alone, with samples. Give `rule_id`, or `platform` and `value`. Then loosen that clause with update_rule.',
  input: nearMisses.input.extend({ limit: z.int().min(0).max(MAX_SAMPLES).default(1) }),
  output: z.object({
    notice: z.string().optional(),
    recent: z.string(),
    clauses: z.array(z.object({ clause: z.string(), missed: z.int(), invented: z.int().optional(), ...sampleFields })),
    clauses_left_out: z.int().optional(),
  }),
  example: {
    input: { platform: 'x', value: 'volcano lang:en' },
    output: { recent: '0 of 900 recent events match.', clauses: [{ clause: 'lang:en', missed: 12 }] },
  },
  async run(context, caller, input, request) {
    const { platform, basis, matched, demo_matched, clauses, clauses_left_out } = await performComputed(
      context,
      nearMisses,
      caller,
      input,
      request,
    );
    const shown = clauses.map(({ text, missed, demo_missed: invented, samples }) => ({
      clause: clauseText(text),
      missed,
      ...(invented !== undefined && { invented }),
      ...shownSamples(platform, samples, input.limit),
    }));
    return {
      ...noticeFor(shown),
      recent: `${matched} of ${basis.events} recent events match${inventedPart({ ...basis, matched, demo_matched })}.`,
      clauses: shown,
      ...(clauses_left_out !== undefined && { clauses_left_out }),
    };
  },
});
