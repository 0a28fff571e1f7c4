/**
 * Answers what the core asks while it matches an event, and makes the report. Patterns and facts are decided on the analysed
 * event, at most once for each event.
 */
import { runThrough } from '../../base/cooperate.ts';
import type { Predicates } from '../compile/predicates.ts';
import { eachLeaf, FAIL, KIND, payloadOf, TEST } from '../compile/program.ts';
import type { SharedPredicate } from '../compile/shared-predicate.ts';
import type { EventView } from '../events/event-view.ts';
import { ViewLookup } from '../one-rule/view-lookup.ts';
import type { CoreHost } from './core-memory.ts';
import { decide, decideWithin, OUT_OF_STEPS } from './decide.ts';
import { isSpent, type MatchBudget } from './match-budget.ts';
import type { MatchReport } from './reports.ts';

/** Never added to: most events have none. */
const NO_FAILURES: MatchReport['failures'] = [];

/** Steps for the phrases of one event, some ten milliseconds, where there is a budget. */
const PHRASE_STEPS = 600_000;
const NO_LIMIT = 0x7fffffff;

/** Answers of `decide`. */
const NO = 0;
const YES = 1;
const LEAVE = 2;

/** The first `count` of the numbers are those of the rules that an event matched. They are valid until the next event. */
export interface NumberReport {
  readonly numbers: Int32Array;
  readonly count: number;
  readonly evaluated: number;
  readonly failures: MatchReport['failures'];
}

const NOTHING_FOUND: NumberReport = { numbers: new Int32Array(), count: 0, evaluated: 0, failures: NO_FAILURES };

function joined(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const nothingAtHand = (): never => {
  throw new Error('no event is being matched');
};

/** Looks rules up by their numbers. */
interface NumberedRules {
  idOf(number: number): string;
  /** The integers that a rule's program stands in, and where its root does. */
  programOf(number: number): [Int32Array, number];
  /** The core leaves results here. */
  results(): Int32Array;
  /** Steps that the core has left for phrases. */
  stepsLeft(): number;
}

export class HostAnswers {
  readonly host: CoreHost = {
    decide: (predicate) => this.#decide(predicate),
    takeResults: (count) => this.#take(count),
    leave: (rule) => this.#leave(rule),
  };
  readonly #predicates: Predicates;
  readonly #now: () => number;
  readonly #rules: NumberedRules;
  #lookup: ViewLookup | undefined;
  #readEvent: () => EventView = nothingAtHand;
  #epoch = 0;
  #budget: MatchBudget | undefined;
  #error: unknown;
  /** Results that there was no more room for in the core. */
  #taken: Int32Array[] = [];
  #failures: MatchReport['failures'] = NO_FAILURES;

  constructor(predicates: Predicates, now: () => number, rules: NumberedRules) {
    this.#predicates = predicates;
    this.#now = now;
    this.#rules = rules;
  }

  /** `readEvent` analyses the event: called only when something must be decided on it. */
  begin(readEvent: () => EventView, budget: MatchBudget | undefined): void {
    this.#readEvent = readEvent;
    this.#budget = budget;
    if (budget !== undefined) {
      budget.isShort = false;
      if (budget.late.length > 0) budget.late = [];
    }
    this.#epoch++;
    if (this.#taken.length > 0) this.#taken = [];
    this.#failures = NO_FAILURES;
  }

  end(): void {
    this.#lookup = undefined;
    this.#readEvent = nothingAtHand;
  }

  /** The phrases of the event at hand may take this many steps. */
  get phraseSteps(): number {
    return this.#budget === undefined ? NO_LIMIT : PHRASE_STEPS;
  }

  /** The terms of the patterns that fit the event, of those that rules are anchored on. */
  marks(): number[] {
    const found = new Set<number>();
    const meet = (held: SharedPredicate): void => {
      if (held.decidedOn === this.#epoch || found.has(held.term)) return;
      try {
        if (this.#decideOnce(held)) found.add(held.term);
      } catch (error) {
        if (error === OUT_OF_STEPS) this.#budget!.open.add(held);
        // The rules that use it are then evaluated, and fail one by one.
        else found.add(held.term);
      }
    };
    const met = this.#budget?.met;
    if (met?.version === this.#predicates.patternsVersion) met.patterns.forEach(meet);
    else
      for (const [field, patterns] of this.#predicates.patterns) {
        runThrough(patterns.candidates(this.#read(), field, meet));
      }
    return [...found];
  }

  /** Finds in parts which patterns the words of a long event lead to. Where patterns come or go meanwhile, `marks` finds them. */
  *meetPatterns(event: EventView, budget: MatchBudget): Generator<number, void> {
    const version = this.#predicates.patternsVersion;
    if (this.#predicates.patterns.size === 0) return;
    budget.lookup ??= new ViewLookup(event, this.#now());
    const { lookup } = budget;
    yield* lookup.readWords();
    const met: SharedPredicate[] = [];
    for (const [field, patterns] of this.#predicates.patterns) {
      for (const read of patterns.candidates(lookup, field, (held) => met.push(held))) {
        yield read;
        if (this.#predicates.patternsVersion !== version) return;
      }
    }
    budget.met = { version, patterns: met };
  }

  /** A call that spends its budget reports nothing; the next one begins again, with all that is decided by now. */
  report(count: number, evaluated: number): NumberReport {
    if (this.#budget !== undefined && isSpent(this.#budget)) return { ...NOTHING_FOUND, evaluated };
    const last = this.#rules.results();
    const failures = this.#failures;
    if (this.#taken.length === 0) return { numbers: last, count, evaluated, failures };
    const numbers = joined([...this.#taken, last.subarray(0, count)]);
    return { numbers, count: numbers.length, evaluated, failures };
  }

  #read(): ViewLookup {
    this.#lookup ??= this.#budget?.lookup ?? new ViewLookup(this.#readEvent(), this.#now());
    return this.#lookup;
  }

  #decideOnce(held: SharedPredicate): boolean {
    if (held.decidedOn !== this.#epoch) {
      const lookup = this.#read();
      held.verdict = this.#budget === undefined ? decide(held, lookup) : decideWithin(this.#budget, held, lookup);
      held.decidedOn = this.#epoch;
    }
    return held.verdict;
  }

  #decide(number: number): number {
    try {
      return this.#decideOnce(this.#predicates.at(number)) ? YES : NO;
    } catch (error) {
      this.#error = error;
      return LEAVE;
    }
  }

  #take(count: number): void {
    this.#taken.push(this.#rules.results().slice(0, count));
  }

  /** A rule that needs more steps is evaluated again: when all its patterns are decided, or by itself where phrases took them. */
  #leave(rule: number): void {
    if (this.#rules.stepsLeft() < 0) {
      this.#budget!.late.push(this.#rules.idOf(rule));
      return;
    }
    if (this.#error !== OUT_OF_STEPS) {
      this.#failures = [...this.#failures, { ruleId: this.#rules.idOf(rule), error: this.#error }];
      return;
    }
    const budget = this.#budget!;
    budget.isShort = true;
    const [code, root] = this.#rules.programOf(rule);
    eachLeaf(code, root, (leaf) => {
      const kind = code[leaf]! & KIND;
      if (kind !== TEST && kind !== FAIL) return;
      const predicate = this.#predicates.at(payloadOf(code[leaf]!));
      if (predicate.pattern !== undefined && !budget.decided.has(predicate)) budget.open.add(predicate);
    });
  }
}
