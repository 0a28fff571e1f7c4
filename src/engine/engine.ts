/**
 * The percolator: given queries and an event, which queries match. Pure and in memory; it does no I/O and knows no rule
 * language. It is an index, not a loop: an event's words lead to the few rules anchored on them (`anchor.ts`), most of
 * those die on their witness (`postings.ts`), and what is left is evaluated exactly (`evaluate.ts`). `scan.ts` is the
 * same without an index, and says what is right.
 *
 * Nothing per rule is an object but its id: programs, postings and terms are integers in chunks (`arena.ts`). One engine
 * holds the rules of one platform. It keeps programs, not queries: who wants an explanation brings the query along.
 */
import type { Query } from '../rules/query.ts';
import { costOf, costOfMarked, planAnchors } from './anchor.ts';
import { Arena, chunkOf, offsetOf, type Ref } from './arena.ts';
import { Candidates } from './candidates.ts';
import { Compiler } from './compile.ts';
import { ALWAYS, Dictionary, FIRST_TERM } from './dictionary.ts';
import { holds, type Moment } from './evaluate.ts';
import type { EventView } from './event.ts';
import { Fields } from './field.ts';
import { Frequency, guessShare } from './frequency.ts';
import { holdOf } from './pattern-index.ts';
import { Postings } from './postings.ts';
import { judge, Predicates } from './predicates.ts';
import { Presence } from './presence.ts';
import { ANCHOR, eachLeaf, FAIL, KIND, nodeLength, payloadOf, TEST } from './program.ts';
import { reasonForNone } from './reason.ts';
import { RuleTable } from './rule-table.ts';

export interface Engine {
  /** Adds a rule, or gives it another query. It takes part in the very next match. */
  put(ruleId: string, query: Query): void;
  /** False when there was no such rule. */
  drop(ruleId: string): boolean;
  match(event: EventView): MatchReport;
  /** Counts the event's words without matching, so that rules put later are anchored well from the start. */
  observe(event: EventView): void;
  cost(query: Query): Cost;
  /** The rules that every event has to be checked against, and why. */
  slow(): { ruleId: string; reason: string }[];
  /** Looks at the next `budget` rules, and moves those to better anchors that have them by now. Returns how many moved. */
  reanchor(budget: number): number;
  readonly size: number;
  stats(): Stats;
}

export interface MatchReport {
  matches: string[];
  /** Rules looked at, beyond their postings. Tests assert it, so an index that stops filtering is a failing test. */
  evaluated: number;
  /** Rules that threw: reported, skipped, never in the way of the others. */
  failures: { ruleId: string; error: unknown }[];
}

export interface Cost {
  /** The share of events that make the rule a candidate: 1 when it has no anchor. */
  readonly share: number;
  readonly anchors: readonly { readonly field: string; readonly term: string; readonly share: number }[];
  /** Why there is no anchor. */
  readonly reason?: string;
}

export interface Stats {
  readonly rules: number;
  readonly terms: number;
  readonly predicates: number;
  readonly slow: number;
  /** All typed arrays and references, without the characters of the ids. */
  readonly bytes: number;
  /** Integers in use in the arenas: back at the start when all rules are dropped. */
  readonly used: number;
}

export interface EngineOptions {
  readonly now?: () => number;
  /** Makes the places of words in the dictionary unpredictable to those who write rules. */
  readonly seed?: number;
}

export const createEngine = (options: EngineOptions = {}): Engine => new Index(options);

/** The header of a program: rule number << 2, with these flags. The root follows. */
const SEVERAL = 1;
const SLOW = 2;
const PROGRAM_HEADER = 1;
/** A rule moves when that at least halves what it costs. */
const WORTH_MOVING = 2;

class Index implements Engine {
  readonly #rules = new RuleTable();
  readonly #programs = new Arena();
  readonly #postings = new Postings();
  readonly #dictionary = new Dictionary();
  readonly #frequency = new Frequency();
  readonly #fields: Fields;
  readonly #predicates: Predicates;
  readonly #compiler: Compiler;
  readonly #moment: Moment;
  /** Postings of the rules without an anchor. */
  #slow: Ref = 0;
  #slowCount = 0;
  /** Rules with several anchors that this event has met already: a bit each, and which they are. */
  #met = new Int32Array(64);
  #metNumbers = new Int32Array(256);
  #metCount = 0;
  #nextToReanchor = 0;
  readonly #candidates = new Candidates();
  /** Whether some witness is a pair of words. */
  #usesPairs = false;
  /** Kept so that the reads are not optimised away. */
  touched = 0;

  constructor({ now = Date.now, seed = 0x811c9dc5 }: EngineOptions) {
    this.#fields = new Fields(seed);
    this.#predicates = new Predicates(this.#dictionary, this.#fields);
    this.#compiler = new Compiler(this);
    const presence = new Presence(this.#fields, this.#dictionary, this.#frequency);
    this.#moment = { presence, predicates: this.#predicates, epoch: 0, now };
  }

  get size(): number {
    return this.#rules.size;
  }

  put(ruleId: string, query: Query): void {
    this.drop(ruleId);
    this.#compiler.compile(query);
    const { code, length } = this.#compiler;
    const program = this.#programs.take(PROGRAM_HEADER + length);
    const chunk = this.#programs.chunks[chunkOf(program)]!;
    const root = offsetOf(program) + PROGRAM_HEADER;
    for (let at = 0; at < length; at++) chunk[root + at] = code[at]!;
    const number = this.#rules.add(ruleId, program);
    if (number >>> 5 >= this.#met.length) this.#met = new Int32Array(this.#met.length * 2);
    this.#anchor(number, program);
  }

  drop(ruleId: string): boolean {
    const number = this.#rules.numberOf(ruleId);
    if (number < 0) return false;
    const program = this.#rules.programOf(number);
    this.#unanchor(number, program);
    const chunk = this.#programs.chunks[chunkOf(program)]!;
    const root = offsetOf(program) + PROGRAM_HEADER;
    this.#release(chunk, root);
    this.#programs.give(program, PROGRAM_HEADER + nodeLength(chunk, root));
    this.#rules.remove(number);
    return true;
  }

  match(event: EventView): MatchReport {
    const { presence } = this.#moment;
    this.#moment.epoch++;
    presence.read(event);
    if (this.#usesPairs) presence.readPairs();
    if (this.#predicates.patternFields.length > 0) this.#markPatterns();
    const report = this.#judge(this.#gather());
    presence.clear();
    return report;
  }

  observe(event: EventView): void {
    const { presence } = this.#moment;
    presence.read(event);
    presence.clear();
  }

  cost(query: Query): Cost {
    this.#compiler.compile(query);
    const { code } = this.#compiler;
    const plan = planAnchors(code, 0, this);
    const cost =
      plan === undefined
        ? { share: 1, anchors: [], reason: this.#reason(code, 0) }
        : this.#costOfPlan(plan.map(({ leaf }) => code[leaf]!));
    this.#release(code, 0);
    return cost;
  }

  slow(): { ruleId: string; reason: string }[] {
    const found: { ruleId: string; reason: string }[] = [];
    for (let number = 0; number < this.#rules.end; number++) {
      const program = this.#rules.programOf(number);
      if (program === 0) continue;
      const chunk = this.#programs.chunks[chunkOf(program)]!;
      if ((chunk[offsetOf(program)]! & SLOW) === 0) continue;
      const reason = this.#reason(chunk, offsetOf(program) + PROGRAM_HEADER);
      found.push({ ruleId: this.#rules.idOf(number), reason });
    }
    return found;
  }

  reanchor(budget: number): number {
    let moved = 0;
    for (let looked = 0; looked < Math.min(budget, this.#rules.end); looked++) {
      this.#nextToReanchor = (this.#nextToReanchor + 1) % this.#rules.end;
      const program = this.#rules.programOf(this.#nextToReanchor);
      if (program === 0) continue;
      const chunk = this.#programs.chunks[chunkOf(program)]!;
      const root = offsetOf(program) + PROGRAM_HEADER;
      if (costOf(chunk, root, this) * WORTH_MOVING >= costOfMarked(chunk, root, this)) continue;
      this.#unanchor(this.#nextToReanchor, program);
      this.#anchor(this.#nextToReanchor, program);
      moved++;
    }
    return moved;
  }

  stats(): Stats {
    const arenas = [this.#programs, this.#postings.arena, this.#dictionary, this.#rules, this.#frequency];
    return {
      rules: this.size,
      terms: this.#dictionary.size,
      predicates: this.#predicates.size,
      slow: this.#slowCount,
      bytes: arenas.reduce((sum, { bytes }) => sum + bytes, 0),
      used: this.#programs.used + this.#postings.arena.used + this.#dictionary.used,
    };
  }

  /** For the compiler. */
  useTerm(field: string, text: string): number {
    return this.#dictionary.use(this.#fields.use(field), text);
  }

  usePredicate: Predicates['use'] = (predicate) => this.#predicates.use(predicate);

  /** For anchors. */
  share(term: number): number {
    return this.#frequency.share(this.#dictionary.hash(term), guessShare(this.#dictionary.lengthOf(term)));
  }

  predicateShare(number: number): number | undefined {
    const held = this.#predicates.at(number);
    const hold = holdOf(held);
    if (hold === undefined) return undefined;
    return held.term < 0 ? guessShare(hold.text.length) : this.share(held.term);
  }

  #gather(): Candidates {
    const candidates = this.#candidates;
    const { presence } = this.#moment;
    const { arena } = this.#postings;
    candidates.count = 0;
    this.#touch(arena, presence.heads, presence.count);
    for (let at = 0; at < presence.count; at++) {
      if (presence.heads[at] !== 0) candidates.gather(arena, presence.heads[at]!, presence.bits);
    }
    if (this.#slow !== 0) candidates.gather(arena, this.#slow, presence.bits);
    return candidates;
  }

  #judge({ entries, count }: Candidates): MatchReport {
    const report: MatchReport = { matches: [], evaluated: 0, failures: [] };
    this.#touch(this.#programs, entries, count);
    let matched = 0;
    for (let at = 0; at < count; at++) {
      const entry = entries[at]!;
      const number = entry < 0 ? this.#proven(~entry, report) : this.#evaluated(entry, report);
      // What matched takes the place of a candidate already judged.
      if (number >= 0) entries[matched++] = number;
    }
    report.matches = this.#rules.idsOf(entries, matched);
    for (let at = 0; at < this.#metCount; at++) this.#met[this.#metNumbers[at]! >>> 5] = 0;
    this.#metCount = 0;
    return report;
  }

  /** Has blocks fetched from memory, many at a time: read one by one later, each would have to be waited for. */
  #touch({ chunks }: Arena, refs: Int32Array, count: number): void {
    let touched = 0;
    for (let at = 0; at < count; at++) {
      const ref = refs[at]!;
      if (ref > 0) touched ^= chunks[chunkOf(ref)]![offsetOf(ref)]!;
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
    report.evaluated++;
    try {
      return holds(chunk, at + PROGRAM_HEADER, this.#moment) ? number : -1;
    } catch (error) {
      report.failures.push({ ruleId: this.#rules.idOf(number), error });
      return -1;
    }
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

  #markPatterns(): void {
    const { presence, epoch, now } = this.#moment;
    for (const field of this.#predicates.patternFields) {
      field.patterns!.candidates(presence.event, field.name, (held) => {
        if (presence.has(held.term)) return;
        try {
          if (!judge(held, presence, epoch, now)) return;
        } catch {
          // The rules that use it are then evaluated, and fail one by one.
        }
        presence.mark(held.term);
      });
    }
  }

  #anchor(number: number, program: Ref): void {
    const chunk = this.#programs.chunks[chunkOf(program)]!;
    const at = offsetOf(program);
    const plan = planAnchors(chunk, at + PROGRAM_HEADER, this);
    if (plan === undefined) {
      chunk[at] = (number << 2) | SLOW;
      this.#slow = this.#postings.add(this.#slow, program, [ALWAYS, ALWAYS]);
      this.#slowCount++;
      return;
    }
    const several = plan.length > 1 ? SEVERAL : 0;
    chunk[at] = (number << 2) | several;
    for (const { leaf, witnesses, proves } of plan) {
      const code = chunk[leaf]!;
      chunk[leaf] = code | ANCHOR;
      const term = (code & KIND) === TEST ? this.#predicates.anchor(payloadOf(code)) : payloadOf(code);
      if (witnesses.some((term) => term > ALWAYS && term < FIRST_TERM)) this.#usesPairs = true;
      const entry = proves ? ~((number << 1) | several) : program;
      this.#dictionary.setPostings(term, this.#postings.add(this.#dictionary.postings(term), entry, witnesses));
    }
  }

  #unanchor(number: number, program: Ref): void {
    const chunk = this.#programs.chunks[chunkOf(program)]!;
    const at = offsetOf(program);
    const header = chunk[at]!;
    if ((header & SLOW) !== 0) {
      this.#slow = this.#postings.remove(this.#slow, program, program);
      this.#slowCount--;
      return;
    }
    const proven = ~((number << 1) | (header & SEVERAL));
    eachLeaf(chunk, at + PROGRAM_HEADER, (leaf) => {
      const code = chunk[leaf]!;
      if ((code & ANCHOR) === 0) return;
      chunk[leaf] = code & ~ANCHOR;
      const isPattern = (code & KIND) === TEST;
      const term = isPattern ? this.#predicates.at(payloadOf(code)).term : payloadOf(code);
      this.#dictionary.setPostings(term, this.#postings.remove(this.#dictionary.postings(term), program, proven));
      if (isPattern) this.#predicates.unanchor(payloadOf(code));
    });
  }

  #release(code: Int32Array, root: number): void {
    eachLeaf(code, root, (leaf) => {
      const payload = payloadOf(code[leaf]!);
      const kind = code[leaf]! & KIND;
      if (kind === TEST || kind === FAIL) return this.#predicates.release(payload);
      this.#fields.release(this.#fields.at(this.#dictionary.fieldOf(payload)));
      this.#dictionary.release(payload);
    });
  }

  #costOfPlan(leaves: readonly number[]): Cost {
    const anchors = leaves.map((leaf) => {
      const payload = payloadOf(leaf);
      if ((leaf & KIND) !== TEST) {
        const field = this.#fields.at(this.#dictionary.fieldOf(payload)).name;
        return { field, term: this.#dictionary.textOf(payload), share: this.share(payload) };
      }
      const held = this.#predicates.at(payload);
      const field = 'field' in held.predicate ? held.predicate.field : '';
      return { field, term: holdOf(held)!.text, share: this.predicateShare(payload)! };
    });
    return {
      share: Math.min(
        1,
        anchors.reduce((sum, { share }) => sum + share, 0),
      ),
      anchors,
    };
  }

  #reason(code: Int32Array, root: number): string {
    return reasonForNone(code, root, this, (number) => this.#predicates.at(number).predicate.kind);
  }
}
