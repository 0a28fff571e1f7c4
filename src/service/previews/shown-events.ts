/** The room that an answer has for the events it shows, whose payloads may have a megabyte each. */
import type { Payload } from '../../domain/match.ts';

/**
 * The room of all lists of one answer together. A megabyte of JSON is written within some ten milliseconds, in one go.
 */
export const SHOWN_BYTES = 1024 * 1024;

export interface ShownEvents {
  /** Whether another event is shown. The last one may go beyond the room, so that one event always has its place. */
  hasRoom(): boolean;
  add(payload: Payload): void;
}

export function createShownEvents(): ShownEvents {
  let left = SHOWN_BYTES;
  return {
    hasRoom: () => left > 0,
    add(payload) {
      left -= Buffer.byteLength(JSON.stringify(payload));
    },
  };
}
