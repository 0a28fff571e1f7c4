/** check_rule: tries texts on recent events and changes nothing. Its answer is short unless more is asked for. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { wishOf } from '../service/perform/perform.ts';
import { type CheckedText, checkRule } from '../service/previews/check-rule.ts';
import { previewRule } from '../service/previews/preview-rule.ts';
import { createRule } from '../service/rules/create-rule.ts';
import { fieldsOf } from '../service/rules/rule-problems.ts';
import { clauseText, noticeFor, recentLine, sampleFields, shownSamples } from './samples.ts';
import { operation } from './tool.ts';
import { cutTo, NOTICE } from './untrusted.ts';

const MAX_SAMPLES = 10;
/** Nobody mends more at once. */
const MAX_ISSUES = 10;
/** Clauses that check_rule names; near_misses has them all. */
const MAX_MISSES = 3;

const checkedText = z.object({
  valid: z.boolean(),
  issues: z.array(z.unknown()).optional(),
  corrected: z.string().optional(),
  recent: z.string().optional(),
  near_misses: z.array(z.string()).optional(),
  intent_notes: z.array(z.string()).optional(),
  translation: z.unknown().optional(),
  ...sampleFields,
});

export const checkTool = operation({
  name: 'check_rule',
  summary: 'Check a rule before creating it',
  description:
    'Tries rule texts without creating anything: problems with the corrected text, how many recent events match, a sample, and what `intent` names but the text does not cover. Use it before create_rule and update_rule, until `ready`. `translate` adds the text for the other platform.',
  access: 'read',
  grants: 'account',
  input: z.strictObject({
    overrides: createRule.input.shape.overrides,
    intent: createRule.input.shape.intent.optional(),
    options: previewRule.input.shape.options,
    samples: z.int().min(0).max(MAX_SAMPLES).default(1),
    translate: z.boolean().default(false),
  }),
  output: z.object({
    ready: z.boolean(),
    notice: z.string().optional(),
    platforms: z.partialRecord(z.enum(PLATFORMS), checkedText),
  }),
  example: {
    input: { overrides: { x: 'volcano lang:en' }, intent: 'Eruptions, in English' },
    output: { ready: true, notice: NOTICE, platforms: {} },
  },
  problems: (_, input) => {
    const { overrides } = fieldsOf(input);
    const isEmpty = typeof overrides === 'object' && overrides !== null && Object.keys(overrides).length === 0;
    return isEmpty ? [{ path: 'overrides', message: 'Give the text of at least one platform.' }] : [];
  },
  async run(context, caller, { samples, ...request }, info) {
    const asked = { caller, request: { ...request, limit: Math.max(1, samples) } };
    const checked = await context.compute.run(checkRule, asked, wishOf(context, caller, info));
    const all: Shown = {};
    for (const platform of PLATFORMS) {
      const text = checked[platform];
      if (text !== undefined) all[platform] = shownText(platform, text, samples);
    }
    const platforms = samples > 1 || request.translate ? all : fitted(all);
    return {
      ready: Object.values(checked).every(({ verdict }) => verdict.valid),
      ...noticeFor(Object.values(platforms)),
      platforms,
    };
  },
});

type ShownText = z.input<typeof checkedText>;
type Shown = Partial<Record<Platform, ShownText>>;

/** Characters of what is said of the texts, so that the whole answer has 250 tokens. */
const ROOM = 640;

/** An answer that is too long is cut by one of these after the other until it fits. Corrected texts always stay. */
const CUTS: readonly ((text: ShownText) => ShownText)[] = [
  ({ intent_notes: notes, ...text }) => ({ ...text, ...(notes && { intent_notes: firstOf(notes, 2) }) }),
  ({ issues, ...text }) => ({ ...text, ...(issues && { issues: issues.slice(0, 3) }) }),
  ({ untrusted_content, ...text }) => ({ ...text, ...(untrusted_content && shorter(untrusted_content)) }),
  ({ near_misses: misses, ...text }) => ({ ...text, ...(misses && { near_misses: misses.slice(0, 1) }) }),
  ({ intent_notes: notes, ...text }) => ({ ...text, ...(notes && { intent_notes: firstOf(notes, 1) }) }),
  ({ untrusted_content: _content, flags: _flags, ...text }) => text,
];

function fitted(texts: Shown): Shown {
  let shown = texts;
  for (const cut of CUTS) {
    if (JSON.stringify(shown).length <= ROOM) break;
    shown = Object.fromEntries(Object.entries(shown).map(([platform, text]) => [platform, cut(text)]));
  }
  return shown;
}

const firstOf = (notes: readonly string[], count: number): string[] =>
  notes.length <= count ? [...notes] : [...notes.slice(0, count), `And ${notes.length - count} more.`];

/** Characters of a sample where there is little room. */
const SHORT_SAMPLE = 60;

const shorter = ({ samples }: { samples: string[] }) => ({
  untrusted_content: { samples: samples.map((one) => cutTo(one, SHORT_SAMPLE, new Set())) },
});

function shownText(platform: Platform, checked: CheckedText, samples: number): ShownText {
  const { verdict, translation, preview, nearMisses: missed, dollarsPerMatch, intentNotes } = checked;
  const corrected = verdict.issues.find(({ severity, suggestion }) => severity === 'error' && suggestion !== undefined);
  const issues = shownIssues(verdict.issues.slice(0, MAX_ISSUES), corrected?.suggestion);
  return {
    valid: verdict.valid,
    ...(issues.length > 0 && { issues }),
    ...(corrected?.suggestion !== undefined && { corrected: corrected.suggestion }),
    ...(preview && { recent: recentLine(preview, dollarsPerMatch ?? 0) }),
    ...(missed && { near_misses: mostMissed(missed) }),
    ...(intentNotes.length > 0 && { intent_notes: intentNotes.map(({ message }) => message) }),
    ...(translation && { translation: shownTranslation(translation) }),
    ...(preview && shownSamples(platform, preview.matches, samples)),
  };
}

/** Issues that the same fixes mend share them: they are shown with the first. The corrected text is shown once anyway. */
function shownIssues(issues: CheckedText['verdict']['issues'], corrected: string | undefined) {
  const shown = new Set<string>();
  return issues.map(({ severity, message, position, fixes = [] }) => {
    const others = fixes.filter(({ value }) => value !== corrected);
    const key = JSON.stringify(others);
    const isNew = others.length > 0 && !shown.has(key);
    shown.add(key);
    const at = position && { at: [position.start, position.end] };
    return { severity, message, ...at, ...(isNew && { fixes: others }) };
  });
}

type Missed = NonNullable<CheckedText['nearMisses']>;

/** The clauses that kept events out by themselves, the most first. */
function mostMissed({ basis, clauses }: Missed): string[] {
  return clauses
    .filter(({ missed }) => missed > 0)
    .toSorted((one, other) => other.missed - one.missed)
    .slice(0, MAX_MISSES)
    .map(({ text, missed, demo_missed: invented }) => {
      const part = invented === undefined ? '' : `, ${invented} of them invented`;
      return `${missed} of ${basis.events} recent events fail by ${clauseText(text)} alone${part}.`;
    });
}

const shownTranslation = ({
  platform,
  value,
  verdict: whole,
  clauses,
  measured,
}: NonNullable<CheckedText['translation']>) => ({
  platform,
  ...(value !== undefined && { value }),
  verdict: whole,
  lost: clauses
    .filter(({ verdict }) => verdict !== 'exact')
    .map(({ clause, verdict, reason }) => `${clause}: ${verdict}. ${reason}`),
  ...(measured && { measured: measured.summary }),
});
