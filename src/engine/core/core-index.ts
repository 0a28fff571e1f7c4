/**
 * The index of the live rules, in one linear memory. TypeScript compiles rules and plans their anchors; the core keeps terms,
 * postings and programs, and matches. What the core cannot
 * decide, patterns and facts, it asks back (`core/host.ts`), and only where the rest of a rule holds.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Query } from '../../rules/query.ts';
import { Compiler } from '../compile/compiler.ts';
import { Fields, type SavedField } from '../compile/fields.ts';
import type { SavedPredicate } from '../compile/predicates.ts';
import { KIND, nodeLength, PHRASE, PROGRAM_HEADER, payloadOf } from '../compile/program.ts';
import type { EventView } from '../events/event-view.ts';
import { CoreAnchors, rootOf } from './core-anchors.ts';
import { CoreMatching } from './core-matching.ts';
import { type CoreHost, CoreMemory, ROOT } from './core-memory.ts';
import { CoreVocabulary } from './core-vocabulary.ts';
import { decideOpen } from './decide.ts';
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
import type { MatchBudget } from './match-budget.ts';
import { MatcherLines } from './matcher-lines.ts';
import { type Cost, costOfProgram, type MatchReport, type Stats, slowReason } from './reports.ts';
import { RuleTable } from './rule-table.ts';

/** The part of an engine's image that is neither memory nor a table. */
interface EngineState {
  readonly seed: number;
  readonly slow: number;
  readonly fields: readonly SavedField[];
  readonly predicates: readonly SavedPredicate[];
}

export interface CoreOptions {
  readonly now?: () => number;
  /** Makes the places of words in the dictionary unpredictable to those who write rules. */
  readonly seed?: number;
  /** The platform whose lines are matched from their bytes. */
  readonly platform?: Platform;
  /** Called before anything changes that matchers read: no matcher may be in the middle of a line when it returns. */
  readonly beforeChange?: () => void;
}

export class CoreIndex {
  readonly #rules = new RuleTable();
  readonly #fields: Fields;
  readonly #vocabulary: CoreVocabulary;
  readonly #compiler: Compiler;
  readonly #answers: HostAnswers;
  readonly #memory: CoreMemory;
  readonly #anchors: CoreAnchors;
  readonly #matching: CoreMatching;
  /** Reads lines of one platform, where it is known. */
  readonly #lines: LineWalk | undefined;
  readonly #matchers: MatcherLines | undefined;
  readonly #beforeChange: () => void;
  readonly #now: () => number;
  #seed: number;
  #nextToReanchor = 0;
  /** Grows with every change of the rules. */
  #version = 0;

  constructor({ now = Date.now, seed = 0x811c9dc5, platform, beforeChange = () => {} }: CoreOptions) {
    this.#seed = seed;
    this.#beforeChange = beforeChange;
    this.#now = now;
    const host: CoreHost = {
      decide: (predicate) => this.#answers.host.decide(predicate),
      takeResults: (count) => this.#answers.host.takeResults(count),
      leave: (rule) => this.#answers.host.leave(rule),
    };
    const memory = new CoreMemory(host, seed);
    const fields = new Fields();
    this.#memory = memory;
    this.#fields = fields;
    this.#vocabulary = new CoreVocabulary(memory, fields);
    this.#compiler = new Compiler(this.#vocabulary);
    const { predicates } = this.#vocabulary;
    const { patterns } = predicates;
    this.#answers = new HostAnswers(predicates, now, {
      idOf: (number) => this.#rules.idOf(number),
      programOf: (number) => [memory.i32, rootOf(this.#rules.programOf(number))],
      results: () => memory.results,
      stepsLeft: () => memory.i32[ROOT.steps]!,
    });
    const lines = platform === undefined ? undefined : new LineWalk(memory, fields, platform, patterns);
    this.#lines = lines;
    this.#matchers = lines && new MatcherLines(memory, lines);
    this.#anchors = new CoreAnchors(memory, this.#vocabulary, () => this.#noteChange());
    this.#matching = new CoreMatching({ memory, fields, patterns, answers: this.#answers, lines });
  }

  /** For threads that match beside this one. */
  get matchers(): MatcherLines {
    return this.#matchers!;
  }

  get size(): number {
    return this.#rules.size;
  }

  /** Adds a rule, or gives it another query. It takes part in the very next match. Answers its number. */
  put(ruleId: string, query: Query): number {
    this.#beforeChange();
    this.drop(ruleId);
    const number = this.#rules.add(ruleId, this.#putProgram(query));
    this.#anchor(number);
    return number;
  }

  /** Adds one of many rules that are not there yet. */
  append(ruleId: string, query: Query): number {
    this.#beforeChange();
    const number = this.#rules.append(ruleId, this.#putProgram(query));
    this.#anchor(number);
    return number;
  }

  /** Answers where the program of a query stands. */
  #putProgram(query: Query): number {
    this.#compiler.compile(query);
    const { code, length } = this.#compiler;
    const { exports } = this.#memory;
    this.#memory.reserveRule(length);
    const input = rootOf(this.#memory.reserveInput((PROGRAM_HEADER + length) * 4));
    const { i32 } = this.#memory;
    for (let at = 0; at < length; at++) i32[input + at] = code[at]!;
    exports.reservePhrase(longestPhrase(code));
    return exports.putProgram(PROGRAM_HEADER + length);
  }

  #anchor(number: number): void {
    this.#noteChange();
    this.#memory.exports.growRules(number);
    this.#anchors.add(number, this.#rules.programOf(number));
  }

  /** Answers false when there was no such rule. */
  drop(ruleId: string): boolean {
    const number = this.#rules.numberOf(ruleId);
    if (number < 0) return false;
    this.#beforeChange();
    const program = this.#rules.programOf(number);
    this.#anchors.remove(number, program);
    const root = rootOf(program);
    const length = nodeLength(this.#memory.i32, root);
    this.#vocabulary.release(this.#memory.i32, root);
    this.#memory.exports.dropProgram(program, PROGRAM_HEADER + length);
    this.#rules.remove(number);
    this.#noteChange();
    // With the last rule goes the memory that all of them took, unless matchers have theirs in between.
    if (this.size === 0 && !this.#hasMatchers) this.#memory.exports.open(this.#seed);
    return true;
  }

  /** The words that lines are read for may be others now, and the fields that rules name. */
  #noteChange(): void {
    this.#version++;
    if (this.#lines !== undefined) this.#lines.rulesChanged = true;
  }

  /** Finds the rules that the event matches; none while the budget is spent. */
  match(event: EventView, budget?: MatchBudget): MatchReport {
    if (budget?.written !== undefined && budget.written.version !== this.#version) budget.written = undefined;
    const { numbers, count, evaluated, failures } = this.#matching.view(event, budget);
    return { matches: this.#rules.idsOf(numbers, count), evaluated, failures };
  }

  /**
   * Matches an event straight from the bytes of its line. Where the core is not sure of a line, `read` analyses it; undefined
   * when that finds no event. The numbers in the report are valid until the next event.
   */
  matchLine(line: Uint8Array, read: () => EventView | undefined): NumberReport | undefined {
    if (this.walkLine(line)) return this.matchWalked(() => known(read()));
    const view = read();
    return view && this.#matching.view(view, undefined);
  }

  /** Makes the words of a line. False where TypeScript must read it. */
  walkLine(line: Uint8Array | string): boolean {
    return this.#lines?.walk(line) ?? false;
  }

  /** Matches the line that was walked last. `read` analyses it: called only when something must be decided that the core cannot. */
  matchWalked(read: () => EventView, budget?: MatchBudget): NumberReport {
    return this.#matching.walked(read, budget);
  }

  /** The id of the event that was walked last; undefined for a page without one. */
  get walkedId(): string | undefined {
    return this.#lines!.id;
  }

  /** Makes the text that is stored of the line that was walked last. */
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

  /** The whole state of the engine. The parts are valid until it changes. */
  image(): ImagePart[] {
    const { programs, ids, sizes, slots } = this.#rules.toColumns();
    const state: EngineState = {
      seed: this.#seed,
      slow: this.#anchors.slow,
      fields: this.#fields.save(),
      predicates: this.#vocabulary.predicates.save(),
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
    this.#vocabulary.predicates.restore(predicates);
    this.#rules.restore({
      programs: await readWords(reader, 'programs'),
      ids: await readColumn(reader, 'ids'),
      sizes: await readWords(reader, 'id-sizes'),
      slots: await readWords(reader, 'id-slots'),
    });
    this.#seed = seed;
    this.#anchors.slow = slow;
    this.#lines?.memoryChanged();
  }

  /** Reads the words of a long event in parts, so that `match` need not. Yields how many. */
  *prepare(event: EventView, budget: MatchBudget): Generator<number, void> {
    const version = this.#version;
    budget.written = { version, words: yield* this.#matching.writeInParts(event) };
    yield* this.#answers.meetPatterns(event, budget);
  }

  /** Decides the open patterns of a budget for the same event, in parts; `match` then goes on. Yields its steps. */
  decideOpen(event: EventView, budget: MatchBudget): Generator<number, void> {
    return decideOpen(event, budget, this.#now());
  }

  /** Counts the event's words without matching, so that rules put later are anchored well from the start. */
  observe(event: EventView): void {
    this.#matching.observe(event);
  }

  cost(query: Query): Cost {
    this.#beforeChange();
    this.#compiler.compile(query);
    const { code } = this.#compiler;
    const cost = costOfProgram(this.#vocabulary, code);
    this.#vocabulary.release(code, 0);
    return cost;
  }

  /** Lists the rules that every event has to be checked against, and why. */
  slow(): { ruleId: string; reason: string }[] {
    const found: { ruleId: string; reason: string }[] = [];
    for (let number = 0; number < this.#rules.end; number++) {
      const program = this.#rules.programOf(number);
      if (program === 0 || !this.#anchors.isSlow(program)) continue;
      found.push({
        ruleId: this.#rules.idOf(number),
        reason: slowReason(this.#vocabulary, this.#memory.i32, rootOf(program)),
      });
    }
    return found;
  }

  /** Looks at the next `budget` rules, and moves those to better anchors that have them by now. Answers how many moved. */
  reanchor(budget: number): number {
    let moved = 0;
    this.#memory.growAhead();
    for (let looked = 0; looked < Math.min(budget, this.#rules.end); looked++) {
      this.#nextToReanchor = (this.#nextToReanchor + 1) % this.#rules.end;
      const program = this.#rules.programOf(this.#nextToReanchor);
      if (program === 0 || !this.#anchors.isWorthMoving(program)) continue;
      this.#beforeChange();
      this.#memory.reserveRule(nodeLength(this.#memory.i32, rootOf(program)));
      this.#anchors.remove(this.#nextToReanchor, program);
      this.#anchors.add(this.#nextToReanchor, program);
      moved++;
    }
    return moved;
  }

  stats(): Stats {
    const { i32, bytes } = this.#memory;
    return {
      rules: this.size,
      terms: i32[ROOT.termsUsed]!,
      predicates: this.#vocabulary.predicates.size,
      slow: this.#anchors.slow,
      bytes: bytes + this.#rules.bytes,
      used: i32[ROOT.used]! >> 2,
    };
  }

  get #hasMatchers(): boolean {
    return this.#matchers !== undefined && this.#matchers.scratches.length > 0;
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
