/**
 * How far an answer about one platform can be relied on, from what is known: its feeds, and the gaps that were not
 * recovered. Nothing that is unknown counts as complete. Pure.
 */
import { COVERAGE_REASONS, type CoverageReason, type FeedState, type Gap } from '../../domain/coverage.ts';
import type { OwnFeed } from '../../store/store.ts';

/** A gap may be stored with an end that is near: a rule that is registered again works after 20 seconds. */
const END_AHEAD_MS = 60_000;

export interface AskedSpan {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

export interface Facts {
  readonly now: Date;
  readonly shape: 'local' | 'upstream';
  /** Without a rule that uses an upstream, nothing of it can be missing. */
  readonly hasRules: boolean;
  readonly feeds: readonly FeedState[];
  /** The sources of the account that asks, together. */
  readonly own?: OwnFeed | undefined;
  /** Up to when the stream of an upstream is complete. */
  readonly streamThrough: Date | undefined;
  /** The gaps within the span that were not recovered. */
  readonly missing: readonly Gap[];
  /** The troubles of this node, or of the rule that was asked about. */
  readonly troubles: readonly CoverageReason[];
  /** The rule exists since then. */
  readonly ruleSince?: Date;
}

export interface Assessment {
  readonly complete: boolean;
  /** When Sluice began to listen; undefined when it does not listen. */
  readonly from: Date | undefined;
  /** The answer is complete up to this time, except within gaps; undefined when nothing is known. */
  readonly through: Date | undefined;
  readonly reasons: readonly string[];
}

/** The state that the feeds themselves report. */
interface Listening {
  readonly from: Date | undefined;
  readonly through: Date | undefined;
  readonly reasons: readonly string[];
}

export function assess(facts: Facts, { since, until }: AskedSpan = {}): Assessment {
  const { now, missing, troubles, ruleSince } = facts;
  const listening = facts.shape === 'upstream' ? upstreamListening(facts) : localListening(facts);
  const open = missing.filter((gap) => isOpen(gap, now));
  // A clock that was set back leaves times ahead of now in the store: nothing is known of the future.
  const ends = [listening.through, ...open.map((gap) => gap.from)];
  const through = earliest(ends.map((end) => end && (end > now ? now : end)));
  const began =
    ruleSince === undefined || listening.from === undefined ? listening.from : latest([listening.from, ruleSince]);
  const from = began !== undefined && began > now ? through : began;
  // A trouble of now says nothing of a time that is known to be complete.
  const isPast = until !== undefined && through !== undefined && until <= through;
  const ofNow = [...listening.reasons, ...troubles, ...open.flatMap(({ cause }) => gapReason(cause) ?? [])];
  const reasons = new Set(isPast ? [] : ofNow);
  if (missing.length > 0) reasons.add('gap');
  const isEarly = since !== undefined && from !== undefined && since < from;
  // Connected, and nothing has shown yet that anything comes, or that anything came since the rule exists.
  const isUnheard = through === undefined || (from !== undefined && from > through);
  if (isEarly || (isUnheard && reasons.size === 0)) reasons.add('not_started');
  return { complete: reasons.size === 0, from, through, reasons: [...reasons] };
}

/** An end that is further ahead was stored before the clock was set back. */
const isOpen = ({ to }: Gap, now: Date): boolean =>
  to === undefined || (to > now && to.getTime() - now.getTime() <= END_AHEAD_MS);

function upstreamListening({ now, hasRules, feeds, streamThrough }: Facts): Listening {
  const stream = feeds.find(({ kind }) => kind === 'stream');
  if (!hasRules) return { from: stream?.since, through: now, reasons: [] };
  const reason = streamReason(stream, now);
  return { from: stream?.since, through: streamThrough, reasons: reason === undefined ? [] : [reason] };
}

/** Every source must be well. Without sources, pushes are the feed; without both, there is none, or only the demo. */
function localListening({ now, feeds, own }: Facts): Listening {
  const sources = feeds.filter(({ kind }) => kind === 'source');
  const running = sources.filter(({ state }) => state !== 'ended');
  const read = own === undefined ? running : [...running, own];
  if (read.length > 0) {
    const reasons = running.flatMap((source) => sourceReason(source, now) ?? []);
    return {
      from: earliest(read.map(({ since }) => since)),
      through: earliest(read.map(({ through }) => through)),
      reasons: own?.late === undefined ? reasons : [...reasons, `source_down:${own.late}`],
    };
  }
  const past = [...sources, ...feeds.filter(({ kind }) => kind === 'push')];
  const through = latest(past.flatMap((feed) => feed.through ?? []));
  const isPushed = feeds.some(
    (feed) => feed.kind === 'push' && now.getTime() - (feed.through?.getTime() ?? 0) <= PUSH_SILENCE_MS,
  );
  const hasDemo = feeds.some((feed) => feed.kind === 'demo' && feed.state === 'live' && isFresh(feed, now));
  const reasons = isPushed ? [] : [hasDemo ? 'demo' : 'no_feed'];
  return { from: past.length === 0 ? undefined : earliest(past.map(({ since }) => since)), through, reasons };
}

/** Returns undefined when one of the times is: a time that is not known is not complete. */
export function earliest(times: readonly (Date | undefined)[]): Date | undefined {
  let least: Date | undefined;
  for (const time of times) {
    if (time === undefined) return undefined;
    if (least === undefined || time < least) least = time;
  }
  return least;
}

export const latest = (times: readonly Date[]): Date | undefined =>
  times.length === 0 ? undefined : new Date(Math.max(...times.map((time) => time.getTime())));

// Which reason the state of a feed, or the cause of a gap, is.

/** A feed that was reported longer ago is not known to work. It is reported three times as often. */
const FRESH_MS = 15_000;
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
