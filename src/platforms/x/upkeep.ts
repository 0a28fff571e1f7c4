/**
 * Keeps one connection up: opens it when there are rules, reads it to its end, and opens it again by the ladders. Never
 * a second one: the old socket is closed before another is opened.
 */
import type { Clock } from '../../base/clock.ts';
import type { StreamControl, StreamCounter, StreamState } from '../platform.ts';
import type { UpstreamLog } from '../upstream.ts';
import { cleaned } from '../upstream-call.ts';
import type { Freed } from './connections.ts';
import { type Connected, createCoverage } from './coverage.ts';
import { readCursor } from './cursor.ts';
import type { Dial, Dialed } from './dial.ts';
import { createPatience, type Ending } from './ending.ts';
import type { Entry } from './entry.ts';
import type { Quota } from './quota.ts';
import { type Hearer, type ReaderEnding, readConnection } from './reader.ts';
import { recoverMissing } from './recovery.ts';
import type { Volume } from './volume.ts';
import { type Problem, readMessage } from './wire.ts';

const MINUTE_MS = 60_000;
/** Ladders begin anew after a connection that lasted this long. */
const HEALTHY_MS = MINUTE_MS;
const SUSPECT_EVERY_MS = 30 * MINUTE_MS;
/** A place that was freed is not free at once. */
const FREED_MS = 1_000;
/** A token may be replaced while we wait for one that works. */
const TOKEN_CHECK_MS = 5_000;

/** After these a replay would only bring the same again, or nothing. */
const BEYOND_REPLAY: readonly ReaderEnding[] = ['overlong', 'slow_reader'];

export interface UpkeepParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: UpstreamLog;
  readonly count: (counter: StreamCounter) => void;
  readonly token: () => string;
  readonly dial: Dial;
  readonly quota: Quota;
  readonly volume: Volume;
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
  const { clock, log, count, token, dial, quota, volume, free, replay } = parts;
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const coverage = createCoverage({ clock, replay, start: readCursor(control.committed()), push });
  const patience = createPatience(parts.random);
  let told: { state: StreamState; reason: string | undefined } | undefined;
  let skew = 0;
  /** The last connection was refused for its backfill, perhaps: the next one does without. */
  let plain = false;
  /** When the last record came, or the connection was opened since. */
  let lastRecord = 0;
  let suspectedAt = Number.NEGATIVE_INFINITY;
  let recovering: Promise<void> | undefined;

  function say(state: StreamState, reason?: string): void {
    if (told?.state === state && told.reason === reason) return;
    told = { state, reason };
    push({ kind: 'state', state, ...(reason === undefined ? {} : { reason }) });
  }

  const pushRecord = (line: Buffer, replayed: boolean): boolean =>
    push({ kind: 'record', at: clock.now().getTime(), cursor: coverage.cursor(), replayed, line });

  function remark(problems: readonly Problem[], ending: Ending | undefined): void {
    if (ending === undefined) count('unknown_message');
    const detail = problems.map(({ title, detail: more }) => cleaned(`${title} ${more}`, token()));
    log.warn({ platform: 'x', detail }, 'X says something about its stream');
  }

  function overlong(sample: Buffer): void {
    count('broken');
    const reason = 'it is longer than 1 MiB';
    push({ kind: 'broken', cursor: coverage.cursor(), reason, sample: sample.toString('utf8') });
  }

  /** What the live connection says. `opened` is X's time: a post that is younger is no part of a backfill. */
  function hearer(opened: Date): Hearer {
    return {
      record(line) {
        lastRecord = clock.elapsed();
        coverage.receipt();
        if (!pushRecord(line, coverage.awaitsBackfill)) return false;
        if (coverage.awaitsBackfill && isYounger(line, opened)) coverage.backfilled();
        return true;
      },
      heartbeat() {
        coverage.receipt();
        // Whoever has time for a heartbeat has nothing else to send.
        if (coverage.awaitsBackfill) coverage.backfilled();
        coverage.mark();
        return isSuspect() ? 'suspect' : undefined;
      },
      overlong(sample) {
        coverage.receipt();
        overlong(sample);
      },
      remark,
    };
  }

  function isSuspect(): boolean {
    const now = clock.elapsed();
    if (now - suspectedAt < SUSPECT_EVERY_MS || !volume.isSuspect(now - lastRecord)) return false;
    suspectedAt = now;
    return true;
  }

  async function read(dialed: Extract<Dialed, { kind: 'open' }>): Promise<ReaderEnding> {
    const opened = clock.elapsed();
    count('connect');
    skew = dialed.date.getTime() - clock.now().getTime();
    lastRecord = opened;
    if (plain) coverage.refuseReplay();
    plain = false;
    coverage.live(dialed.date);
    say('live');
    recovering ??= recover();
    const ending = await readConnection(dialed.body, hearer(dialed.date), { clock, signal });
    if (ending === 'stopped') return ending;
    count('disconnect');
    log.warn({ platform: 'x', reason: ending }, 'the stream of X ended');
    if (ending === 'stall' || ending === 'suspect') count(ending);
    if (clock.elapsed() - opened >= HEALTHY_MS) patience.rest();
    const since = ending === 'suspect' ? { since: lastRecord } : {};
    coverage.lost(ending === 'end' ? 'dropped' : ending, { mendable: !BEYOND_REPLAY.includes(ending), ...since });
    return ending;
  }

  async function recover(): Promise<void> {
    try {
      await recoverMissing({
        ...parts,
        coverage,
        record: (line) => pushRecord(line, true),
        remark,
        overlong,
        skew: () => skew,
        signal,
      });
    } catch (error) {
      log.error({ platform: 'x', err: error }, 'what is missing could not be fetched');
    }
    recovering = undefined;
  }

  /** How it ended; undefined to try again at once. */
  async function connect(): Promise<ReaderEnding | undefined> {
    const asked = coverage.backfill();
    const dialed = await dial({ backfillMinutes: plain ? 0 : asked }, signal);
    if (signal.aborted) return 'stopped';
    if (dialed.kind !== 'failed' || dialed.reached) quota.spend();
    if (dialed.kind === 'failed') {
      log.warn({ platform: 'x', detail: dialed.message }, 'X cannot be reached');
      coverage.lost(dialed.ending);
      return dialed.ending;
    }
    quota.note(dialed.headers, dialed.kind === 'refused' && dialed.ending === 'rate');
    if (dialed.kind === 'open') return read(dialed);
    count('refused');
    const { ending, status, problem } = dialed;
    const detail = cleaned(`${problem.title} ${problem.detail}`, token());
    log.warn({ platform: 'x', status, reason: ending, detail }, 'X refuses the connection');
    coverage.lost(ending);
    const wasPlain = plain;
    plain = !wasPlain && asked > 0 && (status === 400 || status === 403);
    return plain ? undefined : ending;
  }

  /** Waits as long as the ladder says, or less where there is a reason to. */
  async function waitAfter(ending: Ending): Promise<void> {
    const { wait, degraded, isFirst } = patience.after(ending);
    say(degraded ? 'degraded' : ending === 'stall' ? 'stalled' : 'connecting', ending);
    if (ending === 'connections' || ending === 'forced') {
      const { closed, others } = await free(coverage.connected, signal);
      const isFree = closed > 0 || (ending === 'forced' && others === 0);
      return pause(isFirst && isFree ? FREED_MS : wait);
    }
    if (ending !== 'auth') return pause(wait);
    const refused = token();
    for (let left = wait; left > 0 && token() === refused && !signal.aborted; left -= TOKEN_CHECK_MS) {
      await pause(Math.min(left, TOKEN_CHECK_MS));
    }
  }

  async function pause(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await clock.sleep(milliseconds, signal);
  }

  while (!signal.aborted) {
    if (told === undefined) say('connecting');
    await Promise.race([control.rulesHeld(), aborted]);
    while (quota.wait > 0 && !signal.aborted) await pause(quota.wait);
    if (signal.aborted) break;
    const ending = await connect();
    if (ending === 'stopped') break;
    if (ending !== undefined) await waitAfter(ending === 'end' ? 'dropped' : ending);
  }
  await recovering;
}

function isYounger(line: Buffer, than: Date): boolean {
  const message = readMessage(line);
  return message.kind === 'post' && (message.createdAt ?? 0) >= than.getTime();
}
