/** Takes the wakes of an agent one after the other: each is run until a run succeeds, then acknowledged. */
import type { Clock } from '../../base/clock.ts';

export interface AskedWake {
  readonly id: string;
  readonly text: string;
}

export interface WakeEnds {
  /** The open wake, waiting for one if need be; null when there is none yet. */
  next(signal: AbortSignal): Promise<AskedWake | null>;
  acknowledge(id: string): Promise<void>;
  /** Begins a turn with the wake, unless that turn was made already. True when it was made. */
  run(wake: AskedWake, signal: AbortSignal): Promise<boolean>;
  /** The wake is acknowledged: what was kept of its turn may go. */
  forget(id: string): void;
  readonly clock: Pick<Clock, 'sleep'>;
  /** For people. */
  complain(message: string): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Runs until the signal aborts. A server that does not answer, and a turn that fails, are tried again after a pause. */
export async function followWakes(ends: WakeEnds, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const problem = await takeOne(ends, signal).catch((error: Error) => error.message);
    if (signal.aborted) return;
    failures = problem === undefined ? 0 : failures + 1;
    if (problem === undefined) continue;
    ends.complain(problem);
    await ends.clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS), signal);
  }
}

/** Answers the problem; undefined when there was none. */
export async function takeOne(ends: WakeEnds, signal: AbortSignal): Promise<string | undefined> {
  const wake = await ends.next(signal);
  if (wake === null || signal.aborted) return undefined;
  if (!(await ends.run(wake, signal))) return `The command failed for ${wake.id}. It is run again.`;
  await ends.acknowledge(wake.id);
  ends.forget(wake.id);
  return undefined;
}
