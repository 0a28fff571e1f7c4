/** Which reason the state of a feed, or the cause of a gap, is. */
import { COVERAGE_REASONS, type CoverageReason } from '../../domain/coverage-reasons.ts';
import type { FeedState } from '../../domain/feed.ts';

/** A feed that was reported longer ago is not known to work. It is reported three times as often. */
export const FRESH_MS = 15_000;
/** Pushes are a feed that nobody vouches for: after an hour without one, nothing feeds the platform. */
export const PUSH_SILENCE_MS = 3_600_000;

export const isFresh = ({ at }: FeedState, now: Date): boolean => now.getTime() - at.getTime() <= FRESH_MS;

const SOURCE_REASONS: Readonly<Record<string, CoverageReason | undefined>> = {
  live: undefined,
  silent: 'source_silent',
  blind: 'source_blind',
};

/** Why a source may have missed something; undefined when it is well. */
export function sourceReason(source: FeedState, now: Date): string | undefined {
  if (!isFresh(source, now)) return `source_down:${source.name}`;
  const isKnown = Object.hasOwn(SOURCE_REASONS, source.state);
  const code = isKnown ? SOURCE_REASONS[source.state] : 'source_down';
  return code && `${code}:${source.name}`;
}

/** The reasons that connectors give for a stream that is not live, where they mean more than that it is down. */
const STREAM_REASONS: ReadonlyMap<string | undefined, CoverageReason> = new Map([
  ['auth', 'token_refused'],
  ['rate', 'over_limit'],
  ['connections', 'over_limit'],
  ['forced', 'over_limit'],
  ['quota', 'over_limit'],
  ['billing', 'over_limit'],
]);

export function streamReason(stream: FeedState | undefined, now: Date): CoverageReason | undefined {
  if (stream === undefined || !isFresh(stream, now)) return 'stream_down';
  if (stream.state === 'live') return undefined;
  return STREAM_REASONS.get(stream.reason) ?? 'stream_down';
}

/** The reason that the cause of a gap names, if it names one: causes of streams are words of their own. */
export function gapReason(cause: string): string | undefined {
  const code = cause.split(':', 1)[0]!;
  return Object.hasOwn(COVERAGE_REASONS, code) ? cause : undefined;
}
