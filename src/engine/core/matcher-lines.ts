/**
 * The lines that a matcher matches beside the writer, in its own scratch: how they get in, and what comes of them. See
 * `core/batch.ts` and `core/scratch.ts`.
 */
import { type CoreMemory, ROOT, type SharedMemory } from './core-memory.ts';
import { LEFT_REASONS, type LeftReason, type LineWalk } from './line-walk.ts';

/** A line that rules were matched on. The numbers are valid until the rules change. */
export interface ThreadMatch {
  readonly numbers: Int32Array;
  readonly count: number;
  readonly evaluated: number;
  /** A page without an id has none. */
  readonly postId: string | undefined;
  /** The text that is stored of the line. */
  readonly json: string;
}

/** A line comes to its rules, to `left` where TypeScript must read it, or to `asked` where the writer must match it itself. */
export type ThreadOutcome = ThreadMatch | 'left' | 'asked';

/** Integers of a record, and where they stand in it. */
const RECORD = 16;
const AT = {
  end: 1,
  outcome: 2,
  evaluated: 3,
  rules: 4,
  count: 5,
  id: 6,
  data: 8,
  includes: 10,
  hasOthers: 12,
} as const;
const MATCHED = 0;
const ASKED = 1;
const FIRST_LEFT = 2;

const MOST_LINES = 2_048;
/** A matcher has no room for longer lines. */
const LONGEST = 32_768;
/** Strings are read 16 bytes at a time, beyond their end. */
const BEHIND = 32;

const NO_NUMBERS = new Int32Array();

export class MatcherLines {
  readonly #memory: CoreMemory;
  readonly #walk: LineWalk;
  /** Numbers of the scratches that were opened. */
  readonly scratches: number[] = [];

  constructor(memory: CoreMemory, walk: LineWalk) {
    this.#memory = memory;
    this.#walk = walk;
  }

  get memory(): SharedMemory {
    return this.#memory.shared;
  }

  get arePages(): boolean {
    return this.#walk.arePages;
  }

  /** Makes room for one more matcher, and answers the number of its scratch. Nothing may be matched meanwhile. */
  open(): number {
    const scratch = this.#memory.exports.openScratch();
    this.scratches.push(scratch);
    return scratch;
  }

  /** Makes a scratch ready for a new matcher, after the one that had it has ended. */
  clear(scratch: number): void {
    this.#memory.exports.clearScratch(scratch);
  }

  /** Has the matcher stop after the line at hand. */
  stop(scratch: number): void {
    Atomics.store(this.#memory.i32, (scratch >> 2) + ROOT.stop, 1);
  }

  /** Writes lines from one on, as many as there is room for, and answers how many. 0 where matchers cannot read any. */
  write(scratch: number, lines: readonly string[], from: number): number {
    if (!this.#walk.isReady()) return 0;
    const { i32, u8 } = this.#memory;
    const root = scratch >> 2;
    Atomics.store(i32, root + ROOT.stop, 0);
    let at = i32[root + ROOT.input]!;
    const end = at + i32[root + ROOT.inputRoom]!;
    let record = i32[root + ROOT.lines]! >> 2;
    const most = Math.min(lines.length, from + MOST_LINES);
    let next = from;
    for (; next < most; next++, record += RECORD) {
      const line = lines[next]!;
      // A line that is not for the matcher has a record that says so: longer than any.
      const isTaken = line.length <= LONGEST && line.isWellFormed();
      if (isTaken && at + line.length * 3 + BEHIND > end) break;
      i32[record] = at;
      at += isTaken ? u8.write(line, at) : 0;
      i32[record + AT.end] = isTaken ? at : at + LONGEST + 1;
      // The walk ends a line with a NUL.
      at++;
    }
    return next - from;
  }

  /** Reads what came of the first lines of a batch. */
  read(scratch: number, lines: readonly string[], from: number, count: number): ThreadOutcome[] {
    const outcomes: ThreadOutcome[] = [];
    let record = this.#memory.i32[(scratch >> 2) + ROOT.lines]! >> 2;
    for (let index = 0; index < count; index++, record += RECORD) {
      outcomes.push(this.#outcome(record, lines[from + index]!));
    }
    return outcomes;
  }

  #outcome(record: number, line: string): ThreadOutcome {
    const { i32 } = this.#memory;
    const outcome = i32[record + AT.outcome]!;
    if (outcome === ASKED) return 'asked';
    if (outcome >= FIRST_LEFT) {
      this.#walk.countLeft(reasonOf(outcome));
      return 'left';
    }
    if (outcome !== MATCHED) throw new RangeError(`a matcher has no outcome ${outcome}`);
    this.#walk.walked++;
    const rules = i32[record + AT.rules]! >> 2;
    const count = i32[record + AT.count]!;
    return {
      numbers: count === 0 ? NO_NUMBERS : i32.subarray(rules, rules + count),
      count,
      evaluated: i32[record + AT.evaluated]!,
      postId: i32[record + AT.id] === 0 ? undefined : this.#text(record + AT.id),
      json: this.#kept(record, line),
    };
  }

  /** Keeps `data` and `includes` of a post, and a page as it is. */
  #kept(record: number, line: string): string {
    const { i32 } = this.#memory;
    if (i32[record + AT.hasOthers] === 0) return line.trim();
    const includes = i32[record + AT.includes] === 0 ? '' : `,"includes":${this.#text(record + AT.includes)}`;
    return `{"data":${this.#text(record + AT.data)}${includes}}`;
  }

  /** The text whose first and last byte stand there. */
  #text(place: number): string {
    const { i32, u8 } = this.#memory;
    return u8.toString('utf8', i32[place], i32[place + 1]);
  }
}

function reasonOf(outcome: number): LeftReason {
  const reason = LEFT_REASONS[outcome - FIRST_LEFT];
  if (reason === undefined) throw new RangeError(`a matcher has no outcome ${outcome}`);
  return reason;
}
