/** Finds what the matches of a rule have in common, and when they come. Pure. */
import type { Counts, Match, Rule } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';
import { matchesOf } from '../rules/rule-state.ts';

export interface Ranked {
  readonly name: string;
  readonly count: number;
}

const LISTED = 8;
const SHORTEST_WORD = 4;

/** Each event counts once, however many times it says a word. */
export function topWords(matches: readonly Match[]): Ranked[] {
  const words = matches.flatMap((match) => {
    const { passages } = readEvent(match.platform, match.payload, match.highlights, match.demo);
    const text = passages
      .map((passage) => passage.text)
      .join(' ')
      .replaceAll(/https?:\S+/g, ' ');
    const found = text.toLowerCase().match(/[\p{L}][\p{L}\p{N}]+/gu) ?? [];
    return [...new Set(found.filter(isTelling))];
  });
  return ranked(words);
}

const isTelling = (word: string): boolean => word.length >= SHORTEST_WORD && !COMMON.has(word);

/** Words that say nothing about a text in English. */
const COMMON = new Set(
  'about after again also been before being could every first from have here into just like made make more most much only other over said same some such than that their them then there these they this those very want were what when where which while will with would your'.split(
    ' ',
  ),
);

function ranked(names: readonly string[]): Ranked[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((one, other) => other.count - one.count || one.name.localeCompare(other.name))
    .slice(0, LISTED);
}

/** Matches by weekday (Monday first) and hour, in the reader's time zone. */
export function heatOf(counts: Counts['counts']): number[][] {
  const heat = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const { at, count } of counts) {
    const time = new Date(at);
    heat[(time.getDay() + 6) % 7]![time.getHours()]! += count;
  }
  return heat;
}

/** The server compares at most twenty rules. */
const MOST_COMPARED = 20;

/** The rule itself, and the others that have matched most. */
export const comparedWith = (ruleId: string, rules: readonly Rule[]): string[] => [
  ruleId,
  ...rules
    .filter((rule) => rule.id !== ruleId && matchesOf(rule) > 0)
    .toSorted((one, other) => matchesOf(other) - matchesOf(one))
    .slice(0, MOST_COMPARED - 1)
    .map(({ id }) => id),
];
