/**
 * Random rules of both languages, each translated, and rule and translation tried on posts and pages that say the same: the
 * translation must be a rule, and what it says about its losses must be so, for the whole, for each clause, and for what
 * was left out.
 */
import { randomFrom } from '../../bench/random.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { type EventView, isRejection } from '../../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../../src/engine/events/page-event.ts';
import { xAnalyzer } from '../../src/engine/events/x-event.ts';
import { languages } from '../../src/rules/languages.ts';
import { all, any, not, type Query } from '../../src/rules/query.ts';
import { translate } from '../../src/rules/translate.ts';
import { type Content, samplesFor } from '../../src/rules/translate-samples.ts';
import type { Translation, TranslationVerdict } from '../../src/rules/translation.ts';
import { pageOfContent, postOf } from '../../src/service/previews/twins.ts';
import { explanationOf } from '../stages/explaining.ts';
import { anyContent, anyRule } from './translation-rules.ts';

const LANGUAGES = languages({ level: 'enterprise+embedding' });
const NOW = new Date('2026-11-15T12:00:00Z');
const SAMPLES = 8;
const CONTENTS = 6;

export interface DifferentialReport {
  readonly rules: number;
  readonly translated: number;
  readonly pairs: number;
  /** Pairs that the rule catches, and those where rule and translation differ. */
  readonly caught: number;
  readonly different: number;
  readonly verdicts: Readonly<Record<TranslationVerdict, number>>;
  readonly unparsed: readonly string[];
  /** Translations that were given up because they would be read as other rules. */
  readonly misread: readonly string[];
  readonly wrong: readonly string[];
}

export interface DifferentialOptions {
  readonly rules: number;
  readonly seed: number;
  /** Texts that people wrote, tried beside the made ones. */
  readonly texts?: readonly string[];
}

export function translationDifferential({ rules, seed, texts = [] }: DifferentialOptions): DifferentialReport {
  const random = randomFrom(seed);
  const verdicts: Record<TranslationVerdict, number> = { exact: 0, wider: 0, narrower: 0, differs: 0, impossible: 0 };
  const [unparsed, misread, wrong]: string[][] = [[], [], []];
  const counts = { translated: 0, pairs: 0, caught: 0, different: 0 };
  for (let made = 0; made < rules; ) {
    const from: Platform = made % 2 === 0 ? 'x' : 'firehose';
    const rule = anyRule(from, random);
    const query = LANGUAGES[from].queryOf(rule);
    if (query === undefined) continue;
    made++;
    const translation = translate(query, otherThan(from));
    verdicts[translation.verdict]++;
    if (translation.clauses.some(({ reason }) => /read as another rule|read as it is meant/.test(reason)))
      misread!.push(rule);
    if (translation.text === undefined) continue;
    counts.translated++;
    const read = LANGUAGES[otherThan(from)].queryOf(translation.text);
    if (read === undefined) {
      unparsed!.push(`${from} ${rule} becomes ${translation.text}`);
      continue;
    }
    const contents = [
      ...pickedFrom(samplesFor(query, 60), random),
      ...Array.from({ length: CONTENTS }, () => anyContent(random)),
    ];
    if (texts.length > 0) contents.push({ text: texts[Math.floor(random() * texts.length)]! });
    for (const content of contents) {
      const told = judged(from, query, read, translation, content);
      counts.pairs++;
      if (told.caught) counts.caught++;
      if (told.different) counts.different++;
      if (told.wrong !== undefined)
        wrong!.push(`${from} ${rule} becomes ${translation.text}: ${told.wrong} on ${JSON.stringify(content)}`);
    }
  }
  return { rules, ...counts, verdicts, unparsed: unparsed!, misread: misread!, wrong: wrong! };
}

const otherThan = (platform: Platform): Platform => (platform === 'x' ? 'firehose' : 'x');

const pickedFrom = (samples: readonly Content[], random: () => number): Content[] =>
  Array.from({ length: SAMPLES }, () => samples[Math.floor(random() * samples.length)]!);

const analyzers = { x: xAnalyzer(), firehose: pageAnalyzer() };

function viewOf(platform: Platform, content: Content): EventView {
  const view = analyzers[platform](platform === 'x' ? postOf(content) : pageOfContent(content, NOW));
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

const holds = (query: Query, view: EventView) => explanationOf(query, view, NOW.getTime()).holds;

function judged(from: Platform, query: Query, read: Query, { verdict, clauses }: Translation, content: Content) {
  const [here, there] = [viewOf(from, content), viewOf(otherThan(from), content)];
  const [one, other] = [holds(query, here), holds(read, there)];
  const wrong: string[] = [];
  if (belies(verdict, one, other)) wrong.push(`the whole is said to be ${verdict}`);
  for (const { clause, verdict: said, source, target } of clauses) {
    if (target === undefined) continue;
    if (belies(said, holds(source, here), holds(target, there))) wrong.push(`${clause} is said to be ${said}`);
  }
  const gone = clauses.filter(({ leftOut }) => leftOut !== undefined);
  const effects = new Set(gone.map(({ leftOut }) => leftOut!));
  if (effects.size === 1) {
    const [effect] = effects;
    const rest = withoutParts(query, new Set(gone.map(({ source }) => keyOf(source))));
    if (rest !== undefined && belies(effect!, one, holds(rest, here)))
      wrong.push(`what is left out is said to make it ${effect}`);
  }
  return { caught: one, different: one !== other, wrong: wrong.length === 0 ? undefined : wrong.join('; ') };
}

/** Whether the two answers cannot be if the second query is this, compared with the first. */
const belies = (verdict: TranslationVerdict, one: boolean, other: boolean): boolean =>
  ((verdict === 'exact' || verdict === 'wider') && one && !other) ||
  ((verdict === 'exact' || verdict === 'narrower') && other && !one);

const keyOf = (query: Query): string => JSON.stringify(query.kind === 'not' ? query.query : query);

/** The rule without the clauses that were left out, found by a walk of its own. */
function withoutParts(query: Query, gone: ReadonlySet<string>): Query | undefined {
  if (gone.has(keyOf(query))) return undefined;
  if (query.kind === 'not') {
    const inner = withoutParts(query.query, gone);
    return inner && not(inner);
  }
  if (query.kind !== 'all' && query.kind !== 'any') return query;
  const parts = query.of.flatMap((part) => withoutParts(part, gone) ?? []);
  if (parts.length === 0) return undefined;
  return query.kind === 'all' ? all(parts) : any(parts);
}
