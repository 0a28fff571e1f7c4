/**
 * What was read for somebody who catches up, for others who come to the same place. Those who lost their connections
 * together come back together: what they are to hear is then read once, encoded once, and in memory once. It holds
 * which frame comes next after a position, for each thing that subscribers want.
 */
export interface NextFrame {
  readonly position: number;
  readonly bytes: Buffer;
}

export interface FrameCache {
  next(wants: string, after: number): NextFrame | undefined;
  put(wants: string, after: number, frame: NextFrame): void;
  /** Something was deleted. */
  clear(): void;
}

const MOST_BYTES = 4 * 1024 * 1024;

export function createFrameCache(): FrameCache {
  const frames = new Map<string, NextFrame>();
  let held = 0;
  return {
    next: (wants, after) => frames.get(`${after} ${wants}`),
    put(wants, after, frame) {
      const key = `${after} ${wants}`;
      held += frame.bytes.length - (frames.get(key)?.bytes.length ?? 0);
      frames.set(key, frame);
      // The oldest go first.
      for (const [oldest, { bytes }] of frames) {
        if (held <= MOST_BYTES) break;
        frames.delete(oldest);
        held -= bytes.length;
      }
    },
    clear() {
      frames.clear();
      held = 0;
    },
  };
}
