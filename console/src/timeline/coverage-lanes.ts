/** Each platform and each source over time: what is complete, what is missing, what is in trouble now. Pure. */
import type { Platform, Status } from '../data/queries.ts';
import { coveredTime, endOf, type Gap, lasting, type Source } from '../status/health.ts';
import { counted } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { causeWords } from '../words/coverage.ts';
import { SOURCE_STATES } from '../words/platform-states.ts';
import type { TimelineRow, TimelineSpan } from './lanes.tsx';

const PLATFORMS: readonly Platform[] = ['x', 'firehose'];

export function coverageLanes(status: Status, from: number, now: number): TimelineRow[] {
  const platforms = PLATFORMS.filter((name) => status.platforms[name] !== undefined);
  return [
    ...platforms.map((name) => platformRow(status, name, from, now)),
    ...(status.sources ?? []).map((source) => sourceRow(status, source, from, now)),
  ];
}

function platformRow(status: Status, name: Platform, from: number, now: number): TimelineRow {
  const covered = coveredTime(status, name);
  // A gap of one rule, for instance while it was paused, is no trouble of the platform.
  const gaps = gapsWithin(status.platforms[name]!.gaps, from, now).filter(({ rule_id }) => rule_id === undefined);
  const [since, through] = [Date.parse(covered.from ?? ''), Date.parse(covered.through ?? '')];
  // There are no gaps of a time that it did not listen in, either: nothing is known of it.
  const known: TimelineSpan[] =
    through > from && since < now ? [{ from: since, to: through, tone: 'ok', words: 'Listened to' }] : [];
  return {
    name: PLATFORM_NAMES[name],
    spans: [...known, ...gaps.map((gap) => gapSpan(gap, now))],
    words: known.length === 0 && gaps.length === 0 ? 'Nothing is known.' : gapWords(gaps, now),
  };
}

/** Only troubles of a source are on record. The rest of its row stays without a colour. */
function sourceRow(status: Status, source: Source, from: number, now: number): TimelineRow {
  const all = PLATFORMS.flatMap((name) => status.platforms[name]?.gaps ?? []);
  const own = new Map(all.filter((gap) => gap.source === source.name).map((gap) => [`${gap.from} ${gap.cause}`, gap]));
  const gaps = gapsWithin([...own.values()], from, now);
  const trouble = troubleOf(source, status, now);
  return {
    name: source.name,
    spans: [...gaps.map((gap) => gapSpan(gap, now)), ...(trouble === undefined ? [] : [trouble])],
    words: [gapWords(gaps, now), trouble?.words].filter(Boolean).join(' '),
  };
}

const QUIET: ReadonlySet<Source['state']> = new Set(['live', 'starting', 'ended']);

/** Since it was last good, or since the server started if it never was. */
function troubleOf({ state, last_good_at }: Source, { instance }: Status, now: number): TimelineSpan | undefined {
  const since = last_good_at ?? instance?.started_at;
  if (QUIET.has(state) || since === undefined) return undefined;
  const { words, tone } = SOURCE_STATES[state];
  const lasted = lasting(Math.max(0, now - Date.parse(since)));
  return { from: Date.parse(since), to: now, tone: tone === 'bad' ? 'bad' : 'warn', words: `${words} for ${lasted}.` };
}

export const gapsWithin = (gaps: readonly Gap[], from: number, now: number): Gap[] =>
  gaps.filter((gap) => endOf(gap, now) > from && Date.parse(gap.from) < now);

export const gapSpan = (gap: Gap, now: number): TimelineSpan => ({
  from: Date.parse(gap.from),
  to: endOf(gap, now),
  // Whoever pauses a rule knows that it misses something.
  tone: gap.recovered || gap.cause === 'paused' ? 'warn' : 'bad',
  words: `${gap.recovered ? 'Recovered' : 'Missing'}: ${lasting(endOf(gap, now) - Date.parse(gap.from))}. ${causeWords(gap.cause)}`,
});

function gapWords(gaps: readonly Gap[], now: number): string {
  const missing = gaps.filter(({ recovered }) => !recovered);
  if (gaps.length === 0) return 'No gaps.';
  const total = missing.reduce((sum, gap) => sum + endOf(gap, now) - Date.parse(gap.from), 0);
  const recovered = gaps.length - missing.length;
  return `${counted(missing.length, 'gap')}, ${lasting(total)} missing; ${counted(recovered, 'gap')} recovered.`;
}
