/** Refuses patterns that cannot be matched: invalid regular expressions, and patterns that need too many states. */
import { compileDfa, newBudget } from '../pattern/dfa.ts';
import { readRegex } from '../pattern/regex.ts';
import type { Report } from './messages.ts';
import { fieldNamed } from './syntax-table.ts';
import type { Clause, Leaf } from './syntax-tree.ts';
import { fold } from './words.ts';

export function checkPatterns(clauses: readonly Clause[], report: Report): void {
  // One budget for the whole rule, so that many patterns together are bounded too.
  const budget = newBudget();
  for (const leaf of regexesIn(clauses)) {
    const read = readRegex(fieldNamed(leaf.field)?.kind === 'exact' ? leaf.text : fold(leaf.text));
    const inside = leaf.start + 1;
    if ('problem' in read) {
      const { message, start, end } = read.problem;
      report.add('bad-regex', { start: inside + start, end: Math.max(inside + end, inside + start + 1) }, message);
    } else if (compileDfa(read.regex, budget) === undefined) {
      report.add(
        'pattern-too-large',
        leaf,
        'The regular expressions up to this one need too many states; write simpler ones.',
      );
      return;
    }
  }
}

function* regexesIn(clauses: readonly Clause[]): Generator<Leaf> {
  for (const { node } of clauses) {
    if (node.kind === 'group') yield* regexesIn(node.clauses);
    else if (node.form === 'regex') yield node;
  }
}
