/**
 * Frames that were made for somebody who catches up. Those who lost their connections together come back together and
 * read the same matches; what waits for thousands of them is then in memory once.
 */
export interface FrameCache {
  of(position: number, make: () => Buffer): Buffer;
  clear(): void;
}

const MOST_BYTES = 4 * 1024 * 1024;

export function createFrameCache(): FrameCache {
  const frames = new Map<number, Buffer>();
  let bytes = 0;
  return {
    of(position, make) {
      const found = frames.get(position);
      if (found !== undefined) return found;
      const frame = make();
      frames.set(position, frame);
      bytes += frame.length;
      // The oldest go first.
      for (const [oldest, { length }] of frames) {
        if (bytes <= MOST_BYTES) break;
        frames.delete(oldest);
        bytes -= length;
      }
      return frame;
    },
    clear() {
      frames.clear();
      bytes = 0;
    },
  };
}
