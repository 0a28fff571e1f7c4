/** The filter in the address, and the requests for feed and chart that follow from it. */
import type { FeedFilter } from '../data/feed.ts';
import type { CountsInput, Platform } from '../data/queries.ts';

export interface MatchesSearch {
  readonly rule?: string;
  readonly platform?: string;
  readonly text?: string;
  /** A time, or the name of a span that ends now. */
  readonly since?: string;
  readonly until?: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Span {
  readonly label: string;
  readonly milliseconds: number;
}

export const SPANS: Readonly<Record<string, Span>> = {
  '15m': { label: 'Last 15 minutes', milliseconds: 15 * MINUTE },
  '1h': { label: 'Last hour', milliseconds: HOUR },
  '24h': { label: 'Last 24 hours', milliseconds: DAY },
  '7d': { label: 'Last 7 days', milliseconds: 7 * DAY },
};

export const platformOf = (name: string | undefined): Platform | undefined =>
  name === 'x' || name === 'firehose' ? name : undefined;

export function feedFilter(search: MatchesSearch, now: number): FeedFilter {
  const platform = platformOf(search.platform);
  const since = startOf(search, now);
  const until = momentOf(search.until);
  return {
    ...(search.rule !== undefined && { rule_id: search.rule }),
    ...(platform !== undefined && { platform }),
    // The server accepts up to 200 characters.
    ...(search.text !== undefined && { text: search.text.slice(0, 200) }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  };
}

/** The finest interval that keeps the columns distinguishable. */
export function countsInput(search: MatchesSearch, now: number): CountsInput {
  const platform = platformOf(search.platform);
  const to = momentOf(search.until) ?? now;
  const from = startOf(search, now) ?? to - DAY;
  const interval = to - from <= 2 * HOUR ? 'minute' : to - from <= 8 * DAY ? 'hour' : 'day';
  const isOpen = search.until === undefined;
  return {
    ...(search.rule !== undefined && { rule_id: search.rule }),
    ...(platform !== undefined && { platform }),
    interval,
    from: new Date(from).toISOString(),
    ...(!isOpen && { to: new Date(to).toISOString() }),
  };
}

function startOf({ since }: MatchesSearch, now: number): number | undefined {
  const span = since === undefined ? undefined : SPANS[since];
  return span === undefined ? momentOf(since) : now - span.milliseconds;
}

function momentOf(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
