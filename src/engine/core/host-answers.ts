/**
 * What the core asks while it matches an event, and the report that comes of it. Patterns and facts are decided on the analysed
 * event, at most once for each event.
 */
import type { EventView } from '../events/event-view.ts';
import { Dictionary } from '../index/dictionary.ts';
import type { MatchReport } from '../index/engine-contract.ts';
import { Fields } from '../index/field.ts';
import { Frequency } from '../index/frequency.ts';
import { isLong, isSpent, OUT_OF_STEPS, type PatternBudget } from '../index/pattern-budget.ts';
import { decideOnce, type Predicates } from '../index/predicates.ts';
import { Presence } from '../index/presence.ts';
import { eachLeaf, FAIL, KIND, payloadOf, TEST } from '../index/program.ts';
import type { SharedPredicate } from '../index/shared-predicate.ts';
import type { CoreHost } from './core-memory.ts';

/** Never added to: most events have none. */
const NO_FAILURES: MatchReport['failures'] = [];

/** Steps for the phrases of one event, some ten milliseconds, where there is a budget. */
const PHRASE_STEPS = 600_000;
const NO_LIMIT = 0x7fffffff;

/** Answers of `decide`. */
const NO = 0;
const YES = 1;
const LEAVE = 2;

/** What an event matched: the first `count` of the numbers are those of rules. They are valid until the next event. */
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

/** What is known of rules by their numbers. */
interface NumberedRules {
  idOf(number: number): string;
  /** The integers that a rule's program stands in, and where its root does. */
  programOf(number: number): [Int32Array, number];
  /** Where the core leaves results. */
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
  /** Knows which words of an event stood there before; it has no terms. Many rule sets never need it, so it is made late. */
  #presence: Presence | undefined;
  #readEvent: () => EventView = nothingAtHand;
  #isRead = false;
  #epoch = 0;
  #budget: PatternBudget | undefined;
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
  begin(readEvent: () => EventView, budget: PatternBudget | undefined): void {
    this.#readEvent = readEvent;
    this.#budget = budget;
    if (budget !== undefined && budget.rest.length > 0) budget.rest = [];
    if (budget !== undefined && budget.late.length > 0) budget.late = [];
    this.#epoch++;
    if (this.#taken.length > 0) this.#taken = [];
    this.#failures = NO_FAILURES;
  }

  end(): void {
    if (this.#isRead) this.#presence?.clear();
    this.#isRead = false;
    this.#readEvent = nothingAtHand;
  }

  /** What the phrases of the event at hand may take. */
  get phraseSteps(): number {
    return this.#budget === undefined ? NO_LIMIT : PHRASE_STEPS;
  }

  /** The terms of the patterns that fit the event, of those that rules are anchored on. */
  marks(): number[] {
    const found = new Set<number>();
    const presence = this.#read();
    const meet = (held: SharedPredicate): boolean => {
      if (held.decidedOn === this.#epoch || found.has(held.term)) return true;
      try {
        if (decideOnce(held, presence, this.#epoch, this.#now, this.#budget)) found.add(held.term);
      } catch (error) {
        if (error === OUT_OF_STEPS) this.#budget!.open.add(held);
        // The rules that use it are then evaluated, and fail one by one.
        else found.add(held.term);
      }
      return true;
    };
    const met = this.#budget?.met;
    if (met?.version === this.#predicates.patternsVersion) for (const held of met.patterns) meet(held);
    else for (const [field, patterns] of this.#predicates.patterns) patterns.candidates(presence, field, meet);
    return [...found];
  }

  /** Finds in parts which patterns the words of a long event lead to. Where patterns come or go meanwhile, `marks` finds them. */
  *meetPatterns(event: EventView, budget: PatternBudget): Generator<number, void> {
    const version = this.#predicates.patternsVersion;
    const met: SharedPredicate[] = [];
    for (const [field, patterns] of this.#predicates.patterns) {
      for (const read of patterns.candidatesInParts(event, field, (held) => met.push(held))) {
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

  #read(): Presence {
    this.#presence ??= repeatsOnly();
    if (this.#isRead) return this.#presence;
    const event = this.#readEvent();
    // The patterns of a long event are decided in parts, by others.
    if (this.#budget !== undefined && isLong(event)) this.#presence.take(event);
    else this.#presence.read(event);
    this.#isRead = true;
    return this.#presence;
  }

  #decide(number: number): number {
    try {
      const held = this.#predicates.at(number);
      return decideOnce(held, this.#read(), this.#epoch, this.#now, this.#budget) ? YES : NO;
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
    this.#budget!.rest.push(this.#rules.idOf(rule));
    const [code, root] = this.#rules.programOf(rule);
    eachLeaf(code, root, (leaf) => {
      const kind = code[leaf]! & KIND;
      if (kind !== TEST && kind !== FAIL) return;
      const predicate = this.#predicates.at(payloadOf(code[leaf]!));
      if (predicate.pattern !== undefined && !this.#budget!.settled.has(predicate)) this.#budget!.open.add(predicate);
    });
  }
}

function repeatsOnly(): Presence {
  const presence = new Presence(new Fields(0), new Dictionary(), new Frequency());
  presence.tracksRepeats = true;
  return presence;
}
