/**
 * Takes in the lines of a push, one after another. Where threads match, they match slices of lines before their turn comes: the next
 * slices are matched while the lines of one are stored.
 */
import type { TraceContext } from '../../base/tracing.ts';
import type { GroupCommit } from './group-commit.ts';
import { type IntakeDeps, type Origin, readAhead, type Taken, takeLine } from './intake.ts';
import type { MatchedAhead } from './match-ahead.ts';
import { readLine } from './payloads.ts';
import { createReceipt } from './receipt.ts';

export interface Pushed {
  readonly accepted: number;
  readonly matches: number;
  readonly rejected: readonly { readonly line: number; readonly problem: string }[];
  /** Bad lines beyond those that are listed. */
  readonly moreRejected: number;
}

/** Characters of events between two turns of the event loop: a few milliseconds of work. */
export const SLICE = 64 * 1024;
/** What an event costs beside its length, in characters. */
const EVENT_COST = 512;
/** What a blank line costs: 8 MiB of line feeds take turns with everything else. */
const BLANK_COST = 16;
export const MAX_REJECTED_LISTED = 1_000;

/** An event as it was brought: its receipt is still to be made. */
export type Brought = Omit<Origin, 'receipt'> & { readonly trace?: TraceContext };

export interface PushParts extends IntakeDeps {
  readonly commits: Pick<GroupCommit, 'add' | 'moveCursor' | 'spaceFree'>;
  readonly pauseFor: (work: number) => Promise<void> | undefined;
}

export async function pushLines(parts: PushParts, text: string, of: Brought): Promise<Pushed> {
  const { pauseFor, commits, metrics } = parts;
  const { platform } = of;
  const receipt = createReceipt(of.trace);
  const origin: Origin = { ...of, receipt };
  const rejected: { line: number; problem: string }[] = [];
  let [accepted, bad, number] = [0, 0, 0];
  for await (const { lines, ahead } of slicesAhead(parts, text, of)) {
    let next = 0;
    for (const line of lines) {
      number++;
      const isBlank = isBlankLine(line);
      if (!isBlank) {
        const read = () => readLine(platform, line);
        const taken: Taken = takeLine(parts, { text: line, isOurs: false, read }, origin, ahead?.[next++]);
        const problem = typeof taken === 'object' ? await taken : taken;
        if (problem === undefined) accepted++;
        else if (bad++ < MAX_REJECTED_LISTED) rejected.push({ line: number, problem });
        if (problem !== undefined) metrics.rejected(platform);
      }
      // Awaiting costs a little even when there is nothing to wait for, and this is the busiest loop of all.
      const wait = pauseFor(costOf(line)) ?? commits.spaceFree();
      if (wait !== undefined) await wait;
    }
  }
  receipt.settle(0);
  return { accepted, matches: await receipt.done, rejected, moreRejected: bad - rejected.length };
}

const isBlankLine = (line: string): boolean => line.length < 64 && line.trim() === '';

const costOf = (line: string): number => (isBlankLine(line) ? BLANK_COST : line.length + EVENT_COST);

interface Slice {
  readonly lines: readonly string[];
  /** What threads know of each line that is not blank; undefined where they were not asked. */
  readonly ahead: readonly MatchedAhead[] | undefined;
}

/** As many slices are on their way to the threads as there are threads, and one more. */
async function* slicesAhead(parts: PushParts, text: string, { platform, accountId }: Brought): AsyncGenerator<Slice> {
  const { matching } = parts;
  const waiting: Promise<Slice>[] = [];
  for (const lines of slicesOf(text)) {
    const events = lines.filter((line) => !isBlankLine(line));
    const matched = matching.matchAhead(platform, events, accountId, (line) => readAhead(parts, platform, line));
    if (matched === undefined && waiting.length === 0) {
      yield { lines, ahead: undefined };
      continue;
    }
    const slice = Promise.resolve(matched).then((ahead) => ({ lines, ahead }));
    // A push that fails on an earlier slice does not come to this one.
    slice.catch(() => {});
    waiting.push(slice);
    if (waiting.length > matching.threads) yield await waiting.shift()!;
  }
  for (const slice of waiting) yield await slice;
}

/** Lines that cost one slice together. */
function* slicesOf(text: string): Iterable<string[]> {
  let lines: string[] = [];
  let cost = 0;
  for (const line of linesOf(text)) {
    lines.push(line);
    cost += costOf(line);
    if (cost < SLICE) continue;
    yield lines;
    lines = [];
    cost = 0;
  }
  if (lines.length > 0) yield lines;
}

function* linesOf(text: string): Iterable<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    yield text.slice(start, end === -1 ? undefined : end);
    if (end === -1) return;
    start = end + 1;
  }
}
