/**
 * The gaps of one stream. A connector knows those of its own run. A gap that an earlier run left open is closed here: by
 * the gap that the new run reports in its place, or, when none is reported, at the time the stream was live again. It
 * then counts as not recovered.
 */
import type { Gap } from '../../domain/coverage.ts';

/** A connector that still fetches what is missing has this long after `live` to report it. */
const REPORT_WITHIN_MS = 60_000;

export interface OpenGaps {
  /** A gap that the connector reports: returns all gaps to be stored, and whether this one is new. */
  merge(gap: Gap): { readonly gaps: readonly Gap[]; readonly isNew: boolean };
  live(at: Date): void;
  /** The stream is complete at this time: returns the gaps that close with it. */
  whole(at: Date): readonly Gap[];
}

export function createOpenGaps(left: readonly Gap[]): OpenGaps {
  /** Gaps that an earlier run left open. */
  let earlier = left.filter(({ to }) => to === undefined);
  let liveAt: Date | undefined;
  const known = new Set(left.map(({ from }) => from.getTime()));

  return {
    merge(gap) {
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
      if (at.getTime() - liveAt.getTime() < REPORT_WITHIN_MS) return [];
      const end = liveAt;
      const closed = earlier.map((gap) => ({ ...gap, to: end > gap.from ? end : gap.from }));
      earlier = [];
      return closed;
    },
  };
}
