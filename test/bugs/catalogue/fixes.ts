/** What a fix does to a rule. */
import type { Bug } from '../bug.ts';

export const fixesBugs: readonly Bug[] = [
  {
    id: 'fixes-mean-the-opposite',
    hurts: 'A fix that is said to exclude a word searches for it.',
    file: 'src/rules/fix.ts',
    find: 'return query && not(query);',
    replace: 'return query;',
    caughtBy: { file: 'src/rules/fix.test.ts', test: 'and not when it means something else than it states' },
  },
  {
    id: 'fixes-unproven-same',
    hurts: 'A fix is said to leave the meaning of a rule as it is, and changes it.',
    file: 'src/rules/fix.ts',
    find: 'return query !== undefined && (sameMeaning(query, fixed) || isSameByRelations(query, fixed, reader));',
    replace: 'return query !== undefined;',
    caughtBy: { file: 'src/rules/fix.test.ts', test: 'and not when it changes a rule that it promises to keep' },
  },
  {
    id: 'fixes-that-match-everything',
    hurts: 'A fix turns a rule into one that matches every post.',
    file: 'src/rules/fix.ts',
    find: 'if (USELESS.has(code) || allowed',
    replace: 'if (allowed',
    caughtBy: { file: 'src/rules/fix.test.ts', test: 'and not when the rule would match nothing, or everything' },
  },
  {
    id: 'fixes-at-the-wrong-place',
    hurts: 'A fix replaces the character after the mistake too.',
    file: 'src/rules/fix.ts',
    find: 'fix.text + text.slice(fix.span.end);',
    replace: 'fix.text + text.slice(fix.span.end + 1);',
    caughtBy: { file: 'src/rules/fix.test.ts', test: 'in its place, whatever else is wrong with the rule' },
  },
  {
    id: 'fixes-any-for-all',
    hurts: 'A fix that is said to need all of its words is satisfied by one.',
    file: 'src/rules/fix.ts',
    find: "return ('all' in intent ? all : any)(parts as Query[]);",
    replace: 'return any(parts as Query[]);',
    caughtBy: { file: 'src/rules/fix.test.ts', test: 'and not when it means something else than it states' },
  },
];
