/** The way of an event through the core: its words go in, and the numbers of rules come out. */
import type { Fields } from '../compile/fields.ts';
import type { Predicates } from '../compile/predicates.ts';
import type { EventView } from '../events/event-view.ts';
import { type CoreMemory, ROOT } from './core-memory.ts';
import type { HostAnswers, NumberReport } from './host-answers.ts';
import type { LineWalk } from './line-walk.ts';
import type { MatchBudget, WrittenWords } from './match-budget.ts';
import { ViewWriter } from './write-view.ts';

interface Parts {
  readonly memory: CoreMemory;
  readonly fields: Fields;
  readonly patterns: Predicates['patterns'];
  readonly answers: HostAnswers;
  readonly lines: LineWalk | undefined;
}

export class CoreMatching {
  readonly #memory: CoreMemory;
  readonly #patterns: Predicates['patterns'];
  readonly #answers: HostAnswers;
  readonly #lines: LineWalk | undefined;
  readonly #writer: ViewWriter;

  constructor({ memory, fields, patterns, answers, lines }: Parts) {
    this.#memory = memory;
    this.#patterns = patterns;
    this.#answers = answers;
    this.#lines = lines;
    this.#writer = new ViewWriter(memory, fields);
  }

  /** Matches an event that was analysed. */
  view(event: EventView, budget: MatchBudget | undefined): NumberReport {
    this.#answers.begin(() => event, budget);
    try {
      const counting = this.#memory.exports.isCounted();
      if (budget?.written === undefined) this.#writer.write(event, counting !== 0);
      else this.#writer.take(budget.written.words);
      if (this.#patterns.size > 0) this.#markPatterns();
      return this.#report(counting);
    } finally {
      this.#answers.end();
    }
  }

  /** Writes the words of a long event in parts, for `view` to take. Yields how many. */
  writeInParts(event: EventView): Generator<number, WrittenWords> {
    return this.#writer.writeInParts(event);
  }

  /** Matches the line that was walked last. */
  walked(read: () => EventView, budget: MatchBudget | undefined): NumberReport {
    let view: EventView | undefined;
    this.#answers.begin(() => (view ??= read()), budget);
    try {
      if (this.#patterns.size > 0 && this.#memory.exports.meetsPattern() !== 0) {
        this.#lines!.triedPatterns++;
        this.#markPatterns();
      }
      return this.#report(this.#memory.exports.isCounted());
    } finally {
      this.#answers.end();
    }
  }

  /** Counts the words of an event, if it is one to count. */
  observe(event: EventView): void {
    if (this.#memory.exports.isCounted() === 0) return;
    this.#writer.write(event, true);
    this.#memory.exports.countWords();
  }

  /** Tries the patterns that rules are anchored on, on the analysed event, and tells the core which of them fit. */
  #markPatterns(): void {
    const marks = this.#answers.marks();
    const at = this.#memory.exports.reserveMarks(marks.length) >> 2;
    this.#memory.i32.set(marks, at);
    this.#memory.i32[ROOT.marked] = marks.length;
  }

  #report(counting: number): NumberReport {
    this.#memory.i32[ROOT.steps] = this.#answers.phraseSteps;
    const count = this.#memory.exports.matchWords(counting);
    return this.#answers.report(count, this.#memory.i32[ROOT.evaluated]!);
  }
}
