/**
 * Keeps one connection up: opens it when there are rules, reads it to its end, and opens it again by the ladders. Never
 * a second one: the old socket is closed before another is opened.
 */
import type { StreamControl, StreamState } from '../platform.ts';
import { cleaned } from '../upstream-call.ts';
import type { Entry } from './backlog-entry.ts';
import type { Freed } from './connections.ts';
import { type Connected, createCoverage } from './coverage.ts';
import { readCursor } from './cursor.ts';
import type { Dial, Dialed } from './open-stream.ts';
import type { Quota } from './quota.ts';
import { type ReaderEnding, readConnection } from './read-connection.ts';
import { createPatience, type Ending } from './reconnect-policy.ts';
import { createHearing, type HearingParts } from './record-arrivals.ts';
import { recoverMissing } from './recovery.ts';

/** Ladders begin anew after a connection that lasted this long. */
const HEALTHY_MS = 60_000;
/** A place that was freed is not free at once. */
const FREED_MS = 1_000;
/** A token may be replaced while we wait for one that works. */
const TOKEN_CHECK_MS = 5_000;

/** After these a replay would only bring the same again, or nothing. */
const BEYOND_REPLAY: readonly ReaderEnding[] = ['overlong', 'slow_reader'];

export interface UpkeepParts extends HearingParts {
  readonly random: () => number;
  readonly dial: Dial;
  readonly quota: Quota;
  /** Closes connections that are left over from ours. */
  readonly free: (connected: readonly Connected[], signal: AbortSignal) => Promise<Freed>;
  /** The access level has backfill and recovery. */
  readonly replay: boolean;
}

/** Ends when the signal aborts. */
export async function keepUp(
  parts: UpkeepParts,
  control: StreamControl,
  push: (entry: Entry) => boolean,
): Promise<void> {
  const { signal } = control;
  const { clock, log, count, token, dial, quota, replay } = parts;
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const patience = createPatience(parts.random);
  let told: { state: StreamState; reason: string | undefined } | undefined;
  /** Milliseconds by which X's clock is ahead of ours. */
  let skew = 0;
  /** The last connection was refused for its backfill, perhaps: the next one does without. */
  let plain = false;
  let recovering: Promise<void> | undefined;

  say('connecting');
  // Before there is a rule there is nothing to miss.
  await Promise.race([control.rulesHeld(), aborted]);
  const coverage = createCoverage({ clock, replay, start: readCursor(control.committed()), push });
  const hearing = createHearing(parts, coverage, push);
  while (!signal.aborted) {
    await Promise.race([control.rulesHeld(), aborted]);
    while (quota.wait > 0 && !signal.aborted) await pause(quota.wait);
    if (signal.aborted) break;
    const ending = await connect();
    if (ending === 'stopped') break;
    if (ending !== undefined) await waitAfter(ending === 'end' ? 'dropped' : ending);
  }
  await recovering;

  function say(state: StreamState, reason?: string): void {
    if (told?.state === state && told.reason === reason) return;
    told = { state, reason };
    push({ kind: 'state', state, ...(reason === undefined ? {} : { reason }) });
  }

  async function pause(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await clock.sleep(milliseconds, signal);
  }

  /** How it ended; undefined to try again at once. */
  async function connect(): Promise<ReaderEnding | undefined> {
    const asked = coverage.backfill();
    const dialed = await dial({ backfillMinutes: plain ? 0 : asked }, signal);
    if (signal.aborted) return 'stopped';
    if (dialed.kind !== 'failed' || dialed.reached) quota.spend();
    if (dialed.kind === 'failed') {
      log.warn({ platform: 'x', reason: dialed.ending, detail: dialed.message }, 'X cannot be reached');
      coverage.lost(dialed.ending);
      return dialed.ending;
    }
    quota.note(dialed.headers, dialed.kind === 'refused' && dialed.ending === 'rate');
    if (dialed.kind === 'open') return read(dialed);
    const { ending, status } = dialed;
    noteRefusal(dialed);
    coverage.lost(ending);
    plain = !plain && asked > 0 && (status === 400 || status === 403);
    return plain ? undefined : ending;
  }

  function noteRefusal({ ending, status, problem }: Extract<Dialed, { kind: 'refused' }>): void {
    count('refused');
    const detail = cleaned(`${problem.title} ${problem.detail}`, token());
    log.warn({ platform: 'x', status, reason: ending, detail }, 'X refuses the connection');
  }

  async function read({ body, date }: Extract<Dialed, { kind: 'open' }>): Promise<ReaderEnding> {
    const opened = clock.elapsed();
    count('connect');
    skew = date.getTime() - clock.now().getTime();
    if (plain) coverage.refuseReplay();
    plain = false;
    coverage.live(date);
    say('live');
    recovering ??= recover();
    const ending = await readConnection(body, hearing.live(date), { clock, signal });
    if (ending === 'stopped') return ending;
    count('disconnect');
    if (ending === 'stall' || ending === 'suspect') count(ending);
    log.warn({ platform: 'x', reason: ending }, 'the stream of X ended');
    if (clock.elapsed() - opened >= HEALTHY_MS) patience.rest();
    coverage.lost(ending === 'end' ? 'dropped' : ending, ending === 'suspect' ? hearing.lastRecord : undefined);
    if (BEYOND_REPLAY.includes(ending)) coverage.refuseReplay();
    return ending;
  }

  async function recover(): Promise<void> {
    try {
      await recoverMissing({ ...parts, coverage, hearer: hearing.replay, skew: () => skew, signal });
    } catch (error) {
      log.error({ platform: 'x', err: error }, 'what is missing could not be fetched');
    }
    recovering = undefined;
  }

  /** Waits as long as the ladder says, or less where there is a reason to. */
  async function waitAfter(ending: Ending): Promise<void> {
    const { wait, degraded, isFirst } = patience.after(ending);
    say(degraded ? 'degraded' : ending === 'stall' ? 'stalled' : 'connecting', ending);
    if (ending === 'connections' || ending === 'forced') {
      const { closed, others } = await parts.free(coverage.connected, signal);
      const isFree = closed > 0 || (ending === 'forced' && others === 0);
      return pause(isFirst && isFree ? FREED_MS : wait);
    }
    if (ending !== 'auth') return pause(wait);
    const refused = token();
    for (let left = wait; left > 0 && token() === refused && !signal.aborted; left -= TOKEN_CHECK_MS) {
      await pause(Math.min(left, TOKEN_CHECK_MS));
    }
  }
}
