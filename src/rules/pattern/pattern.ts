/**
 * Patterns on single terms: prefix, wildcard, regular expression, fuzzy word and range, compiled so that a test reads
 * each character once. No caller's pattern ever reaches JavaScript's backtracking engine.
 */
import type { Bound, Predicate } from '../query.ts';
import { compileDfa, type Dfa, newBudget } from './dfa.ts';
import { compileFuzzy } from './fuzzy.ts';
import { type Regex, readRegex } from './regex.ts';
import { compileWildcard } from './wildcard.ts';

export type PatternPredicate = Extract<Predicate, { kind: 'prefix' | 'wildcard' | 'regex' | 'fuzzy' | 'range' }>;

export const isPattern = (predicate: Predicate): predicate is PatternPredicate =>
  ['prefix', 'wildcard', 'regex', 'fuzzy', 'range'].includes(predicate.kind);

export interface Pattern {
  /** Whether the whole term at these units of the text fits. The first test prepares the pattern, where nobody did before. */
  readonly test: (text: string, start: number, end: number) => boolean;
  /**
   * Makes what tests need, and answers the steps that took: 0 where it is there already. A rule may have hundreds of regular
   * expressions, and most of them are never tested. Throws for one that is too large.
   */
  readonly prepare: () => number;
  /** Steps of one test on a word of usual length. */
  readonly steps: number;
  /** How many times as long as with other patterns a test takes for each character. */
  readonly weight: number;
  /** Texts that every fitting term contains. */
  readonly required: readonly string[];
  /** The text that every fitting term starts with; it may be empty. */
  readonly prefix: string;
}

/** A step is a test of a pattern on a word; compiling counts its work in larger units. */
const STEPS_OF_WORK = 2;

/** Most patterns are ready as they are, and a test of them is one step. */
const READY = { prepare: (): number => 0, steps: 1, weight: 1 };
/** Counting the edits between two words takes longer than other tests, and longest where both are long. */
const FUZZY_STEPS = 6;
/** A test of a wildcard goes over so many numbers in the time that other tests take for a character. */
const NUMBERS_A_CHARACTER = 2;

/** Throws for a regular expression that the language refuses. */
export function compilePattern(predicate: PatternPredicate): Pattern {
  switch (predicate.kind) {
    case 'prefix':
      return prefixPattern(predicate.prefix);
    case 'wildcard': {
      const { test, pieces, size } = compileWildcard(predicate.pattern);
      const weight = Math.ceil(size / NUMBERS_A_CHARACTER);
      return { test, ...READY, weight, required: pieces.filter((piece) => piece !== ''), prefix: pieces[0]! };
    }
    case 'regex':
      return regexPattern(predicate.pattern);
    case 'fuzzy':
      return {
        test: compileFuzzy(predicate.term, predicate.edits),
        ...READY,
        steps: Math.max(FUZZY_STEPS, predicate.term.length),
        required: [],
        prefix: '',
      };
    case 'range':
      return { test: rangeTest(predicate.from, predicate.to), ...READY, required: [], prefix: '' };
  }
}

function prefixPattern(prefix: string): Pattern {
  return {
    test: (text, start, end) => end - start >= prefix.length && text.startsWith(prefix, start),
    ...READY,
    required: prefix === '' ? [] : [prefix],
    prefix,
  };
}

function regexPattern(pattern: string): Pattern {
  let dfa: Dfa | undefined;
  const compile = (budget = newBudget()): Dfa => {
    dfa = compileDfa(regexOf(pattern), budget);
    if (dfa === undefined) throw new Error(`/${pattern}/ is too large.`);
    return dfa;
  };
  return {
    test: (text, start, end) => (dfa ?? compile()).test(text, start, end),
    prepare() {
      if (dfa !== undefined) return 0;
      const budget = newBudget();
      const { work } = budget;
      compile(budget);
      return (work - budget.work) * STEPS_OF_WORK;
    },
    steps: READY.steps,
    weight: READY.weight,
    ...literalsOf(regexOf(pattern)),
  };
}

/** Read again when it is compiled: most never are, and their trees would be kept for nothing. */
function regexOf(pattern: string): Regex {
  const read = readRegex(pattern);
  if ('problem' in read) throw new Error(`/${pattern}/: ${read.problem.message}`);
  return read.regex;
}

function rangeTest(from: Bound<string> | undefined, to: Bound<string> | undefined): Pattern['test'] {
  return (text, start, end) => {
    if (from !== undefined) {
      const order = compareSlice(text, start, end, from.value);
      if (order < 0 || (order === 0 && !from.inclusive)) return false;
    }
    if (to === undefined) return true;
    const order = compareSlice(text, start, end, to.value);
    return order < 0 || (order === 0 && to.inclusive);
  };
}

/** Compares by code points. Units sort the same except surrogates, which stand for the highest code points. */
function compareSlice(text: string, start: number, end: number, bound: string): number {
  const length = Math.min(end - start, bound.length);
  for (let index = 0; index < length; index++) {
    const one = text.charCodeAt(start + index);
    const other = bound.charCodeAt(index);
    if (one !== other) return rank(one) - rank(other);
  }
  return end - start - bound.length;
}

const rank = (unit: number) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** More than a rule has. A weak map of very many takes a collection of garbage longer than all else that it does at once. */
const MOST_KEPT = 4_096;
const compiled = new Map<PatternPredicate, Pattern>();

/** Keeps compiled patterns for a while: compiling costs far more than evaluating, and a query is evaluated often. */
export function patternOf(predicate: PatternPredicate): Pattern {
  const known = compiled.get(predicate);
  if (known !== undefined) return known;
  if (compiled.size === MOST_KEPT) compiled.clear();
  const pattern = compilePattern(predicate);
  compiled.set(predicate, pattern);
  return pattern;
}

/** Finds plain text that every match of a pattern must contain, so that an index can search for it first. */
interface Literals {
  readonly required: readonly string[];
  readonly prefix: string;
}

export function literalsOf(regex: Regex): Literals {
  const runs: string[] = [''];
  collect(regex, runs);
  return { required: runs.filter((run) => run !== ''), prefix: runs[0]! };
}

/** Extends the last run by text that must come next, and starts a new run after anything uncertain. */
function collect(regex: Regex, runs: string[]): void {
  switch (regex.kind) {
    case 'set':
      if (regex.ranges.length === 2 && regex.ranges[0] === regex.ranges[1])
        runs[runs.length - 1] += String.fromCodePoint(regex.ranges[0]!);
      else runs.push('');
      return;
    case 'cat':
      for (const part of regex.of) collect(part, runs);
      return;
    case 'repeat':
      if (regex.min > 0) collect(regex.of, runs);
      if (regex.min !== 1 || regex.max !== 1) runs.push('');
      return;
    case 'or':
    case 'and':
    case 'not':
      runs.push('');
      return;
  }
}
