/**
 * Why an answer may lack matches, as stable codes. A reason about a source ends with its name, as in `source_down:news`.
 * docs/coverage.md lists all of them.
 */
import type { Feed } from '../../domain/feed.ts';

export const REASONS = {
  no_feed: 'Nothing feeds the platform: it has no source, and nothing was pushed for an hour.',
  demo: 'Only the demo feeds the platform. Its posts and pages are invented.',
  source_down: 'A source cannot be reached.',
  source_silent: 'A source is connected, and nothing comes from it.',
  source_blind: 'What a source sends cannot be read, or some of its addresses cannot be.',
  stream_down: "The upstream's stream is not connected.",
  token_refused: 'The upstream refuses the token.',
  over_limit: 'A limit of the upstream is reached: of rules, of requests or of posts.',
  registration_missing: 'The upstream does not hold a rule that it should hold. It is being registered again.',
  rule_refused: 'The upstream refuses the text of a rule.',
  budget_spent: "The account's budget of this month is spent, so its rules rest.",
  paused: 'The rule is paused.',
  gap: 'Events are missing from a part of the time; `gaps` says from which.',
  not_started: 'Sluice has not listened for all of the time that was asked about.',
  node_behind: 'This node does not know all rules yet, or cannot follow the other nodes.',
  not_stored: 'The store takes nothing at the moment, so events wait or are refused.',
} as const satisfies Record<string, string>;

export type ReasonCode = keyof typeof REASONS;

/** A feed that was reported longer ago is not known to work. It is reported three times as often. */
export const FRESH_MS = 15_000;
/** Pushes are a feed that nobody vouches for: after an hour without one, nothing feeds the platform. */
export const PUSH_SILENCE_MS = 3_600_000;

export const isFresh = ({ at }: Feed, now: Date): boolean => now.getTime() - at.getTime() <= FRESH_MS;

const SOURCE_REASONS: Readonly<Record<string, ReasonCode | undefined>> = {
  live: undefined,
  silent: 'source_silent',
  blind: 'source_blind',
};

/** Why a source may have missed something; undefined when it is well. */
export function sourceReason(source: Feed, now: Date): string | undefined {
  if (!isFresh(source, now)) return `source_down:${source.name}`;
  const isKnown = Object.hasOwn(SOURCE_REASONS, source.state);
  const code = isKnown ? SOURCE_REASONS[source.state] : 'source_down';
  return code && `${code}:${source.name}`;
}

/** The reasons that connectors give for a stream that is not live, where they mean more than that it is down. */
const STREAM_REASONS: ReadonlyMap<string | undefined, ReasonCode> = new Map([
  ['auth', 'token_refused'],
  ['rate', 'over_limit'],
  ['connections', 'over_limit'],
  ['forced', 'over_limit'],
  ['quota', 'over_limit'],
  ['billing', 'over_limit'],
]);

export function streamReason(stream: Feed | undefined, now: Date): ReasonCode | undefined {
  if (stream === undefined || !isFresh(stream, now)) return 'stream_down';
  if (stream.state === 'live') return undefined;
  return STREAM_REASONS.get(stream.reason) ?? 'stream_down';
}

/** The reason that the cause of a gap names, if it names one: causes of streams are words of their own. */
export function gapReason(cause: string): string | undefined {
  const code = cause.split(':', 1)[0]!;
  return Object.hasOwn(REASONS, code) ? cause : undefined;
}
