/** Tries the rules of a file on their samples, and says which part of a query decided where one fails. */
import type { Decided, SampleVerdict } from '../app/sources/try-sample.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { counted, out, plain } from './output.ts';
import { type RuleEntry, type RuleFile, SAMPLE_FIELDS } from './rule-file.ts';

type SampleField = (typeof SAMPLE_FIELDS)[number];

export interface SampleFailure {
  /** `file:line:column` of the sample. */
  readonly place: string;
  readonly rule: string;
  readonly platform: Platform;
  readonly expected: SampleField;
  readonly message: string;
  readonly hint?: string;
}

export interface SampleReport {
  readonly samples: number;
  readonly passed: number;
  /** Samples that only the upstream can judge. */
  readonly notKnown: number;
  readonly failures: readonly SampleFailure[];
}

/** Longer lists of parts help less. */
const MOST_PARTS = 3;
/** A sample that is only a text has these fields. */
const FIELDS_OF_TEXTS = /^(text|word|keyword|title|added|hashtag|mention|cashtag|url)/;

export async function testSamples(file: RuleFile): Promise<SampleReport> {
  // The engine is loaded by those who test, not by every command.
  const { trySample } = await import('../app/sources/try-sample.ts');
  const failures: SampleFailure[] = [];
  let samples = 0;
  let notKnown = 0;
  for (const [index, entry] of file.entries.entries()) {
    for (const { field, platform, sample, path } of trialsOf(entry)) {
      samples++;
      const options = { ...entry.options, sources: entry.options?.sources ?? undefined };
      const verdict = await trySample({ platform, value: entry.overrides[platform]!, options, sample });
      const failed = failureOf(field, verdict, typeof sample === 'string');
      if (failed === 'not known') notKnown++;
      else if (failed !== undefined)
        failures.push({ place: file.placeOf(index, ...path), rule: entry.name, platform, expected: field, ...failed });
    }
  }
  return { samples, passed: samples - notKnown - failures.length, notKnown, failures };
}

function* trialsOf(entry: RuleEntry) {
  for (const field of SAMPLE_FIELDS) {
    for (const [at, held] of entry[field].entries()) {
      for (const platform of PLATFORMS) {
        const sample = typeof held === 'string' ? held : held[platform];
        if (sample === undefined || entry.overrides[platform] === undefined) continue;
        const path = typeof held === 'string' ? [field, at] : [field, at, platform];
        yield { field, platform, sample, path };
      }
    }
  }
}

type Failed = Pick<SampleFailure, 'message' | 'hint'>;

function failureOf(field: SampleField, verdict: SampleVerdict, isText: boolean): Failed | 'not known' | undefined {
  if ('problem' in verdict)
    return {
      message: verdict.problem,
      hint:
        verdict.of === 'rule' ? 'The text of the rule is not valid.' : 'A post needs data.id, a page an id or a url.',
    };
  const { matched, decided } = verdict;
  if (matched === undefined) return 'not known';
  if (matched === (field === 'must_match')) return undefined;
  const message = `It ${matched ? 'matches' : 'does not match'}, because ${saidBy(decided)}.`;
  const hint = hintFor(decided, isText, matched);
  return { message, ...(hint !== undefined && { hint }) };
}

function saidBy(decided: readonly Decided[]): string {
  const parts = decided.slice(0, MOST_PARTS).map(({ label, holds }) => `${holds ? '' : 'not: '}${plain(label, 200)}`);
  const more = decided.length > MOST_PARTS ? `, and ${decided.length - MOST_PARTS} more` : '';
  return parts.join(', ') + more;
}

function hintFor(decided: readonly Decided[], isText: boolean, matched: boolean): string | undefined {
  const near = decided.find((one) => one.near.length > 0);
  if (near !== undefined) return `The sample has ${near.near.map((word) => plain(word)).join(', ')} instead.`;
  const other = decided.find(({ field }) => field === undefined || !FIELDS_OF_TEXTS.test(field));
  if (isText && !matched && other !== undefined)
    return 'A sample that is a text has nothing else. Write it as an event under `x:` or `firehose:`.';
  return undefined;
}

export function describeSamples({ samples, passed, notKnown, failures }: SampleReport): string {
  if (samples === 0) return 'The file has no samples. Write some under `must_match:` and `must_not_match:`.';
  const lines = failures.map(({ place, rule, platform, expected, message, hint }) => {
    const told = [`${plain(rule)}, ${platform}, ${expected}: ${message}`, ...(hint === undefined ? [] : [hint])];
    return `${out.red('✗')} ${place}: ${told.join(' ')}`;
  });
  const rest = notKnown === 0 ? '' : `, ${notKnown} not known (only the upstream can tell)`;
  return [...lines, `${counted(samples, 'sample')}: ${passed} passed, ${failures.length} failed${rest}.`].join('\n');
}

export const samplesToJson = ({ samples, passed, notKnown, failures }: SampleReport) => ({
  samples,
  passed,
  failed: failures.length,
  not_known: notKnown,
  failures,
});
