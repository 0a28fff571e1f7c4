/**
 * What the first events of a connection say about its replay: whether it is over, and whether it reached back as far as
 * it had to. Everything here is pure.
 */
import { FIREHOSE_DELAY_MS, type Resume, type Step, type StreamPosition } from './stream-position.ts';
import type { Update } from './wire.ts';

const MINUTE_MS = 60_000;
/** Every plan keeps at least this much for a replay by time. */
const SURE_MINUTES = 60;
/** How exactly two clocks are compared: the Date header has whole seconds. */
const CLOCKS_MS = 2_000;

export interface Replay {
  /** How far back the connection was asked to begin. */
  readonly resume: Resume;
  /** When the connection was opened, by Firehose's clock, in whole seconds; undefined if Firehose does not say. */
  readonly date: number | undefined;
  /** How many milliseconds our clock is ahead of Firehose's. */
  readonly skew: number;
}

type Matched = Pick<Update, 'matchedAt'>;

/** True if the event was matched after we connected, so that the replay is over. */
export const isNew = ({ date }: Replay, { matchedAt }: Matched): boolean =>
  matchedAt !== undefined && date !== undefined && matchedAt >= date + 1_000;

/** True if a replay by time goes back behind the last event that we know: then it has to begin with what we know. */
export function mustOverlap({ resume, date }: Replay, { latest }: Pick<StreamPosition, 'latest'>): boolean {
  if (resume.kind !== 'since' || date === undefined || latest === undefined) return false;
  return latest > date - resume.minutes * MINUTE_MS + FIREHOSE_DELAY_MS;
}

/**
 * True if the first event shows that Firehose cut the replay short: it is unknown although the replay must overlap, or a
 * long replay after a gap begins later than our position.
 */
export function isCutShort(
  replay: Replay,
  { position, isInGap }: { readonly position: StreamPosition; readonly isInGap: boolean },
  update: Matched,
  step: Pick<Step, 'isKnown' | 'isNewEpoch'> | undefined,
): boolean {
  const { resume, skew } = replay;
  if (resume.kind !== 'since' || step?.isKnown === true || step?.isNewEpoch === true) return false;
  if (mustOverlap(replay, position)) return true;
  const isLong = resume.minutes > SURE_MINUTES && isInGap && !isNew(replay, update);
  return isLong && update.matchedAt !== undefined && update.matchedAt + skew > position.through + CLOCKS_MS;
}

/** Up to when a replay has come, by our clock, with the event that was read at `at`. */
export function replayedThrough({ skew }: Replay, through: number, { matchedAt }: Matched, at: Date): number {
  const matched = matchedAt === undefined ? 0 : matchedAt + skew;
  return Math.min(Math.max(matched, through), at.getTime());
}
