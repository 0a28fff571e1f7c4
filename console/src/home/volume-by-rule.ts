/** Matches over time, stacked by rule: the loudest rules of the shown time by name, the others together. Pure. */
import type { Colour, Series } from '../chart/chart.tsx';
import type { Rule } from '../data/queries.ts';
import { lastMatchOf, matchesOf } from '../rules/rule-state.ts';

/** The server counts at most 100 rules at once. */
const MOST_ASKED = 100;
const COLOURS: readonly Colour[] = ['accent', 'second', 'third', 'fourth', 'fifth'];

/** The rules that may have matched since then. Of more than 100, those that matched most so far. */
export function candidates(rules: readonly Rule[], since: number): string[] {
  // The API writes all times alike, so that they compare as they stand.
  const from = new Date(since).toISOString();
  return rules
    .flatMap((rule) => ((lastMatchOf(rule) ?? '') >= from ? [{ id: rule.id, matches: matchesOf(rule) }] : []))
    .toSorted((one, other) => other.matches - one.matches)
    .slice(0, MOST_ASKED)
    .map(({ id }) => id);
}

export interface RuleVolume {
  readonly ruleId: string;
  readonly name: string;
  readonly total: number;
  readonly colour: Colour;
}

/** Ranked by what was counted in the shown time, never by what was counted before it. */
export function stackOf(
  all: readonly number[],
  byRule: Readonly<Record<string, readonly number[]>>,
  names: ReadonlyMap<string, string>,
): { series: Series[]; loudest: RuleVolume[] } {
  const ranked = Object.entries(byRule)
    .map(([ruleId, counts]) => ({ ruleId, counts, total: counts.reduce((sum, count) => sum + count, 0) }))
    .filter(({ total }) => total > 0)
    .toSorted((one, other) => other.total - one.total)
    .slice(0, COLOURS.length);
  const loudest = ranked.map(({ ruleId, total }, at) => ({
    ruleId,
    name: names.get(ruleId) ?? 'A deleted rule',
    total,
    colour: COLOURS[at]!,
  }));
  const series = loudest.map(({ name, colour }, at): Series => ({ name, colour, values: ranked[at]!.counts }));
  const rest = all.map((count, index) => count - ranked.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));
  if (rest.every((count) => count <= 0) && series.length > 0) return { series, loudest };
  const others: Series = {
    name: series.length === 0 ? 'Matches' : 'Other rules',
    colour: series.length === 0 ? 'accent' : 'soft',
    values: rest.map((count) => Math.max(0, count)),
  };
  return { series: [...series, others], loudest };
}
