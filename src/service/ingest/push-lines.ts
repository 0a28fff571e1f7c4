/**
 * Takes in the lines of a push, one after another. Where threads match, they match slices of lines before their turn comes: the next
 * slices are matched while the lines of one are stored.
 */
import { isUtf8 } from 'node:buffer';
import type { TraceContext } from '../../base/tracing.ts';
import { createReceipt } from './batch-queue.ts';
import type { GroupCommit } from './group-commit.ts';
import { type IntakeDeps, type Origin, takeIn, viewOfLine } from './intake.ts';
import type { AheadAnswer } from './match-ahead.ts';
import type { Matching } from './matching.ts';
import { wholePayload } from './payloads.ts';

export interface Pushed {
  readonly accepted: number;
  readonly matches: number;
  readonly rejected: readonly { readonly line: number; readonly problem: string }[];
  /** Bad lines beyond those that are listed. */
  readonly moreRejected: number;
  /** CPU that the thread which took the lines in spent on them; threads that match beside it are not measured. */
  readonly cpuMs?: number;
}

/** Characters of events between two turns of the event loop: a few milliseconds of work. */
export const SLICE = 64 * 1024;
/** An event costs as much as so many characters, beside its length. */
const EVENT_COST = 512;
/** A blank line costs as much as so many characters: 8 MiB of line feeds take turns with everything else. */
const BLANK_COST = 16;
export const MAX_REJECTED_LISTED = 1_000;

/** An event as it was brought: its receipt is still to be made. */
export type Brought = Omit<Origin, 'receipt'> & {
  readonly trace?: TraceContext;
  /** A source of our own made the lines. */
  readonly isWhole?: boolean;
};

export interface PushParts extends IntakeDeps {
  readonly matching: Pick<Matching, 'rules' | 'ahead'>;
  readonly commits: Pick<GroupCommit, 'add' | 'moveCursor' | 'spaceFree'>;
  readonly pauseFor: (work: number) => Promise<void> | undefined;
}

/**
 * Decodes line by line: V8 stores a string as UTF-16 as soon as it has one character beyond Latin-1, so decoding the whole body could
 * double its size.
 */
export async function pushLines(parts: PushParts, given: string | Buffer, of: Brought): Promise<Pushed> {
  const { matching, pauseFor, commits, metrics } = parts;
  const { platform } = of;
  const receipt = createReceipt(of.trace, false);
  const rejected: { line: number; problem: string }[] = [];
  let [accepted, bad] = [0, 0];
  const bytes = typeof given === 'string' ? Buffer.from(given) : given;
  const cpu = createCpuMeter();
  for await (const { events, numbers, blanks, ahead } of slicesAhead(parts, bytes, of)) {
    cpu.begin();
    for (let index = 0; index < events.length; index++) {
      const text = events[index]!;
      const payload = of.isWhole ? wholePayload(text) : undefined;
      const taken = takeIn(parts, { ...of, receipt, text, payload }, ahead?.[index]);
      const problem = typeof taken === 'object' ? await cpu.beside(taken) : taken;
      if (problem === undefined) accepted++;
      else {
        if (bad++ < MAX_REJECTED_LISTED) rejected.push({ line: numbers[index]!, problem });
        metrics.rejected(platform);
      }
      // Awaiting costs a little even when there is nothing to wait for, and this is the busiest loop of all.
      const wait = pauseFor(text.length + EVENT_COST + matching.rules[platform].takeSteps()) ?? commits.spaceFree();
      if (wait !== undefined) await cpu.beside(wait);
    }
    cpu.end();
    if (blanks > 0) await pauseFor(blanks * BLANK_COST);
  }
  receipt.confirm(0);
  const matches = await receipt.done;
  return { accepted, matches, rejected, moreRejected: bad - rejected.length, cpuMs: cpu.milliseconds };
}

/** The CPU of this thread between `begin` and `end`, without what others take while the push waits. */
function createCpuMeter() {
  let begun = process.threadCpuUsage();
  let microseconds = 0;
  const begin = (): void => {
    begun = process.threadCpuUsage();
  };
  const end = (): void => {
    const { user, system } = process.threadCpuUsage(begun);
    microseconds += user + system;
  };
  return {
    begin,
    end,
    async beside<T>(wait: Promise<T>): Promise<T> {
      end();
      const answer = await wait;
      begin();
      return answer;
    },
    get milliseconds() {
      return microseconds / 1_000;
    },
  };
}

/** Lines that cost one slice together. */
interface Lines {
  /** The lines that are not blank. */
  readonly events: string[];
  /** Which line of the push each of them is. */
  readonly numbers: number[];
  blanks: number;
}

interface Slice extends Lines {
  /** The threads' answer for each event; undefined where they were not asked. */
  readonly ahead: readonly AheadAnswer[] | undefined;
}

/** As many slices are on their way to the threads as there are threads, and one more. */
async function* slicesAhead(parts: PushParts, bytes: Buffer, of: Brought): AsyncGenerator<Slice> {
  const { matching } = parts;
  const waiting: Promise<Slice>[] = [];
  const read = (line: string) => viewOfLine(parts, of.platform, line);
  for (const lines of slicesOf(bytes)) {
    const matched = matching.ahead.match(of.platform, lines.events, of, read);
    if (matched === undefined && waiting.length === 0) {
      yield { ...lines, ahead: undefined };
      continue;
    }
    const slice = Promise.resolve(matched).then((ahead) => ({ ...lines, ahead }));
    // A push that fails on an earlier slice does not come to this one.
    slice.catch(() => {});
    waiting.push(slice);
    if (waiting.length > matching.ahead.threads) yield await waiting.shift()!;
  }
  for (const slice of waiting) yield await slice;
}

const LINE_FEED = 0x0a;
/** Nearly every event begins with it. */
const BRACE = 0x7b;

/** Stands for a line that is not UTF-8: it is refused like any other line that is not JSON. */
const BROKEN_LINE = '?';

function* slicesOf(bytes: Buffer): Iterable<Lines> {
  const isWhole = isUtf8(bytes);
  let lines: Lines = { events: [], numbers: [], blanks: 0 };
  let [cost, number] = [0, 0];
  for (let start = 0; start < bytes.length; ) {
    const lineFeed = bytes.indexOf(LINE_FEED, start);
    const end = lineFeed === -1 ? bytes.length : lineFeed;
    number++;
    const isRead = isWhole || isUtf8(bytes.subarray(start, end));
    const line = isRead ? bytes.toString('utf8', start, end) : BROKEN_LINE;
    if (bytes[start] !== BRACE && isBlank(line)) {
      lines.blanks++;
      cost += BLANK_COST;
    } else {
      lines.events.push(line);
      lines.numbers.push(number);
      cost += line.length + EVENT_COST;
    }
    start = end + 1;
    if (cost < SLICE) continue;
    yield lines;
    lines = { events: [], numbers: [], blanks: 0 };
    cost = 0;
  }
  if (cost > 0) yield lines;
}

const isBlank = (line: string): boolean => line.length < 64 && line.trim() === '';
