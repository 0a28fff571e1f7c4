/** From the terms of an event to the rules it matches: gathers candidates from the postings, and evaluates each once. */
import { type Arena, chunkOf, offsetOf, type Ref } from './arena.ts';
import { Candidates } from './candidates.ts';
import type { MatchReport } from './engine-contract.ts';
import { type Moment, programHolds } from './evaluate.ts';
import { OUT_OF_STEPS } from './pattern-budget.ts';
import { eachLeaf, FAIL, KIND, nodeLength, PROGRAM_HEADER, payloadOf, SEVERAL, TEST } from './program.ts';
import type { RuleTable } from './rule-table.ts';

const LIST_REACH = 16;
const PROGRAM_REACH = 7;
/** As a power of two: the parts of a rule that are read in the time of a step. */
const NODES_IN_A_STEP = 6;

export class EventMatcher {
  /** Kept so that the reads of `#touch` are not optimised away. */
  touched = 0;
  readonly #programs: Arena;
  readonly #postings: Arena;
  readonly #rules: RuleTable;
  readonly #moment: Moment;
  readonly #candidates = new Candidates();
  /** Rules with several anchors that this event has met already: a bit each, and which they are. */
  #met = new Int32Array(64);
  #metNumbers = new Int32Array(256);
  #metCount = 0;

  constructor(programs: Arena, postings: Arena, rules: RuleTable, moment: Moment) {
    this.#programs = programs;
    this.#postings = postings;
    this.#rules = rules;
    this.#moment = moment;
  }

  makeRoomFor(rule: number): void {
    if (rule >>> 5 >= this.#met.length) this.#met = new Int32Array(this.#met.length * 2);
  }

  /** The report on the event at hand. `slow` are the postings that every event is led to. */
  report(slow: Ref): MatchReport {
    const { presence } = this.#moment;
    const candidates = this.#candidates;
    candidates.count = 0;
    this.#touch(this.#postings, presence.heads, presence.count, LIST_REACH);
    for (let at = 0; at < presence.count; at++) {
      if (presence.heads[at] !== 0) candidates.gather(this.#postings, presence.heads[at]!, presence.bits);
    }
    if (slow !== 0) candidates.gather(this.#postings, slow, presence.bits);
    return this.#decide(candidates);
  }

  /** The report on rules that an earlier call left; those that are gone by now are passed over. */
  reportOn(ruleIds: readonly string[]): MatchReport {
    const report: MatchReport = { matches: [], evaluated: 0, failures: [] };
    for (const id of ruleIds) {
      const number = this.#rules.numberOf(id);
      if (number >= 0 && this.#holds(number, this.#rules.programOf(number), report)) report.matches.push(id);
    }
    return report;
  }

  #decide({ entries, count }: Candidates): MatchReport {
    const report: MatchReport = { matches: [], evaluated: 0, failures: [] };
    this.#touch(this.#programs, entries, count, PROGRAM_REACH);
    let matched = 0;
    for (let at = 0; at < count; at++) {
      const entry = entries[at]!;
      const number = entry < 0 ? this.#proven(~entry, report) : this.#evaluated(entry, report);
      // What matched takes the place of a candidate already evaluated.
      if (number >= 0) entries[matched++] = number;
    }
    report.matches = this.#rules.idsOf(entries, matched);
    for (let at = 0; at < this.#metCount; at++) this.#met[this.#metNumbers[at]! >>> 5] = 0;
    this.#metCount = 0;
    return report;
  }

  /**
   * Has blocks fetched from memory, many at a time: read one by one later, each would have to be waited for. `reach` is
   * where the second line of the cache that most blocks take begins, or where they end.
   */
  #touch({ chunks }: Arena, refs: Int32Array, count: number, reach: number): void {
    let touched = 0;
    for (let at = 0; at < count; at++) {
      const ref = refs[at]!;
      if (ref <= 0) continue;
      const chunk = chunks[chunkOf(ref)]!;
      const last = offsetOf(ref) + reach;
      touched ^= chunk[offsetOf(ref)]! ^ chunk[last < chunk.length ? last : 0]!;
    }
    this.touched = touched;
  }

  /** The number of a rule that needs no evaluation, or -1. */
  #proven(proven: number, report: MatchReport): number {
    const number = proven >>> 1;
    if ((proven & SEVERAL) !== 0 && !this.#meet(number)) return -1;
    report.evaluated++;
    return number;
  }

  /** The number of the program's rule if it matches, or else -1. */
  #evaluated(program: Ref, report: MatchReport): number {
    const chunk = this.#programs.chunks[chunkOf(program)]!;
    const at = offsetOf(program);
    const number = chunk[at]! >>> 2;
    if ((chunk[at]! & SEVERAL) !== 0 && !this.#meet(number)) return -1;
    return this.#holds(number, program, report) ? number : -1;
  }

  #holds(number: number, program: Ref, report: MatchReport): boolean {
    const { budget } = this.#moment;
    // Each call evaluates one rule at least, so that calls come to an end.
    if (budget !== undefined && budget.left <= 0 && report.evaluated > 0) {
      budget.rest.push(this.#rules.idOf(number));
      return false;
    }
    report.evaluated++;
    const chunk = this.#programs.chunks[chunkOf(program)]!;
    const root = offsetOf(program) + PROGRAM_HEADER;
    this.#moment.chunk = chunkOf(program);
    try {
      if (budget !== undefined) budget.left -= 1 + (nodeLength(chunk, root) >>> NODES_IN_A_STEP);
      return programHolds(chunk, root, this.#moment);
    } catch (error) {
      if (error === OUT_OF_STEPS) this.#leaveOpen(number, chunk, root);
      else report.failures.push({ ruleId: this.#rules.idOf(number), error });
      return false;
    }
  }

  /** The rule is evaluated again when all its patterns are decided. */
  #leaveOpen(number: number, chunk: Int32Array, root: number): void {
    const { budget, predicates } = this.#moment;
    budget!.rest.push(this.#rules.idOf(number));
    eachLeaf(chunk, root, (leaf) => {
      const kind = chunk[leaf]! & KIND;
      if (kind !== TEST && kind !== FAIL) return;
      const predicate = predicates.at(payloadOf(chunk[leaf]!));
      if (predicate.pattern !== undefined && !budget!.settled.has(predicate)) budget!.open.add(predicate);
    });
  }

  /** False when this event has met the rule before, by another anchor. */
  #meet(number: number): boolean {
    const bit = 1 << (number & 31);
    if ((this.#met[number >>> 5]! & bit) !== 0) return false;
    this.#met[number >>> 5]! |= bit;
    if (this.#metCount === this.#metNumbers.length) {
      const longer = new Int32Array(this.#metCount * 2);
      longer.set(this.#metNumbers);
      this.#metNumbers = longer;
    }
    this.#metNumbers[this.#metCount++] = number;
    return true;
  }
}
