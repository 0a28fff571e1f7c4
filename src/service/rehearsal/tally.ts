/** The counts of a rehearsal on one platform so far, and how they are kept between two steps. */
import { numberIn, recordIn, textIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { KeptStories } from './story-tally.ts';

export interface RehearsalTally {
  events: number;
  /** Events that no rule can see, such as a post without a text. */
  rejected: number;
  matched: number;
  demo: { events: number; matched: number };
  /** When the oldest and the newest real event arrived or was published. */
  from: number | undefined;
  to: number | undefined;
  /** Matches without a time are in no interval. */
  timeline: Timeline;
  readonly languages: Map<string, number>;
  /** For each clause, the events that it alone kept from matching. */
  readonly missed: number[];
}

/** Matches in further languages are counted together, as in no language that is known. */
const MOST_LANGUAGES = 200;
const UNKNOWN = 'und';

export const newTally = (clauses: number): RehearsalTally => ({
  events: 0,
  rejected: 0,
  matched: 0,
  demo: { events: 0, matched: 0 },
  from: undefined,
  to: undefined,
  timeline: newTimeline(),
  languages: new Map(),
  missed: Array.from({ length: clauses }, () => 0),
});

export function countEvent(tally: RehearsalTally, at: number | undefined, isInvented: boolean): void {
  tally.events++;
  if (isInvented) tally.demo.events++;
  else if (at !== undefined) {
    tally.from = Math.min(tally.from ?? at, at);
    tally.to = Math.max(tally.to ?? at, at);
  }
}

export function countMatch(
  tally: RehearsalTally,
  {
    at,
    platform,
    payload,
    isInvented,
  }: { at: number | undefined; platform: Platform; payload: Payload; isInvented: boolean },
): void {
  tally.matched++;
  if (isInvented) tally.demo.matched++;
  if (at !== undefined) countAt(tally.timeline, at);
  const language = languageIn(platform, payload);
  const { languages } = tally;
  const counted = languages.has(language) || languages.size < MOST_LANGUAGES ? language : UNKNOWN;
  languages.set(counted, (languages.get(counted) ?? 0) + 1);
}

/** As the platform says it. */
function languageIn(platform: Platform, payload: Payload): string {
  const language = platform === 'x' ? recordIn(payload['data'])?.['lang'] : payload['language'];
  return textIn(language)?.slice(0, 20) ?? UNKNOWN;
}

/** A tally and its stories, as JSON keeps them. */
export interface KeptTally extends Omit<RehearsalTally, 'timeline' | 'languages' | 'from' | 'to'> {
  readonly from: number | null;
  readonly to: number | null;
  readonly step: number;
  readonly counts: readonly (readonly [number, number])[];
  readonly languages: readonly (readonly [string, number])[];
  readonly stories: KeptStories;
}

export const keepTally = (
  { timeline, languages, from, to, ...tally }: RehearsalTally,
  stories: KeptStories,
): KeptTally => ({
  ...tally,
  from: from ?? null,
  to: to ?? null,
  step: timeline.step,
  counts: [...timeline.counts],
  languages: [...languages],
  stories,
});

export const tallyOf = ({
  step,
  counts,
  languages,
  from,
  to,
  ...tally
}: Omit<KeptTally, 'stories'>): RehearsalTally => ({
  ...tally,
  from: numberIn(from),
  to: numberIn(to),
  timeline: { step, counts: new Map(counts) },
  languages: new Map(languages),
});

/** Counts over time in a bounded number of intervals: when there are too many, each two of them become one. */
interface Timeline {
  /** Milliseconds of an interval. */
  step: number;
  /** By the start of the interval, those with a count alone. */
  counts: Map<number, number>;
}

const FIRST_STEP = 60_000;
const MOST = 240;

export const newTimeline = (): Timeline => ({ step: FIRST_STEP, counts: new Map() });

export function countAt(timeline: Timeline, at: number): void {
  add(timeline, at, 1);
  while (timeline.counts.size > MOST) {
    const before = timeline.counts;
    timeline.step *= 2;
    timeline.counts = new Map();
    for (const [start, count] of before) add(timeline, start, count);
  }
}

function add({ step, counts }: Timeline, at: number, count: number): void {
  const start = Math.floor(at / step) * step;
  counts.set(start, (counts.get(start) ?? 0) + count);
}

/** Oldest first. */
export const intervalsOf = ({ counts }: Timeline): (readonly [start: number, count: number])[] =>
  [...counts].toSorted(([one], [other]) => one - other);
