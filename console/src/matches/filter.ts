/** The filter in the address, and the requests for feed and chart that follow from it. */
import type { FeedFilter } from '../data/feed-filter.ts';
import type { CountsInput, Platform } from '../data/queries.ts';

export interface MatchesSearch {
  readonly rule?: string;
  readonly platform?: string;
  readonly text?: string;
  /** A time, or the name of a span that ends now. */
  readonly since?: string;
  readonly until?: string;
  /** `single`: matches one by one. Otherwise they are told as stories. */
  readonly view?: string;
  /** One story alone. */
  readonly story?: string;
  readonly author?: string;
  readonly domain?: string;
  readonly language?: string;
  readonly source?: string;
}

/** The filters that only the facets choose. The address and the API have the same names for them. */
const CHOSEN = ['author', 'domain', 'language', 'source'] as const;

/** An undefined value removes that filter. */
export type FilterChange = { readonly [Name in keyof MatchesSearch]: MatchesSearch[Name] | undefined };

/** Leaves the view as it is. */
export const NO_FILTER: FilterChange = {
  rule: undefined,
  platform: undefined,
  text: undefined,
  since: undefined,
  until: undefined,
  story: undefined,
  author: undefined,
  domain: undefined,
  language: undefined,
  source: undefined,
};

/** Whether a text is the one before with more letters: it is the same search, which goes on. */
export const isTypedOn = (before: string | undefined, after: string | undefined): boolean =>
  before !== undefined && (after?.startsWith(before) ?? false);

export const isFiltered = (search: MatchesSearch): boolean =>
  Object.entries(search).some(([name, value]) => name !== 'view' && value !== undefined);

/** Stories are filtered by rule, platform and time. Any other filter shows matches one by one, as does the wish for it. */
export const isSingle = (search: MatchesSearch): boolean =>
  search.view === 'single' ||
  [search.text, search.story, ...CHOSEN.map((name) => search[name])].some((value) => value !== undefined);

/** The filters to drop so that stories can be shown. */
export const FOR_STORIES: FilterChange = {
  view: undefined,
  text: undefined,
  story: undefined,
  author: undefined,
  domain: undefined,
  language: undefined,
  source: undefined,
};

const chosenOf = (search: MatchesSearch) =>
  Object.fromEntries(CHOSEN.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])));

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
  '30d': { label: 'Last 30 days', milliseconds: 30 * DAY },
  '90d': { label: 'Last 90 days', milliseconds: 90 * DAY },
};

/** The spans that reach no further back than matches are kept, and the one that reaches as far as they do. */
export const spansWithin = (retentionDays: number | undefined): [string, Span][] =>
  Object.entries(SPANS).filter(([, { milliseconds }]) => milliseconds <= (retentionDays ?? 30) * DAY);

/** The earliest moment of which there may be matches. Undefined while that is not known. */
export const keptSince = (retentionDays: number | undefined, now: number): number | undefined =>
  retentionDays === undefined ? undefined : now - retentionDays * DAY;

/** As much as the server accepts. */
const LONGEST_TEXT = 200;

export const platformOf = (name: string | undefined): Platform | undefined =>
  name === 'x' || name === 'firehose' ? name : undefined;

export function feedFilter(search: MatchesSearch, now: number): FeedFilter {
  const platform = platformOf(search.platform);
  const since = startOf(search, now);
  const until = momentOf(search.until);
  return {
    ...(search.rule !== undefined && { rule_id: search.rule }),
    ...(platform !== undefined && { platform }),
    ...(search.story !== undefined && { story_id: search.story }),
    ...chosenOf(search),
    ...(search.text !== undefined && { text: search.text.slice(0, LONGEST_TEXT) }),
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
    ...(search.story !== undefined && { story_id: search.story }),
    ...chosenOf(search),
    ...(search.text !== undefined && { text: search.text.slice(0, LONGEST_TEXT) }),
    interval,
    from: new Date(from).toISOString(),
    ...(!isOpen && { to: new Date(to).toISOString() }),
  };
}

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const moment = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** "15 Nov, 12:14 – 12:20": both ends, as short as they can be. Undefined for a named span, and without a time. */
export function spanWords({ since, until }: MatchesSearch): string | undefined {
  if (until === undefined && (since === undefined || SPANS[since] !== undefined)) return undefined;
  const from = momentOf(since);
  const to = momentOf(until);
  if (from === undefined) return `until ${to === undefined ? 'now' : moment.format(to)}`;
  if (to === undefined) return `since ${moment.format(from)}`;
  const end = day.format(from) === day.format(to) ? clock.format(to) : moment.format(to);
  return `${moment.format(from)} – ${end}`;
}

function startOf({ since }: MatchesSearch, now: number): number | undefined {
  const span = since === undefined ? undefined : SPANS[since];
  return span === undefined ? momentOf(since) : now - span.milliseconds;
}

function momentOf(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
