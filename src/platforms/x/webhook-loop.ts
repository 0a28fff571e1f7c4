/**
 * Keeps our webhook at X registered, valid and linked to the rules, and shows that it is: X is asked every 20 seconds, as
 * often as a stream has heartbeats, and asks our endpoint each time. While it is so, nothing is missing but what X delivers
 * again; when it is not, a gap opens.
 */
import { aborted, type WakeUp } from '../../base/wake-up.ts';
import type { StreamControl } from '../platform.ts';
import { Coverage } from './coverage.ts';
import { readXCursor } from './cursor.ts';
import type { StreamOpener } from './open-stream.ts';
import type { Quota } from './quota.ts';
import type { ConnectionRecorder } from './read-connection.ts';
import { createInboxReader, type InboxReader } from './read-inbox.ts';
import { type Push, stateTeller, type Tell } from './reconnect-loop.ts';
import { createBackOff, type DisconnectReason } from './reconnect-policy.ts';
import { ArrivalRecorder, type RecorderParts } from './record-arrivals.ts';
import { type WebhookCalls, WebhookRefusal } from './webhook-calls.ts';
import type { Inbox } from './webhook-endpoint.ts';
import { createReplays, recoverDeliveries } from './webhook-replay.ts';

const CHECK_MS = 20_000;

export interface WebhookParts extends RecorderParts {
  readonly random: () => number;
  /** For what X did not try to deliver. */
  readonly openStream: StreamOpener;
  readonly quota: Quota;
  readonly calls: WebhookCalls;
  readonly inbox: Inbox;
  /** Wakes the reader of the inbox. */
  readonly wakeUp: WakeUp;
  readonly flush: () => Promise<void>;
}

/** Runs until the signal aborts. `taken` resolves when the consumer has taken what was pushed. */
export async function runWebhookLoop(
  parts: WebhookParts,
  control: StreamControl,
  push: Push,
  taken: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { signal } = control;
  const tell = stateTeller(push);
  tell('connecting');
  // Before there is a rule there is nothing to miss.
  await Promise.race([control.rulesHeld(), aborted(signal)]);
  if (signal.aborted) return;
  const loop = new WebhookLoop(parts, control, { push, tell, taken });
  const reading = loop.inbox.run();
  while (!signal.aborted) {
    const reason = await loop.follow();
    if (reason !== undefined) await loop.waitAfter(reason);
  }
  await Promise.all([reading, loop.recovering]);
}

interface Outputs {
  readonly push: Push;
  readonly tell: Tell;
  readonly taken: (signal: AbortSignal) => Promise<void>;
}

class WebhookLoop {
  readonly inbox: InboxReader;
  recovering: Promise<void> | undefined;
  readonly #parts: WebhookParts;
  readonly #signal: AbortSignal;
  readonly #tell: Tell;
  readonly #coverage: Coverage;
  readonly #recorder: ArrivalRecorder;
  readonly #replays;
  readonly #backOff;
  #webhookId: string | undefined;
  /** Set while it is live: takes the checks as a connection takes heartbeats. */
  #live: ConnectionRecorder | undefined;
  #wasLive: boolean;
  /** It brought nothing although posts were expected: it is linked anew. */
  #isRelinked = false;

  constructor(parts: WebhookParts, control: StreamControl, { push, tell, taken }: Outputs) {
    this.#parts = parts;
    this.#signal = control.signal;
    this.#tell = tell;
    this.#backOff = createBackOff(parts.random);
    this.#replays = createReplays(parts.clock);
    const start = readXCursor(control.committed());
    this.#wasLive = start !== undefined;
    this.#coverage = new Coverage({ ...parts, replay: true, start, push });
    this.#recorder = new ArrivalRecorder(parts, this.#coverage, push);
    this.inbox = createInboxReader({
      ...parts,
      coverage: this.#coverage,
      recorder: this.#recorder,
      committed: () => control.committed(),
      taken,
      onReplayed: (jobId, isWhole) => this.#replays.note(jobId, isWhole),
      signal: control.signal,
    });
  }

  /** Checks until one fails: returns why; undefined when we stop. */
  async follow(): Promise<DisconnectReason | undefined> {
    const { clock } = this.#parts;
    while (!this.#signal.aborted) {
      const began = clock.elapsed();
      const reason = await this.#check(began);
      if (this.#signal.aborted) return undefined;
      if (reason !== undefined) return this.#end(reason);
      await clock.sleep(CHECK_MS, this.#signal);
    }
    return undefined;
  }

  async waitAfter(reason: DisconnectReason): Promise<void> {
    const { wait, degraded } = this.#backOff.after(reason);
    this.#tell(degraded ? 'degraded' : reason === 'suspect' ? 'stalled' : 'connecting', reason);
    await this.#parts.clock.sleep(wait, this.#signal);
  }

  async #check(began: number): Promise<DisconnectReason | undefined> {
    const { clock, log, count } = this.#parts;
    try {
      await this.#ensure();
      // Entries that came before the check are handed on before the mark that covers them.
      await this.inbox.drain();
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      const reason = error instanceof WebhookRefusal ? error.reason : 'server';
      count('refused');
      log.warn({ platform: 'x', reason, err: error }, 'the webhook at X is not known to be well');
      return reason;
    }
    this.#live ??= this.#open();
    const reason = this.#live.heartbeat(clock.elapsed() - began);
    if (reason === undefined && this.#coverage.toRecover() !== undefined) this.recovering ??= this.#recover();
    return reason;
  }

  /** Throws if the webhook is not registered, valid and linked in the end. */
  async #ensure(): Promise<void> {
    const { calls } = this.#parts;
    const held = await calls.find();
    const id = held?.id ?? (await calls.create().catch(asChallenge));
    this.#webhookId = id;
    const linked = await calls.linked(id);
    const why = held === undefined ? 'unregistered' : held.isValid ? 'unlinked' : 'invalid';
    if (linked !== 'yes' || why !== 'unlinked') this.#stopped(why);
    if (linked === 'other' || this.#isRelinked) await calls.unlink(id);
    if (linked !== 'yes' || this.#isRelinked) await calls.link(id);
    this.#isRelinked = false;
    await calls.challenge(id).catch(asChallenge);
    if ((await calls.find())?.isValid !== true)
      throw new WebhookRefusal('challenge', 'X did not get the right answer from the webhook.');
  }

  /** X had stopped to deliver since the last check. */
  #stopped(cause: string): void {
    if (!this.#wasLive) return;
    if (this.#live !== undefined) this.#parts.count('disconnect');
    this.#live = undefined;
    this.#coverage.lost(cause);
    this.#coverage.relabel(cause);
  }

  #open(): ConnectionRecorder {
    const { clock, count } = this.#parts;
    count('connect');
    const opened = clock.now();
    const goOn = () => {
      this.#tell('live');
      this.recovering ??= this.#recover();
    };
    if (this.#recorder.isDoubted) {
      this.#coverage.doubtful(opened);
      this.#tell('stalled', 'suspect');
    } else {
      this.#coverage.live(opened);
      goOn();
    }
    this.#wasLive = true;
    this.#backOff.reset();
    return this.#recorder.live(opened, goOn);
  }

  #end(reason: DisconnectReason): DisconnectReason {
    const { count, log } = this.#parts;
    if (this.#live !== undefined) {
      count('disconnect');
      if (reason === 'suspect') count('suspect');
      log.warn({ platform: 'x', reason }, 'the webhook at X is not well');
    }
    this.#live = undefined;
    this.#coverage.lost(reason, reason === 'suspect' ? this.#recorder.heardUntil : undefined);
    if (reason === 'challenge') this.#coverage.relabel(reason);
    this.#isRelinked = reason === 'suspect';
    return reason;
  }

  async #recover(): Promise<void> {
    try {
      await recoverDeliveries({
        ...this.#parts,
        coverage: this.#coverage,
        recorder: this.#recorder.replay,
        skew: () => this.#parts.calls.skew,
        signal: this.#signal,
        webhookId: () => this.#webhookId,
        replays: this.#replays,
        drain: () => this.inbox.drain(),
      });
    } catch (error) {
      this.#parts.log.error({ platform: 'x', err: error }, 'missing posts of X could not be fetched');
    }
    this.recovering = undefined;
  }
}

/** X refuses a webhook whose endpoint does not answer its challenge as a bad request. */
function asChallenge(error: unknown): never {
  if (error instanceof WebhookRefusal && error.reason === 'request')
    throw new WebhookRefusal('challenge', error.message);
  throw error;
}
