/**
 * How much work one call of `match` may do. A thousand patterns on a page of a hundred thousand words take seconds; a caller
 * that may not block for that long gives a budget. When it is spent, `match` reports nothing and says which patterns are open.
 * `decideOpen` decides those in small parts; `match` is then called again, and begins with all that is decided by now.
 */
import type { SharedPredicate } from '../compile/shared-predicate.ts';
import type { EventView } from '../events/event-view.ts';
import type { ViewLookup } from '../one-rule/view-lookup.ts';

export interface MatchBudget {
  /** Steps left for the next call: a step is one test of a pattern on a word. Compiling a pattern takes some, too. */
  left: number;
  /** Predicates decided for this event already. */
  readonly decided: Map<SharedPredicate, boolean>;
  /** Patterns that must be decided before the report is complete. */
  readonly open: Set<SharedPredicate>;
  /** Whether no steps were left for some rule. */
  isShort: boolean;
  /** Ids of rules for whose phrases no steps were left. The report is that of the others: these are to be matched by themselves. */
  late: string[];
  /** The event's lookup, where its words were read in parts. */
  lookup: ViewLookup | undefined;
  /** The patterns that the words of a long event lead to, found in parts, and the version of the patterns then. */
  met: { readonly version: number; readonly patterns: readonly SharedPredicate[] } | undefined;
  /** The event's words as the core takes them, written in parts, and the version of the rules then. */
  written: { readonly version: number; readonly words: WrittenWords } | undefined;
}

/** Words and their text in arrays of their own: for each word where it begins and ends in the text, its position and its place. */
export interface WrittenWords {
  readonly words: Int32Array;
  readonly count: number;
  readonly text: Uint8Array;
}

/** Whether the budget ended before the report was complete. */
export const isSpent = ({ open, isShort }: MatchBudget): boolean => open.size > 0 || isShort;

/** Whether some rules are not in the report. */
export const leavesRules = (budget: MatchBudget): boolean => isSpent(budget) || budget.late.length > 0;

/** An event of more words, or of more units of text, is long. */
export const MANY_WORDS = 4_096;
const MUCH_TEXT = 32_768;

/** A pattern takes long on a long event: it is decided in parts. */
export function isLong({ words, pieces }: EventView): boolean {
  if (words.count > MANY_WORDS) return true;
  let units = 0;
  for (const { text } of pieces) units += text.length;
  return units > MUCH_TEXT;
}

/** Steps of one call: some milliseconds. */
export const STEPS = 50_000;

export const newMatchBudget = (steps = STEPS): MatchBudget => ({
  left: steps,
  decided: new Map(),
  open: new Set(),
  isShort: false,
  late: [],
  lookup: undefined,
  met: undefined,
  written: undefined,
});

/** Makes a budget good for another event. */
export function renew(budget: MatchBudget, steps = STEPS): void {
  budget.left = steps;
  if (budget.open.size > 0) budget.open.clear();
  if (budget.decided.size > 0) budget.decided.clear();
  budget.isShort = false;
  if (budget.late.length > 0) budget.late = [];
  budget.lookup = undefined;
  budget.met = undefined;
  budget.written = undefined;
}
