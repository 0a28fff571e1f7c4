/** Cuts frames into pieces, each of which is written to a subscriber in one go. */
import type { LiveFrame } from './ring.ts';

const CHUNK_BYTES = 32 * 1024;

export function* chunksOf(frames: readonly LiveFrame[], most = CHUNK_BYTES): Iterable<LiveFrame[]> {
  let chunk: LiveFrame[] = [];
  let bytes = 0;
  for (const frame of frames) {
    if (chunk.length > 0 && bytes + frame.bytes.length > most) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(frame);
    bytes += frame.bytes.length;
  }
  if (chunk.length > 0) yield chunk;
}

export const joinFrames = (frames: readonly LiveFrame[]): Buffer =>
  frames.length === 1 ? frames[0]!.bytes : Buffer.concat(frames.map(({ bytes }) => bytes));
