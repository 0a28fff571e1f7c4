/**
 * The gaps of one stream. A connector knows those of its own lifetime; what an earlier run left open is closed here:
 * within the gap that the new run finds, or, when it resumes without one, as recovered.
 */
import type { Gap } from '../domain/gap.ts';

export interface OpenGaps {
  /** A gap as the connector tells it: all that is to be written, and whether it is a new one. */
  take(gap: Gap): { readonly gaps: readonly Gap[]; readonly isNew: boolean };
  /** The stream is whole at this time: what an earlier run left open, and no new gap covers, is recovered. */
  whole(at: Date): readonly Gap[];
}

export function createOpenGaps(left: readonly Gap[]): OpenGaps {
  /** Those of an earlier run, by their start. */
  let earlier = left.filter(({ to }) => to === undefined);
  const known = new Set(earlier.map(({ from }) => from.getTime()));
  return {
    take(gap) {
      const isNew = !known.has(gap.from.getTime());
      known.add(gap.from.getTime());
      const { to, recovered } = gap;
      const others = earlier.filter(({ from }) => from.getTime() !== gap.from.getTime());
      if (to === undefined) {
        earlier = others;
        return { gaps: [gap], isNew };
      }
      earlier = others.filter(({ from }) => from < gap.from || from > to);
      const closed = others.filter((one) => !earlier.includes(one)).map((one) => ({ ...one, to, recovered }));
      return { gaps: [gap, ...closed], isNew };
    },
    whole(at) {
      const closed = earlier.map((gap) => ({ ...gap, to: at > gap.from ? at : gap.from, recovered: true }));
      earlier = [];
      return closed;
    },
  };
}
