/** Lines that nobody wants to hear of, by the patterns of a caller: they run as automata, a step for each character. */
import { type Budget, compileDfa, type Dfa, newBudget } from '../../rules/pattern/dfa.ts';
import { ANY_STRING, readRegex } from '../../rules/pattern/regex.ts';

/** A pattern is found anywhere in a line. Answers what is wrong with it where it cannot be used. */
function finderOf(pattern: string, budget: Budget): Dfa | { readonly problem: string } {
  const read = readRegex(pattern);
  if ('problem' in read) return { problem: `is not a pattern: ${read.problem.message}` };
  const found = compileDfa({ kind: 'cat', of: [ANY_STRING, read.regex, ANY_STRING] }, budget);
  return found ?? { problem: TOO_LARGE };
}

const TOO_LARGE = 'is too large a pattern, together with those before it: leave some out, or repeat less in them';

/** The first pattern that cannot be used, and why. All of a source have one budget, like those of a rule. */
export function patternProblem(
  patterns: readonly string[],
  budget = newBudget(),
): { readonly at: number; readonly problem: string } | undefined {
  for (const [at, pattern] of patterns.entries()) {
    const finder = finderOf(pattern, budget);
    if ('problem' in finder) return { at, problem: finder.problem };
  }
  return undefined;
}

/** Each pattern has a budget of its own: sources of an older program may have more than one budget allows. */
export function withoutLines(text: string, patterns: readonly string[]): string {
  const finders = patterns
    .map((pattern) => finderOf(pattern, newBudget()))
    .flatMap((finder) => ('problem' in finder ? [] : [finder]));
  if (finders.length === 0) return text;
  return text
    .split('\n')
    .filter((line) => !finders.some((finder) => finder.test(line, 0, line.length)))
    .join('\n');
}
