/** An attempt that has to end: in time, and when the process stops. */
import type { Clock } from '../../base/clock.ts';
import type { Sent } from './outcome.ts';
import { failedToSend } from './transport.ts';

/** The signal aborts as soon as nothing waits for the attempt any more. */
export async function withinTime(
  clock: Clock,
  milliseconds: number,
  stopping: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<Sent>,
): Promise<Sent> {
  const ended = new AbortController();
  const late = clock
    .sleep(milliseconds, ended.signal)
    .then(() => failedToSend(`The receiver took longer than ${milliseconds / 1_000} seconds.`, { overloaded: true }));
  const stopped = new Promise<Sent>((resolve) => {
    const stop = () => resolve(failedToSend('The attempt was aborted.'));
    if (stopping.aborted) stop();
    else stopping.addEventListener('abort', stop, { once: true, signal: ended.signal });
  });
  const sent = await Promise.race([attempt(ended.signal), late, stopped]);
  ended.abort();
  return sent;
}
