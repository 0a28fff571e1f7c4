/**
 * A figure that costs a question to the store or the broker. It is asked for at most every ten seconds, however often it
 * is read, and a reader waits two seconds at most: without a fresh answer the figure is not known.
 */
import type { Clock } from '../../base/clock.ts';

const KEPT_MS = 10_000;
const PATIENCE_MS = 2_000;

export function sampled<Figure>(read: () => Promise<Figure>, clock: Clock): () => Promise<Figure | undefined> {
  let known: { readonly figure: Figure; readonly at: number } | undefined;
  let asking: Promise<Figure | undefined> | undefined;

  async function ask(): Promise<Figure | undefined> {
    const at = clock.elapsed();
    try {
      const figure = await read();
      known = { figure, at };
      return figure;
    } catch {
      return undefined;
    } finally {
      asking = undefined;
    }
  }
  return async () => {
    if (known !== undefined && clock.elapsed() - known.at < KEPT_MS) return known.figure;
    const patience = new AbortController();
    asking ??= ask();
    try {
      return await Promise.race([asking, clock.sleep(PATIENCE_MS, patience.signal).then(() => undefined)]);
    } finally {
      patience.abort();
    }
  };
}
