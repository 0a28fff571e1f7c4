/**
 * The index behind the engine: puts the programs of rules among the postings of their anchors, and leads an event by its
 * terms to the rules it may match.
 */
import type { Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { costOf, costOfMarked, planAnchors } from './anchor.ts';
import { reasonForNone } from './anchor-reason.ts';
import { Arena, chunkOf, offsetOf, type Ref } from './arena.ts';
import { Compiler } from './compile.ts';
import { ALWAYS, Dictionary, FIRST_TERM, unitsOf } from './dictionary.ts';
import type { Cost, Engine, EngineOptions, MatchReport, Stats } from './engine-contract.ts';
import type { Moment } from './evaluate.ts';
import { Fields } from './field.ts';
import { Frequency, guessShare } from './frequency.ts';
import { EventMatcher } from './match-event.ts';
import { OUT_OF_STEPS, outdate, type PatternBudget, settlePatterns } from './pattern-budget.ts';
import { type PatternIndex, requiredTextOf } from './pattern-index.ts';
import { Postings } from './postings.ts';
import { decideOnce, PATTERN_FIELD, Predicates } from './predicates.ts';
import { Presence } from './presence.ts';
import { ANCHOR, eachLeaf, FAIL, KIND, nodeLength, PROGRAM_HEADER, payloadOf, SEVERAL, SLOW, TEST } from './program.ts';
import { RuleTable } from './rule-table.ts';

/** A rule moves when that at least halves what it costs. */
const WORTH_MOVING = 2;
/** Words that are looked up between two yields. */
const WORDS_AT_ONCE = 16_384;
/** A mask: sixteen meetings of a word with a pattern take the time of a step. */
const MEETINGS_IN_A_STEP = 15;

export class RuleIndex implements Engine {
  readonly #rules = new RuleTable();
  readonly #programs = new Arena();
  readonly #postings = new Postings();
  readonly #dictionary = new Dictionary();
  readonly #frequency = new Frequency();
  readonly #fields: Fields;
  readonly #predicates: Predicates;
  readonly #compiler: Compiler;
  readonly #moment: Moment;
  readonly #matcher: EventMatcher;
  /** Postings of the rules without an anchor. */
  #slow: Ref = 0;
  #slowCount = 0;
  #nextToReanchor = 0;
  /** Grows with every change of the rules. */
  #version = 0;
  /** Whether some witness is a pair of words. */
  #usesPairs = false;

  constructor({ now = Date.now, seed = 0x811c9dc5 }: EngineOptions) {
    this.#fields = new Fields(seed);
    this.#predicates = new Predicates({
      use: (key) => this.useTerm(PATTERN_FIELD, key),
      release: (term) => this.#releaseTerm(term),
    });
    this.#compiler = new Compiler(this);
    const presence = new Presence(this.#fields, this.#dictionary, this.#frequency);
    this.#moment = { presence, predicates: this.#predicates, epoch: 0, now, chunk: 0, budget: undefined };
    this.#matcher = new EventMatcher(this.#programs, this.#postings.arena, this.#rules, this.#moment);
  }

  get size(): number {
    return this.#rules.size;
  }

  put(ruleId: string, query: Query): void {
    this.drop(ruleId);
    this.#version++;
    this.#compiler.compile(query);
    const { code, length } = this.#compiler;
    const program = this.#programs.take(PROGRAM_HEADER + length);
    const chunk = this.#programs.chunks[chunkOf(program)]!;
    const root = offsetOf(program) + PROGRAM_HEADER;
    for (let at = 0; at < length; at++) chunk[root + at] = code[at]!;
    const number = this.#rules.add(ruleId, program);
    this.#matcher.makeRoomFor(number);
    this.#anchor(number, program);
  }

  drop(ruleId: string): boolean {
    const number = this.#rules.numberOf(ruleId);
    if (number < 0) return false;
    this.#version++;
    const program = this.#rules.programOf(number);
    this.#unanchor(number, program);
    const chunk = this.#programs.chunks[chunkOf(program)]!;
    const root = offsetOf(program) + PROGRAM_HEADER;
    this.#release(chunk, root);
    this.#programs.give(program, PROGRAM_HEADER + nodeLength(chunk, root));
    this.#rules.remove(number);
    return true;
  }

  match(event: EventView, budget?: PatternBudget): MatchReport {
    const { presence } = this.#moment;
    this.#moment.epoch++;
    this.#moment.budget = budget;
    presence.tracksRepeats = this.#predicates.size > 0;
    // An event that makes matching throw must leave none of its words behind for the next one.
    try {
      if (budget !== undefined && budget.version !== this.#version) outdate(budget, this.#version);
      if (budget?.terms === undefined) presence.read(event);
      else presence.readLookedUp(event, budget.terms);
      if (this.#usesPairs) presence.readPairs();
      if (budget !== undefined && budget.rest.length > 0) {
        const { rest } = budget;
        budget.rest = [];
        return this.#matcher.reportOn(rest);
      }
      if (this.#predicates.patterns.size > 0) this.#markPatterns();
      // Rules that are anchored on an open pattern are not known yet.
      if (budget !== undefined && budget.open.size > 0) return { matches: [], evaluated: 0, failures: [] };
      return this.#matcher.report(this.#slow);
    } finally {
      presence.clear();
    }
  }

  settle = settlePatterns;

  *lookUp(event: EventView, budget: PatternBudget): Generator<number, void> {
    const { presence } = this.#moment;
    const terms = new Int32Array(event.words.count);
    const version = this.#version;
    for (let from = 0; from < terms.length; from += WORDS_AT_ONCE) {
      // The numbers of terms change with the rules; `match` then looks up all words itself.
      if (this.#version !== version) return;
      presence.lookUp(event, terms, from, from + WORDS_AT_ONCE);
      yield WORDS_AT_ONCE;
    }
    if (this.#version !== version) return;
    outdate(budget, version);
    budget.terms = terms;
  }

  observe(event: EventView): void {
    const { presence } = this.#moment;
    try {
      presence.read(event);
    } finally {
      presence.clear();
    }
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
    if (moved > 0) this.#version++;
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

  encode = unitsOf;

  usePredicate: Predicates['use'] = (predicate) => this.#predicates.use(predicate);

  /** For anchors. */
  share(term: number): number {
    return this.#frequency.share(this.#dictionary.hash(term), guessShare(this.#dictionary.lengthOf(term)));
  }

  predicateShare(number: number): number | undefined {
    const held = this.#predicates.at(number);
    const hold = requiredTextOf(held);
    if (hold === undefined) return undefined;
    return held.term < 0 ? guessShare(hold.text.length) : this.share(held.term);
  }

  #markPatterns(): void {
    const { presence, epoch, now, budget } = this.#moment;
    for (const [field, patterns] of this.#predicates.patterns) {
      if (budget?.wholeFields.has(field)) {
        for (const held of patterns.all()) if (budget.settled.get(held) === true) presence.mark(held.term);
        continue;
      }
      let met = 0;
      const isDone = patterns.candidates(presence, field, (held) => {
        if (budget !== undefined && (++met & MEETINGS_IN_A_STEP) === 0) budget.left--;
        if (budget !== undefined && budget.left <= 0) return false;
        if (held.decidedOn === epoch || presence.has(held.term) || budget?.open.has(held)) return true;
        try {
          if (decideOnce(held, presence, epoch, now, budget)) presence.mark(held.term);
        } catch (error) {
          if (error !== OUT_OF_STEPS) throw error;
          budget!.open.add(held);
        }
        return true;
      });
      if (!isDone) this.#leaveField(field, patterns);
    }
  }

  /** Too many words meet too many patterns of the field. */
  #leaveField(field: string, patterns: PatternIndex): void {
    const budget = this.#moment.budget!;
    budget.wholeFields.add(field);
    for (const held of patterns.all()) if (!budget.settled.has(held)) budget.open.add(held);
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
      if (witnesses.some((witness) => witness > ALWAYS && witness < FIRST_TERM)) this.#usesPairs = true;
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
      if (kind === TEST || kind === FAIL) this.#predicates.release(payload);
      else this.#releaseTerm(payload);
    });
  }

  #releaseTerm(term: number): void {
    this.#fields.release(this.#fields.at(this.#dictionary.fieldOf(term)));
    this.#dictionary.release(term);
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
      return { field, term: requiredTextOf(held)!.text, share: this.predicateShare(payload)! };
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
