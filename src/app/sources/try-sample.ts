/** Tries a rule on a sample that it must match, or must not, without any server: the verdict, and what decided it. */
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { type Explanation, explain } from '../../engine/explain/explain.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { languages } from '../../rules/languages.ts';
import type { Query } from '../../rules/query.ts';
import { queryOf, textsOfRequest } from '../../rules/rule-text.ts';
import { pageOfContent, postOf } from '../../service/previews/twins.ts';

export interface SampleTrial {
  readonly platform: Platform;
  readonly value: string;
  readonly options: Parameters<typeof textsOfRequest>[1];
  /** A text stands for a post that says it, or for a page with it as title and content. */
  readonly sample: string | Readonly<Record<string, unknown>>;
}

export type SampleVerdict =
  | { readonly problem: string; readonly of: 'rule' | 'sample' }
  | {
      /** It is undefined when only the upstream can tell. */
      readonly matched: boolean | undefined;
      /** The parts of the query that made it so. */
      readonly decided: readonly Decided[];
    };

export interface Decided {
  readonly label: string;
  readonly holds: boolean;
  /** Like words that are there instead. */
  readonly near: readonly string[];
  /** The field that it looks at, where it looks at one. */
  readonly field: string | undefined;
}

/** The widest reading first; the other one knows `embedding:`, which only X can judge. */
const READINGS = [languages({ local: true }), languages({ level: 'enterprise+embedding' })];

export async function trySample({ platform, value, options, sample }: SampleTrial): Promise<SampleVerdict> {
  const text = textsOfRequest({ [platform]: value }, options)[platform]!;
  const query = READINGS.map((reading) => queryOf(reading[platform], text)).find((one) => one !== undefined);
  if (query === undefined) return { problem: errorIn(platform, text.value), of: 'rule' };
  const now = new Date();
  const view = newAnalyzer(platform)(typeof sample === 'string' ? eventOf(platform, sample, now) : sample);
  if (isRejection(view)) return { problem: `It is not an event: ${view.rejected}.`, of: 'sample' };
  const lookup = new ViewLookup(view, now.getTime());
  const explanation = explain(query, lookup);
  return { matched: verdictOf(query, explanation), decided: decidedBy(query, explanation) };
}

const errorIn = (platform: Platform, value: string): string =>
  READINGS[0]![platform].parse(value).diagnostics.find(({ severity }) => severity === 'error')?.message ??
  'It is no valid rule.';

const eventOf = (platform: Platform, text: string, now: Date) =>
  platform === 'x' ? postOf({ text }) : pageOfContent({ text, title: text }, now);

/** As the engine sees it, but that nothing is said of what only the upstream can judge. */
function verdictOf(query: Query, { holds, of }: Explanation): boolean | undefined {
  switch (query.kind) {
    case 'upstream':
      return undefined;
    case 'not': {
      const inner = verdictOf(query.query, of[0]!);
      return inner === undefined ? undefined : !inner;
    }
    case 'all':
    case 'any': {
      const parts = query.of.map((part, at) => verdictOf(part, of[at]!));
      const decisive = query.kind === 'any';
      if (parts.includes(decisive)) return decisive;
      return parts.includes(undefined) ? undefined : !decisive;
    }
    default:
      return holds;
  }
}

/** The predicates without which the verdict would not stand: those that fail of an AND, the first that holds of an OR. */
function decidedBy(query: Query, { label, holds, of, near = [] }: Explanation): Decided[] {
  switch (query.kind) {
    case 'not':
      return decidedBy(query.query, of[0]!);
    case 'all':
    case 'any': {
      const needsEach = (query.kind === 'all') === holds;
      const parts = query.of.map((part, at) => [part, of[at]!] as const).filter(([, one]) => one.holds === holds);
      return (needsEach ? parts : parts.slice(0, 1)).flatMap(([part, one]) => decidedBy(part, one));
    }
    default:
      return [{ label, holds, near, field: 'field' in query ? query.field : undefined }];
  }
}
