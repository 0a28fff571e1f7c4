/** Refuses what cannot be matched: regular expressions that are not valid, patterns that need too many states or take too long. */
import { type Budget, compileDfa, newBudget } from '../pattern/dfa.ts';
import { type Regex, readRegex } from '../pattern/regex.ts';
import { workOf } from '../pattern/wildcard.ts';
import type { Report } from './messages.ts';
import { fieldNamed } from './syntax-table.ts';
import type { Clause, Leaf } from './syntax-tree.ts';
import { fold } from './words.ts';

export function checkPatterns(clauses: readonly Clause[], report: Report): void {
  // One budget for the whole rule, so that many patterns together are bounded too.
  const budget = newBudget();
  for (const leaf of patternsIn(clauses)) {
    if (leaf.form === 'wildcard') {
      budget.work -= workOf(leaf.text);
      if (budget.work >= 0) continue;
      report.add('pattern-too-large', leaf, TOO_LONG);
      return;
    }
    const pattern = fieldNamed(leaf.field)?.kind === 'exact' ? leaf.text : fold(leaf.text);
    const read = readRegex(pattern);
    const inside = leaf.start + 1;
    if ('problem' in read) {
      const { message, start, end } = read.problem;
      report.add('bad-regex', { start: inside + start, end: Math.max(inside + end, inside + start + 1) }, message);
    } else if (!fits(pattern, read.regex, budget)) {
      report.add(
        'pattern-too-large',
        leaf,
        'The regular expressions up to this one need too many states; write simpler ones.',
      );
      return;
    }
  }
}

const TOO_LONG =
  'The patterns up to this one take too long to test. Write a shorter one, for instance with one * for what stands between the words that matter.';

/** The budget that a pattern took to compile, or that was too little for it. */
interface Cost extends Budget {
  readonly isEnough: boolean;
}

/** A fix is proven by reading the rule again, its patterns unchanged: what they cost is kept, and forgotten when it is much. */
const costs = new Map<string, Cost>();
const MAX_CHARACTERS = 64 * 1024;
let characters = 0;

function keep(pattern: string, cost: Cost): void {
  characters += pattern.length;
  if (characters > MAX_CHARACTERS) {
    costs.clear();
    characters = pattern.length;
  }
  costs.set(pattern, cost);
}

/** Whether the budget suffices for the pattern, which is then taken from it. */
function fits(pattern: string, regex: Regex, budget: Budget): boolean {
  const known = costs.get(pattern);
  if (known?.isEnough === true) {
    budget.states -= known.states;
    budget.work -= known.work;
    return budget.states >= 0 && budget.work >= 0;
  }
  if (known !== undefined && budget.states <= known.states && budget.work <= known.work) return false;
  const { states, work } = budget;
  const isEnough = compileDfa(regex, budget) !== undefined;
  const cost = isEnough ? { states: states - budget.states, work: work - budget.work } : { states, work };
  keep(pattern, { ...cost, isEnough });
  return isEnough;
}

function* patternsIn(clauses: readonly Clause[]): Generator<Leaf> {
  for (const { node } of clauses) {
    if (node.kind === 'group') yield* patternsIn(node.clauses);
    else if (node.form === 'regex' || node.form === 'wildcard') yield node;
  }
}
