/** Lines that nobody wants to hear of, by the patterns of a caller: they run as automata, a step for each character. */
import { compileDfa, type Dfa, newBudget } from '../../rules/pattern/dfa.ts';
import { ANY_STRING, readRegex } from '../../rules/pattern/regex.ts';

/** A pattern is found anywhere in a line. Answers what is wrong with it where it cannot be used. */
function finderOf(pattern: string): Dfa | { readonly problem: string } {
  const read = readRegex(pattern);
  if ('problem' in read) return { problem: `is not a pattern: ${read.problem.message}` };
  const found = compileDfa({ kind: 'cat', of: [ANY_STRING, read.regex, ANY_STRING] }, newBudget());
  return found ?? { problem: 'is too large a pattern' };
}

export function patternProblem(pattern: string): string | undefined {
  const finder = finderOf(pattern);
  return 'problem' in finder ? finder.problem : undefined;
}

export function withoutLines(text: string, patterns: readonly string[]): string {
  const finders = patterns.map(finderOf).flatMap((finder) => ('problem' in finder ? [] : [finder]));
  if (finders.length === 0) return text;
  return text
    .split('\n')
    .filter((line) => !finders.some((finder) => finder.test(line, 0, line.length)))
    .join('\n');
}
