/**
 * Keeps one connection to X open: opens it when there are rules, reads it until it ends, and opens it again after the
 * wait that the reconnect policy says. There are never two: the old socket is closed before the next is opened.
 */
import { nextMonth } from '../../base/clock.ts';
import { aborted } from '../../base/wake-up.ts';
import type { StreamControl, StreamState } from '../platform.ts';
import { cleaned } from '../upstream-call.ts';
import type { Freed } from './connections.ts';
import { type ConnectedSpan, Coverage } from './coverage.ts';
import { readXCursor } from './cursor.ts';
import type { OpenResult, StreamOpener } from './open-stream.ts';
import type { Presence, Quota } from './quota.ts';
import { type ConnectionEnd, readXConnection } from './read-connection.ts';
import { createBackOff, type DisconnectReason } from './reconnect-policy.ts';
import { ArrivalRecorder, type RecorderParts } from './record-arrivals.ts';
import { recoverMissing } from './recovery.ts';
import type { BacklogEntry } from './spill.ts';

/** The back-off starts over after a connection that lasted this long. */
const HEALTHY_MS = 60_000;
/** X needs a moment to free the place of a connection that we closed. */
const FREED_MS = 1_000;
/** X's months begin by its own clock: we ask this much after the month has begun. */
const MONTH_MARGIN_MS = 60_000;
/** How often we look whether the operator replaced a token that X refused. */
const TOKEN_CHECK_MS = 5_000;

/** After these a replay would bring the same problem again, or nothing. */
const BEYOND_REPLAY: readonly ConnectionEnd[] = ['overlong', 'slow_reader'];

export interface ReconnectParts extends RecorderParts {
  readonly random: () => number;
  readonly openStream: StreamOpener;
  readonly quota: Quota;
  readonly presence: Pick<Presence, 'returned'>;
  /** Closes connections of ours that X still counts. */
  readonly free: (connected: readonly ConnectedSpan[], signal: AbortSignal) => Promise<Freed>;
  /** Whether the access level has backfill and recovery. */
  readonly replay: boolean;
}

export type Push = (entry: BacklogEntry) => boolean;

/** Runs until the signal aborts. */
export async function runReconnectLoop(parts: ReconnectParts, control: StreamControl, push: Push): Promise<void> {
  const { signal } = control;
  const tell = stateTeller(push);
  tell('connecting');
  // Before there is a rule there is nothing to miss.
  await Promise.race([control.rulesHeld(), aborted(signal)]);
  const loop = new ReconnectLoop(parts, control, push, tell);
  while (!signal.aborted) {
    await Promise.race([control.rulesHeld(), aborted(signal)]);
    while (parts.quota.wait > 0 && !signal.aborted) await parts.clock.sleep(parts.quota.wait, signal);
    if (signal.aborted) break;
    const end = await loop.connect();
    if (end === 'stopped') break;
    if (end !== undefined) await loop.waitAfter(end === 'end' ? 'dropped' : end);
  }
  await loop.recovering;
}

export type Tell = (state: StreamState, reason?: string) => void;

/** Pushes a state only if it differs from the last one. */
export function stateTeller(push: Push): Tell {
  let told = '';
  return (state, reason) => {
    const next = JSON.stringify([state, reason]);
    if (next === told) return;
    told = next;
    push({ kind: 'state', state, ...(reason === undefined ? {} : { reason }) });
  };
}

class ReconnectLoop {
  readonly #parts: ReconnectParts;
  readonly #signal: AbortSignal;
  readonly #tell: Tell;
  readonly #coverage: Coverage;
  readonly #recorder: ArrivalRecorder;
  readonly #backOff;
  /** How many milliseconds X's clock is ahead of ours. */
  #skew = 0;
  /** X may have refused the last connection because of its backfill: the next one asks for none. */
  #isPlain = false;
  recovering: Promise<void> | undefined;

  constructor(parts: ReconnectParts, control: StreamControl, push: Push, tell: Tell) {
    this.#parts = parts;
    this.#signal = control.signal;
    this.#tell = tell;
    this.#backOff = createBackOff(parts.random);
    this.#coverage = new Coverage({ ...parts, start: readXCursor(control.committed()), push });
    this.#recorder = new ArrivalRecorder(parts, this.#coverage, push);
  }

  /** Returns how the connection ended; undefined to try again at once. */
  async connect(): Promise<ConnectionEnd | undefined> {
    const { openStream, quota, log } = this.#parts;
    const asked = this.#coverage.backfill();
    const opened = await openStream({ backfillMinutes: this.#isPlain ? 0 : asked }, this.#signal);
    if (this.#signal.aborted) return 'stopped';
    if (opened.kind !== 'failed' || opened.reached) quota.spend();
    if (opened.kind === 'failed') {
      log.warn({ platform: 'x', reason: opened.reason, detail: opened.message }, 'X cannot be reached');
      this.#coverage.lost(opened.reason);
      return opened.reason;
    }
    quota.note(opened.headers, opened.kind === 'refused' && opened.reason === 'rate');
    if (opened.kind === 'open') return this.#read(opened);
    this.#noteRefusal(opened);
    this.#coverage.lost(opened.reason);
    this.#isPlain = !this.#isPlain && asked > 0 && (opened.status === 400 || opened.status === 403);
    return this.#isPlain ? undefined : opened.reason;
  }

  #noteRefusal({ reason, status, problem }: Extract<OpenResult, { kind: 'refused' }>): void {
    const { count, log, token } = this.#parts;
    count('refused');
    const detail = cleaned(`${problem.title} ${problem.detail}`, token());
    log.warn({ platform: 'x', status, reason, detail }, 'X refused the connection');
  }

  async #read({ body, date }: Extract<OpenResult, { kind: 'open' }>): Promise<ConnectionEnd> {
    const { clock, count, log } = this.#parts;
    const openedAt = clock.elapsed();
    count('connect');
    this.#skew = date.getTime() - clock.now().getTime();
    if (this.#isPlain) this.#coverage.refuseReplay();
    this.#isPlain = false;
    const goOn = () => {
      this.#tell('live');
      this.recovering ??= this.#recover();
    };
    if (this.#recorder.isDoubted) {
      this.#coverage.doubtful(date);
      this.#tell('stalled', 'suspect');
    } else {
      this.#coverage.live(date);
      goOn();
    }
    const end = await readXConnection(body, this.#recorder.live(date, goOn), { clock, signal: this.#signal });
    if (end === 'stopped') return end;
    count('disconnect');
    if (end === 'stall' || end === 'suspect') count(end);
    log.warn({ platform: 'x', reason: end }, 'the stream of X ended');
    if (clock.elapsed() - openedAt >= HEALTHY_MS) this.#backOff.reset();
    const heardUntil = end === 'suspect' ? this.#recorder.heardUntil : undefined;
    this.#coverage.lost(end === 'end' ? 'dropped' : end, heardUntil);
    if (BEYOND_REPLAY.includes(end)) this.#coverage.refuseReplay();
    return end;
  }

  async #recover(): Promise<void> {
    try {
      const recorder = this.#recorder.replay;
      const skew = () => this.#skew;
      await recoverMissing({ ...this.#parts, coverage: this.#coverage, recorder, skew, signal: this.#signal });
    } catch (error) {
      this.#parts.log.error({ platform: 'x', err: error }, 'missing posts of X could not be fetched');
    }
    this.recovering = undefined;
  }

  /** Waits as long as the back-off says, or less if there is a reason to. */
  async waitAfter(reason: DisconnectReason): Promise<void> {
    const { wait, degraded, isFirst } = this.#backOff.after(reason);
    this.#tell(degraded ? 'degraded' : reason === 'stall' ? 'stalled' : 'connecting', reason);
    if (reason === 'auth') return this.#waitForToken(wait);
    if (reason === 'quota') return this.#waitForCap(wait);
    if (reason !== 'connections' && reason !== 'forced') return this.#pause(wait);
    const { closed, others } = await this.#parts.free(this.#coverage.connected, this.#signal);
    const isFree = closed > 0 || (reason === 'forced' && others === 0);
    return this.#pause(isFirst && isFree ? FREED_MS : wait);
  }

  async #waitForToken(wait: number): Promise<void> {
    const { token } = this.#parts;
    const refused = token();
    for (let left = wait; left > 0 && token() === refused && !this.#signal.aborted; left -= TOKEN_CHECK_MS) {
      await this.#pause(Math.min(left, TOKEN_CHECK_MS));
    }
  }

  /** A monthly cap ends with the month. What took X away may have ended it too, so its return is a reason to ask. */
  async #waitForCap(wait: number): Promise<void> {
    const { clock, presence } = this.#parts;
    const now = new Date(clock.now().getTime() + this.#skew);
    const left = nextMonth(now).getTime() - now.getTime() + MONTH_MARGIN_MS;
    await clock.sleep(Math.min(wait, left), AbortSignal.any([this.#signal, presence.returned]));
  }

  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await this.#parts.clock.sleep(milliseconds, this.#signal);
  }
}
