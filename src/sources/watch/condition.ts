/** When a change of a page is worth an event: a number within bounds, a text that appears or vanishes. */
import { type Budget, compileDfa, type Dfa, newBudget } from '../../rules/pattern/dfa.ts';
import { ANY_STRING, readRegex } from '../../rules/pattern/regex.ts';

export interface Condition {
  readonly below?: number | undefined;
  readonly above?: number | undefined;
  readonly appears?: string | undefined;
  readonly vanishes?: string | undefined;
}

/** Whether all parts of the condition hold. */
export function holdsIn(text: string, { below, above, appears, vanishes }: Condition): boolean {
  const shown = text.toLowerCase();
  const number = below === undefined && above === undefined ? undefined : firstNumber(text);
  return (
    (below === undefined || (number !== undefined && number < below)) &&
    (above === undefined || (number !== undefined && number > above)) &&
    (appears === undefined || shown.includes(appears.toLowerCase())) &&
    (vanishes === undefined || !shown.includes(vanishes.toLowerCase()))
  );
}

const NUMBER = /[-−]?\d(?:[\d.,'’\u00a0\u202f]{0,28}\d)?/;

/** The first number in a text, as people of several countries write it: 1,299.00, 1.299,00, 1’299 and 39.90. */
export function firstNumber(text: string): number | undefined {
  const [written] = NUMBER.exec(text) ?? [];
  if (written === undefined) return undefined;
  const digits = written.replace('−', '-').replaceAll(/['’\u00a0\u202f]/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last === -1) return Number(digits);
  const [sign, behind] = [digits[last]!, digits.length - last - 1];
  const isMixed = digits.includes(sign === '.' ? ',' : '.');
  const isDecimal = digits.indexOf(sign) === last && (isMixed || behind !== 3 || /^-?0/.test(digits));
  const whole = (isDecimal ? digits.slice(0, last) : digits).replaceAll(/[.,]/g, '');
  return Number(isDecimal ? `${whole}.${digits.slice(last + 1)}` : whole);
}

/** Lines that nobody wants to hear of, by the patterns of a caller: they run as automata, a step for each character. */

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
): { readonly at: number; readonly problem: string } | undefined {
  const budget = newBudget();
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
