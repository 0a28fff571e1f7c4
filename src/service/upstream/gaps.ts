/**
 * The gaps of one stream. A connector knows those of its own lifetime; what an earlier run left open is closed here:
 * with the gap that the new run finds in its place, or, where nobody speaks of it any more, at the time the stream was
 * live again. It is never taken for recovered.
 */
import type { Gap } from '../../domain/gap.ts';

/** A connector that still fetches what is missing has this long to say so. */
const SPEAK_WITHIN_MS = 60_000;

export interface OpenGaps {
  /** A gap as the connector tells it: all that is to be written, and whether it is a new one. */
  take(gap: Gap): { readonly gaps: readonly Gap[]; readonly isNew: boolean };
  live(at: Date): void;
  /** The stream is whole at this time: what is to be closed. */
  whole(at: Date): readonly Gap[];
}

export function createOpenGaps(left: readonly Gap[]): OpenGaps {
  /** Those of an earlier run. */
  let earlier = left.filter(({ to }) => to === undefined);
  let liveAt: Date | undefined;
  const known = new Set(left.map(({ from }) => from.getTime()));

  return {
    take(gap) {
      const isNew = !known.has(gap.from.getTime());
      known.add(gap.from.getTime());
      earlier = earlier.filter(({ from }) => from.getTime() !== gap.from.getTime());
      const { from: begin, to, recovered } = gap;
      if (to === undefined) return { gaps: [gap], isNew };
      const inside = earlier.filter(({ from }) => from > begin && from <= to);
      earlier = earlier.filter((one) => !inside.includes(one));
      return { gaps: [gap, ...inside.map((one) => ({ ...one, to, recovered }))], isNew };
    },
    live(at) {
      liveAt ??= at;
    },
    whole(at) {
      if (earlier.length === 0 || liveAt === undefined) return [];
      if (at.getTime() - liveAt.getTime() < SPEAK_WITHIN_MS) return [];
      const end = liveAt;
      const closed = earlier.map((gap) => ({ ...gap, to: end > gap.from ? end : gap.from }));
      earlier = [];
      return closed;
    },
  };
}
