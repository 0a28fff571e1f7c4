/**
 * The gaps of one source. One opens when the source is not well, some seconds before what it is known to have brought:
 * what was on the way then is missing too. It closes when the source is well again; as recovered only after the source
 * has brought everything up to then.
 */
import type { Clock } from '../../base/clock.ts';
import type { Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import { LEAD_MS } from '../../sources/contract/source.ts';
import type { SourceFigures } from '../../sources/source-status.ts';

export interface SourceGaps {
  /** The gap as it is to be stored now; undefined when nothing changes. */
  next(figures: Pick<SourceFigures, 'state' | 'through' | 'hasLost'>): Gap | undefined;
}

interface SourceGapsOptions {
  readonly platform: Platform;
  readonly source: string;
  readonly clock: Pick<Clock, 'now'>;
  /** How many milliseconds of a break the source can fetch afterwards. */
  readonly replaysMs: number;
  /** Up to when it was complete in an earlier run. */
  readonly through: Date | undefined;
  /** The gap that an earlier run left open. */
  readonly open: Gap | undefined;
}

export function createSourceGaps(options: SourceGapsOptions): SourceGaps {
  const { platform, source, clock, replaysMs } = options;
  let { open, through } = options;
  /** When the source was well again; the gap is not closed yet. */
  let wellAt: Date | undefined;

  function begin(cause: string): Gap {
    const at = through ?? clock.now();
    open = { platform, source, from: new Date(at.getTime() - LEAD_MS), to: undefined, cause, recovered: false };
    return open;
  }

  function end(gap: Gap, to: Date, recovered: boolean): Gap {
    [open, wellAt] = [undefined, undefined];
    return { ...gap, to, recovered };
  }

  return {
    next(figures) {
      through = figures.through ?? through;
      const cause = causeOf(source, figures.state);
      if (cause !== undefined) {
        wellAt = undefined;
        // Before it first brought something there was nothing to miss.
        const isNew = figures.state === 'starting' && through === undefined;
        return open === undefined && !isNew ? begin(cause) : undefined;
      }
      if (open === undefined) return undefined;
      wellAt ??= clock.now();
      const isTooOld = wellAt.getTime() - open.from.getTime() > replaysMs;
      if (figures.hasLost || isTooOld) return end(open, wellAt, false);
      return through !== undefined && through >= wellAt ? end(open, wellAt, true) : undefined;
    },
  };
}

const CAUSES: Readonly<Record<SourceFigures['state'], string | undefined>> = {
  starting: 'source_down',
  waiting: 'source_down',
  silent: 'source_silent',
  blind: 'source_blind',
  live: undefined,
  ended: undefined,
};

const causeOf = (source: string, state: SourceFigures['state']): string | undefined =>
  CAUSES[state] && `${CAUSES[state]}:${source}`;
