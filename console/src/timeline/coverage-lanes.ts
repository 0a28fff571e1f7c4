/** Each platform and each source over time: what is complete, what is missing, what is in trouble now. Pure. */
import type { ListedSource, Platform, Status } from '../data/queries.ts';
import { coveredTime, endOf, type Gap, lasting } from '../status/health.ts';
import { counted } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { causeWords } from '../words/coverage.ts';
import { VISITED_STATES } from '../words/visited.ts';
import type { TimelineRow, TimelineSpan } from './lanes.tsx';
import type { Range } from './range.ts';

const PLATFORMS: readonly Platform[] = ['x', 'firehose'];

/** The platforms, and then the sources that the account has or is fed by. */
export function coverageLanes(
  status: Status,
  sources: readonly ListedSource[],
  { from, to: now }: Range,
): TimelineRow[] {
  const platforms = PLATFORMS.filter((name) => status.platforms[name] !== undefined);
  const gaps = new Map(
    platforms
      .flatMap((name) => gapsWithin(status.platforms[name]!.gaps, from, now))
      .map((gap) => [`${gap.source} ${gap.from} ${gap.cause}`, gap]),
  );
  const isListed = platforms.every((name) => listedSince(status.platforms[name]!.gaps) <= from);
  return [
    ...platforms.map((name) => platformRow(status, name, from, now)),
    ...sources.map((source) =>
      sourceRow(
        source,
        // The lane is called by the source: its id says nothing more.
        [...gaps.values()].filter((gap) => gap.source === source.id).map((gap) => ({ ...gap, cause: codeIn(gap) })),
        { now, isListed },
      ),
    ),
  ];
}

/** The server lists no more gaps. */
const MOST_GAPS = 100;

/** Since when all gaps are listed: they come newest first, and there may be others before the last one. */
export const listedSince = (gaps: readonly Gap[]): number =>
  gaps.length < MOST_GAPS ? Number.NEGATIVE_INFINITY : Date.parse(gaps.at(-1)!.from);

const codeIn = ({ cause }: Gap): string => cause.split(':', 1)[0]!;

function platformRow(status: Status, name: Platform, from: number, now: number): TimelineRow {
  const covered = coveredTime(status, name);
  // A gap of one rule, for instance while it was paused, is no trouble of the platform.
  const listed = status.platforms[name]!.gaps;
  const gaps = gapsWithin(listed, from, now).filter(({ rule_id }) => rule_id === undefined);
  const isListed = listedSince(listed) <= from;
  const since = Math.max(Date.parse(covered.from ?? ''), listedSince(listed));
  const through = Date.parse(covered.through ?? '');
  // There are no gaps of a time that it did not listen in, either: nothing is known of it.
  const known: TimelineSpan[] =
    through > from && since < now ? [{ from: since, to: through, tone: 'ok', words: 'Listened to' }] : [];
  return {
    name: PLATFORM_NAMES[name],
    spans: [...known, ...gaps.map((gap) => gapSpan(gap, now, name))],
    words: known.length === 0 && gaps.length === 0 ? 'Nothing is known.' : gapWords(gaps, { now, isListed }),
  };
}

/** Only troubles of a source are on record. The rest of its row stays without a colour. */
function sourceRow(source: ListedSource, gaps: readonly Gap[], listing: Listing): TimelineRow {
  const { now } = listing;
  const trouble = troubleOf(source, now);
  return {
    name: source.name,
    spans: [
      ...gaps.map((gap) => ({ ...gapSpan(gap, now), href: SOURCES })),
      ...(trouble === undefined ? [] : [trouble]),
    ],
    words: [gapWords(gaps, listing), trouble?.words].filter(Boolean).join(' '),
  };
}

const SOURCES = '#/sources';

/** Since it was last good, or since it was added if it never was. */
function troubleOf({ status, last_good_at, created_at }: ListedSource, now: number): TimelineSpan | undefined {
  const since = last_good_at ?? created_at;
  const { words, tone } = VISITED_STATES[status];
  if (since === null || (tone !== 'bad' && tone !== 'warn')) return undefined;
  const lasted = lasting(Math.max(0, now - Date.parse(since)));
  return { from: Date.parse(since), to: now, tone, words: `${words} for ${lasted}.`, href: SOURCES };
}

export const gapsWithin = (gaps: readonly Gap[], from: number, now: number): Gap[] =>
  gaps.filter((gap) => endOf(gap, now) > from && Date.parse(gap.from) < now);

export const gapSpan = (gap: Gap, now: number, platform?: Platform): TimelineSpan => ({
  from: Date.parse(gap.from),
  to: endOf(gap, now),
  // Whoever pauses a rule knows that it misses something.
  tone: gap.recovered || gap.cause === 'paused' ? 'warn' : 'bad',
  words: `${gap.recovered ? 'Recovered' : 'Missing'}: ${lasting(endOf(gap, now) - Date.parse(gap.from))}. ${causeWords(gap.cause, platform)}`,
});

const UNLISTED = `There may be gaps before the newest ${MOST_GAPS}.`;

interface Listing {
  readonly now: number;
  /** All gaps of the shown time are listed. */
  readonly isListed: boolean;
}

function gapWords(gaps: readonly Gap[], { now, isListed }: Listing): string {
  const missing = gaps.filter(({ recovered }) => !recovered);
  if (gaps.length === 0) return isListed ? 'No gaps.' : UNLISTED;
  const total = missing.reduce((sum, gap) => sum + endOf(gap, now) - Date.parse(gap.from), 0);
  const recovered = gaps.length - missing.length;
  const also = recovered === 0 ? '' : `; ${counted(recovered, 'gap')} recovered`;
  const words = `${counted(missing.length, 'gap')}, ${lasting(total)} missing${also}.`;
  return isListed ? words : `${words} ${UNLISTED}`;
}
