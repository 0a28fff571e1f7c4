/**
 * The index in one linear memory: what `RuleIndex` is in objects, with the same programs and the same anchors. TypeScript
 * compiles rules and plans their anchors; the core keeps terms, postings and programs, and matches. What the core cannot
 * decide, patterns and facts, it asks back (`core/host.ts`), and only where the rest of a rule holds.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { costOf, costOfMarked, planAnchors } from '../index/anchor.ts';
import { reasonForNone } from '../index/anchor-reason.ts';
import { Compiler } from '../index/compile.ts';
import { ALWAYS, FIRST_TERM } from '../index/dictionary.ts';
import type { Cost, Engine, EngineOptions, MatchReport, Stats } from '../index/engine-contract.ts';
import { Fields, type SavedField } from '../index/field.ts';
import { guessShare, shareOf } from '../index/frequency.ts';
import { type PatternBudget, settlePatterns } from '../index/pattern-budget.ts';
import { requiredTextOf } from '../index/pattern-index.ts';
import { PATTERN_FIELD, Predicates, type SavedPredicate } from '../index/predicates.ts';
import {
  ANCHOR,
  eachLeaf,
  FAIL,
  KIND,
  nodeLength,
  PHRASE,
  PROGRAM_HEADER,
  payloadOf,
  SEVERAL,
  SLOW,
  TEST,
} from '../index/program.ts';
import { RuleTable } from '../index/rule-table.ts';
import { CoreMemory, ROOT } from './core-memory.ts';
import { packBytes, writeBytes } from './encode.ts';
import { HostAnswers, type NumberReport } from './host-answers.ts';
import {
  bytesOf,
  columnParts,
  type ImagePart,
  type ImageReader,
  jsonPart,
  readColumn,
  readJson,
  readWords,
} from './image.ts';
import { type LineCounts, LineWalk } from './line-walk.ts';
import { MatcherLines } from './matcher-lines.ts';
import { PatternFilter } from './pattern-filter.ts';
import { readTerm } from './read-term.ts';
import { HOLDS_NUL, ViewWriter } from './write-view.ts';

/** A rule moves when that at least halves what it costs. */
const WORTH_MOVING = 2;

/** What of an engine's image is neither memory nor a table. */
interface EngineState {
  readonly seed: number;
  readonly slow: number;
  readonly fields: readonly SavedField[];
  readonly predicates: readonly SavedPredicate[];
}

export interface CoreOptions extends EngineOptions {
  /** The platform whose lines are matched from their bytes. */
  readonly platform?: Platform;
  /** Called before anything changes that matchers read: no matcher may be in the middle of a line when it returns. */
  readonly beforeChange?: () => void;
}

export class CoreIndex implements Engine {
  readonly #rules = new RuleTable();
  readonly #fields: Fields;
  readonly #predicates: Predicates;
  readonly #compiler: Compiler;
  readonly #answers: HostAnswers;
  readonly #memory: CoreMemory;
  readonly #writer: ViewWriter;
  readonly #filter: PatternFilter;
  #seed: number;
  #slowCount = 0;
  #nextToReanchor = 0;

  /** Reads lines of one platform, where it is known. */
  readonly #lines: LineWalk | undefined;
  readonly #matchers: MatcherLines | undefined;
  readonly #beforeChange: () => void;

  constructor({ now = Date.now, seed = 0x811c9dc5, platform, beforeChange = () => {} }: CoreOptions) {
    this.#seed = seed;
    this.#beforeChange = beforeChange;
    this.#fields = new Fields(seed);
    this.#predicates = new Predicates({
      use: (key) => this.useTerm(PATTERN_FIELD, key),
      release: (term) => this.#releaseTerm(term),
    });
    this.#compiler = new Compiler(this);
    this.#answers = new HostAnswers(this.#predicates, now, {
      idOf: (number) => this.#rules.idOf(number),
      programOf: (number) => [this.#memory.i32, this.#rootOf(this.#rules.programOf(number))],
      results: () => this.#memory.results,
    });
    this.#memory = new CoreMemory(this.#answers.host, seed);
    this.#writer = new ViewWriter(this.#memory, this.#fields);
    const { patterns } = this.#predicates;
    this.#filter = new PatternFilter(this.#memory, patterns);
    this.#lines = platform === undefined ? undefined : new LineWalk(this.#memory, this.#fields, platform, patterns);
    this.#matchers = this.#lines && new MatcherLines(this.#memory, this.#lines);
  }

  /** For threads that match beside this one. */
  get matchers(): MatcherLines {
    return this.#matchers!;
  }

  get size(): number {
    return this.#rules.size;
  }

  put(ruleId: string, query: Query): void {
    this.#beforeChange();
    this.drop(ruleId);
    this.#compiler.compile(query);
    const { code, length } = this.#compiler;
    const { exports } = this.#memory;
    this.#memory.reserveRule(length);
    const input = exports.reserveInput((PROGRAM_HEADER + length) * 4);
    this.#memory.i32.set(code.subarray(0, length), (input >> 2) + PROGRAM_HEADER);
    const program = exports.putProgram(PROGRAM_HEADER + length);
    const number = this.#rules.add(ruleId, program);
    if (this.#lines !== undefined) this.#lines.rulesChanged = true;
    exports.growRules(number);
    exports.reservePhrase(longestPhrase(code));
    this.#anchor(number, program);
  }

  drop(ruleId: string): boolean {
    const number = this.#rules.numberOf(ruleId);
    if (number < 0) return false;
    this.#beforeChange();
    const program = this.#rules.programOf(number);
    this.#unanchor(number, program);
    const root = this.#rootOf(program);
    const length = nodeLength(this.#memory.i32, root);
    this.#release(this.#memory.i32, root);
    this.#memory.exports.dropProgram(program, PROGRAM_HEADER + length);
    this.#rules.remove(number);
    if (this.#lines !== undefined) this.#lines.rulesChanged = true;
    // With the last rule goes the memory that all of them took, unless matchers have theirs in between.
    if (this.size === 0 && !this.#hasMatchers) this.#memory.exports.open(this.#seed);
    return true;
  }

  match(event: EventView, budget?: PatternBudget): MatchReport {
    this.#answers.begin(() => event, budget);
    try {
      return this.#named(this.#matchView(event));
    } finally {
      this.#answers.end();
    }
  }

  /**
   * Matches an event straight from the bytes of its line. Where the core is not sure of a line, `read` analyses it; undefined
   * when that finds no event. The numbers in the report are valid until the next event.
   */
  matchLine(line: Uint8Array, read: () => EventView | undefined): NumberReport | undefined {
    if (this.walkLine(line)) return this.matchWalked(() => known(read()));
    const view = read();
    if (view === undefined) return undefined;
    this.#answers.begin(() => view, undefined);
    try {
      return this.#matchView(view);
    } finally {
      this.#answers.end();
    }
  }

  /** Makes the words of a line. False where TypeScript must read it. */
  walkLine(line: Uint8Array | string): boolean {
    return this.#lines?.walk(line) ?? false;
  }

  /** Matches the line that was walked last. `read` analyses it: called only when something must be decided that the core cannot. */
  matchWalked(read: () => EventView, budget?: PatternBudget): NumberReport {
    let view: EventView | undefined;
    this.#answers.begin(() => (view ??= read()), budget);
    try {
      if (this.#predicates.patterns.size > 0 && this.#memory.exports.meetsPattern() !== 0) {
        this.#lines!.triedPatterns++;
        this.#markPatterns();
      }
      return this.#report(this.#memory.exports.isCounted());
    } finally {
      this.#answers.end();
    }
  }

  /** The id of the event that was walked last; undefined for a page without one. */
  get walkedId(): string | undefined {
    return this.#lines!.id;
  }

  /** What is stored of the line that was walked last. */
  keptOf(line: string): string {
    return this.#lines!.keptOf(line);
  }

  /** Lines that the core read, and lines that it left to TypeScript. */
  get lineCounts(): LineCounts {
    return this.#lines!.counts;
  }

  idOf(number: number): string {
    return this.#rules.idOf(number);
  }

  /** Some rules, up to this many: the same ones for the same seed while rules stay the same. */
  sample(seed: number, count: number): string[] {
    const found = new Set<string>();
    const { end } = this.#rules;
    for (let turn = 0; turn < Math.min(count, end); turn++) {
      const number = (Math.imul(seed + turn, 0x9e3779b1) >>> 0) % end;
      if (this.#rules.programOf(number) !== 0) found.add(this.#rules.idOf(number));
    }
    return [...found];
  }

  /** -1 when there is no such rule. */
  numberOf(ruleId: string): number {
    return this.#rules.numberOf(ruleId);
  }

  /** One more than the largest number of a rule. */
  get numbersEnd(): number {
    return this.#rules.end;
  }

  /** All that the engine knows. The parts are valid until it changes. */
  image(): ImagePart[] {
    const { programs, ids, sizes, slots } = this.#rules.toColumns();
    const state: EngineState = {
      seed: this.#seed,
      slow: this.#slowCount,
      fields: this.#fields.save(),
      predicates: this.#predicates.save(),
    };
    return [
      jsonPart('state', state),
      { name: 'memory', bytes: this.#memory.u8.subarray(0, this.#memory.bytes) },
      { name: 'programs', bytes: bytesOf(programs) },
      ...columnParts('ids', ids),
      { name: 'id-sizes', bytes: bytesOf(sizes) },
      { name: 'id-slots', bytes: bytesOf(slots) },
    ];
  }

  /** Becomes the engine whose image it is. It must be a new one; where this throws, it is of no use any more. */
  async restore(reader: ImageReader): Promise<void> {
    const { seed, slow, fields, predicates } = await readJson<EngineState>(reader, 'state');
    this.#fields.restore(fields);
    await this.#memory.restore(reader.sizeOf('memory'), (target) => reader.readInto('memory', target));
    this.#predicates.restore(predicates);
    this.#rules.restore({
      programs: await readWords(reader, 'programs'),
      ids: await readColumn(reader, 'ids'),
      sizes: await readWords(reader, 'id-sizes'),
      slots: await readWords(reader, 'id-slots'),
    });
    this.#seed = seed;
    this.#slowCount = slow;
    this.#lines?.memoryChanged();
  }

  #matchView(event: EventView): NumberReport {
    const counting = this.#memory.exports.isCounted();
    this.#writer.write(event, counting !== 0);
    if (this.#predicates.patterns.size > 0) this.#markPatterns();
    return this.#report(counting);
  }

  /** Tries the patterns that rules are anchored on, on the analysed event, and tells the core which of them fit. */
  #markPatterns(): void {
    const marks = this.#answers.marks();
    const at = this.#memory.exports.reserveMarks(marks.length) >> 2;
    this.#memory.i32.set(marks, at);
    this.#memory.i32[ROOT.marked] = marks.length;
  }

  #report(counting: number): NumberReport {
    const count = this.#memory.exports.matchWords(counting);
    return this.#answers.report(count, this.#memory.i32[ROOT.evaluated]!);
  }

  #named({ numbers, count, evaluated, failures }: NumberReport): MatchReport {
    return { matches: this.#rules.idsOf(numbers, count), evaluated, failures };
  }

  /** The core looks words up as it matches. */
  *lookUp(): Generator<number, void> {}

  settle = settlePatterns;

  observe(event: EventView): void {
    if (this.#memory.exports.isCounted() === 0) return;
    this.#writer.write(event, true);
    this.#memory.exports.countWords();
  }

  cost(query: Query): Cost {
    this.#beforeChange();
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
      if (program === 0 || (this.#memory.i32[program >> 2]! & SLOW) === 0) continue;
      found.push({
        ruleId: this.#rules.idOf(number),
        reason: this.#reason(this.#memory.i32, this.#rootOf(program)),
      });
    }
    return found;
  }

  reanchor(budget: number): number {
    let moved = 0;
    this.#memory.growAhead();
    for (let looked = 0; looked < Math.min(budget, this.#rules.end); looked++) {
      this.#nextToReanchor = (this.#nextToReanchor + 1) % this.#rules.end;
      const program = this.#rules.programOf(this.#nextToReanchor);
      if (program === 0) continue;
      const { i32 } = this.#memory;
      const root = this.#rootOf(program);
      if (costOf(i32, root, this) * WORTH_MOVING >= costOfMarked(i32, root, this)) continue;
      this.#beforeChange();
      this.#memory.reserveRule(nodeLength(i32, root));
      this.#unanchor(this.#nextToReanchor, program);
      this.#anchor(this.#nextToReanchor, program);
      moved++;
    }
    return moved;
  }

  stats(): Stats {
    const { i32, bytes } = this.#memory;
    return {
      rules: this.size,
      terms: i32[ROOT.termsUsed]!,
      predicates: this.#predicates.size,
      slow: this.#slowCount,
      bytes: bytes + this.#rules.bytes,
      used: i32[ROOT.used]! >> 2,
    };
  }

  /** For the compiler. */
  useTerm(name: string, text: string): number {
    const field = this.#fields.use(name);
    const { exports } = this.#memory;
    // A new word may need a slot of its own, which may split a segment.
    this.#memory.reserveRule(text.length);
    const input = exports.reserveInput(text.length * 3);
    const length = writeBytes(this.#memory.u8, input, text, 0, text.length) - input;
    const term = exports.useTerm(input, length, field.number | (text.includes('\0') ? HOLDS_NUL : 0));
    if (term !== 0 && field.number < HOLDS_NUL) return term;
    this.#fields.release(field);
    throw new RangeError('the rules use too many different words');
  }

  encode = packBytes;

  usePredicate: Predicates['use'] = (predicate) => this.#predicates.use(predicate);

  /** For anchors. */
  share(term: number): number {
    const { exports, i32 } = this.#memory;
    return shareOf(exports.countOf(term), i32[ROOT.counted]!, guessShare(readTerm(this.#memory, term).length));
  }

  predicateShare(number: number): number | undefined {
    const held = this.#predicates.at(number);
    const hold = requiredTextOf(held);
    if (hold === undefined) return undefined;
    return held.term < 0 ? guessShare(hold.text.length) : this.share(held.term);
  }

  get #hasMatchers(): boolean {
    return this.#matchers !== undefined && this.#matchers.scratches.length > 0;
  }

  /** Where a program's root stands among the integers of memory. */
  #rootOf(program: number): number {
    return (program >> 2) + PROGRAM_HEADER;
  }

  #anchor(number: number, program: number): void {
    const { exports, i32 } = this.#memory;
    const at = program >> 2;
    const plan = planAnchors(i32, at + PROGRAM_HEADER, this);
    if (plan === undefined) {
      i32[at] = (number << 2) | SLOW;
      exports.addSlow(program);
      this.#slowCount++;
      return;
    }
    const several = plan.length > 1 ? SEVERAL : 0;
    i32[at] = (number << 2) | several;
    for (const { leaf, witnesses, proves } of plan) {
      // Making a term for a pattern may make memory grow, and the arrays over it with it.
      const code = this.#memory.i32[leaf]!;
      this.#memory.i32[leaf] = code | ANCHOR;
      const term = (code & KIND) === TEST ? this.#anchorOnPattern(payloadOf(code)) : payloadOf(code);
      if (witnesses.some((witness) => witness > ALWAYS && witness < FIRST_TERM)) {
        this.#memory.i32[ROOT.usesPairs] = 1;
      }
      exports.addPosting(term, proves ? ~((number << 1) | several) : program, ...witnesses);
    }
  }

  #unanchor(number: number, program: number): void {
    const { exports } = this.#memory;
    const header = this.#memory.i32[program >> 2]!;
    if ((header & SLOW) !== 0) {
      exports.removeSlow(program);
      this.#slowCount--;
      return;
    }
    const proven = ~((number << 1) | (header & SEVERAL));
    eachLeaf(this.#memory.i32, this.#rootOf(program), (leaf) => {
      const code = this.#memory.i32[leaf]!;
      if ((code & ANCHOR) === 0) return;
      this.#memory.i32[leaf] = code & ~ANCHOR;
      const isPattern = (code & KIND) === TEST;
      const term = isPattern ? this.#predicates.at(payloadOf(code)).term : payloadOf(code);
      exports.removePosting(term, program, proven);
      if (isPattern) this.#unanchorFromPattern(payloadOf(code));
    });
  }

  #anchorOnPattern(predicate: number): number {
    const term = this.#predicates.anchor(predicate);
    const held = this.#predicates.at(predicate);
    if (held.anchored === 1) this.#filter.add(held);
    if (this.#lines !== undefined) this.#lines.rulesChanged = true;
    return term;
  }

  #unanchorFromPattern(predicate: number): void {
    this.#predicates.unanchor(predicate);
    if (this.#predicates.at(predicate).anchored === 0) this.#filter.remove();
    if (this.#lines !== undefined) this.#lines.rulesChanged = true;
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
    this.#fields.release(this.#fields.at(readTerm(this.#memory, term).field));
    this.#memory.exports.releaseTerm(term);
  }

  #costOfPlan(leaves: readonly number[]): Cost {
    const anchors = leaves.map((leaf) => {
      const payload = payloadOf(leaf);
      if ((leaf & KIND) !== TEST) {
        const { field, text } = readTerm(this.#memory, payload);
        return { field: this.#fields.at(field).name, term: text(), share: this.share(payload) };
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

function known(view: EventView | undefined): EventView {
  if (view === undefined) throw new Error('the core took a line for an event, and the analyzer did not');
  return view;
}

/** The integers that the search for a program's longest phrase needs: one a term, or one a byte of a written literal. */
function longestPhrase(code: Int32Array): number {
  let longest = 0;
  const end = nodeLength(code, 0);
  for (let at = 0; at < end; ) {
    const isPhrase = (code[at]! & KIND) === PHRASE;
    // Four bytes of a literal stand in one integer.
    if (isPhrase) longest = Math.max(longest, payloadOf(code[at]!) * 4);
    at += isPhrase ? nodeLength(code, at) : 1;
  }
  return longest;
}
