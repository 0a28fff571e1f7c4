/**
 * Frames that one subscriber read while catching up, for others that catch up through the same place. Subscribers that
 * lost their connections together come back together, so each frame is read once, encoded once and in memory once. The
 * cache answers which frame follows a position under a filter.
 */
import { createLru } from '../../base/lru.ts';

export interface NextFrame {
  readonly position: number;
  readonly bytes: Buffer;
}

export interface FrameCache {
  next(filterKey: string, after: number): NextFrame | undefined;
  put(filterKey: string, after: number, frame: NextFrame): void;
  /** Called when a match was deleted: any frame may hold it. */
  clear(): void;
}

const MOST_BYTES = 4 * 1024 * 1024;

export function createFrameCache(): FrameCache {
  const frames = createLru<string, NextFrame>({ limit: MOST_BYTES, weightOf: ({ bytes }) => bytes.length });
  return {
    next: (filterKey, after) => frames.get(`${after} ${filterKey}`),
    put: (filterKey, after, frame) => frames.set(`${after} ${filterKey}`, frame),
    clear: () => frames.clear(),
  };
}
