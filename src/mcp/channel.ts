/**
 * A channel: pushes matches into the session of the program that started us, one way. Each event costs the session a
 * turn, so there is at most one in ten seconds; what comes in between is counted in the next. The cursor is stored after
 * the event is written: a restart goes on there, and repeats an event rather than lose it.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Clock } from '../base/clock.ts';
import { type ChannelEvent, eventOf, type FoundMatches, lostEvent } from './channel-event.ts';
import type { ShownMatch } from './show-match.ts';

export interface ChannelCursors {
  read(): Promise<string | undefined>;
  write(cursor: string): Promise<void>;
}

export interface ChannelOptions {
  /** Only the matches of this rule, by its id or name. */
  readonly rule?: string | undefined;
  readonly cursors: ChannelCursors;
  readonly clock: Clock;
  /** For people: it goes where the protocol does not. */
  complain(message: string): void;
}

export interface ChannelEnds {
  callTool(name: string, input: object, signal: AbortSignal): Promise<CallToolResult>;
  push(event: ChannelEvent): void;
}

const PAUSE_MS = 10_000;
const WAIT_SECONDS = 45;
/** Matches of one call, and calls whose matches one event counts. */
const AT_ONCE = 50;
const MAX_PAGES = 20;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

interface Waited extends FoundMatches {
  readonly cursor: string;
  readonly more: boolean;
}

/** Runs until the signal aborts, or until the key or the rule is gone. */
export async function runChannel(options: ChannelOptions, ends: ChannelEnds, signal: AbortSignal): Promise<void> {
  const { cursors, clock, complain } = options;
  let cursor = await cursors.read();
  for (let failures = 0; !signal.aborted; ) {
    try {
      const found = await gather(options, ends, cursor, signal);
      if (signal.aborted) return;
      if (found.matches.length > 0) ends.push(eventOf(found));
      if (found.cursor !== cursor) await cursors.write(found.cursor);
      cursor = found.cursor;
      failures = 0;
      if (found.matches.length > 0) await clock.sleep(PAUSE_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      const { message } = error as Error;
      if (error instanceof Refused && cursor !== undefined && error.isAboutCursor) {
        ends.push(lostEvent(clock.now()));
        cursor = undefined;
      } else if (error instanceof Refused && error.isFinal) {
        return complain(`The channel has ended. ${message}`);
      } else {
        complain(`The channel waits. ${message}`);
        await clock.sleep(Math.min(FIRST_RETRY_MS * 2 ** failures++, LONGEST_RETRY_MS), signal);
      }
    }
  }
}

/** Waits for the first match after the cursor, then takes what else is there. Without a cursor: where we are now. */
async function gather(
  { rule }: ChannelOptions,
  { callTool }: ChannelEnds,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Waited> {
  const matches: ShownMatch[] = [];
  let [wait_seconds, at] = [cursor === undefined ? 0 : WAIT_SECONDS, cursor];
  for (let page = 1; ; page++) {
    const asked = { rule_id: rule, cursor: at, wait_seconds, limit: AT_ONCE, max_tokens: 8_000 };
    const waited = answerOf(await callTool('wait_for_matches', asked, signal));
    matches.push(...waited.matches);
    if (!waited.more || page === MAX_PAGES || signal.aborted) return { ...waited, matches };
    [wait_seconds, at] = [0, waited.cursor];
  }
}

/** The tool answered with an error: its text begins with the code. */
class Refused extends Error {
  /** The cursor has expired, or is not one of this server and account. */
  get isAboutCursor(): boolean {
    return /cursor/i.test(this.message) && /^(?:failed_precondition|invalid_argument)/.test(this.message);
  }
  /** Trying again would not help. */
  get isFinal(): boolean {
    return /^(?:unauthenticated|permission_denied|not_found|invalid_argument)/.test(this.message);
  }
}

function answerOf({ isError, content }: CallToolResult): Waited {
  const [said] = content;
  const text = said?.type === 'text' ? said.text : undefined;
  if (isError === true || text === undefined) throw new Refused(text ?? 'The tool failed.');
  return JSON.parse(text) as Waited;
}
