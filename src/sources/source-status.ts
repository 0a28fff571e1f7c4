/** The status of a running source, for Status and metrics. */
import type { Clock } from '../base/clock.ts';
import type { Platform } from '../domain/platform.ts';
import type { Page } from './contract/page.ts';
import type { Post } from './contract/post.ts';
import type { SourceArrival } from './contract/source.ts';
import { createPaceMeter, type SourcePace } from './pace.ts';

/**
 * `waiting`: the source broke, and will be opened again. `silent`: the connection stands, and nothing comes. `blind`: what
 * comes cannot be read, or some of its addresses cannot.
 */
export const SOURCE_STATES = ['starting', 'live', 'silent', 'blind', 'waiting', 'ended'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

export interface SourceFigures {
  readonly state: SourceState;
  /** Everything up to then has come and is stored. */
  readonly through: Date | undefined;
  /** Something of the last break cannot be fetched any more. */
  readonly hasLost: boolean;
  /** Seconds between a page's own time and its arrival, of the last page that has one. */
  readonly lag: number | undefined;
  readonly events: number;
  readonly eventsPerMinute: number;
  /** Against its own past hour. */
  readonly pace: SourcePace;
  /** Events a minute, of the past hour; undefined in the first minutes. */
  readonly usualPerMinute: number | undefined;
  readonly lastEventAt: Date | undefined;
  /** When it was last well: live, and something came and was stored. */
  readonly lastGoodAt: Date | undefined;
  /** The number of events that came and cannot be read. */
  readonly unread: number;
  readonly errors: number;
  readonly lastError: { readonly at: Date; readonly message: string } | undefined;
}

export interface SourceStatus extends SourceFigures {
  readonly name: string;
  readonly kind: string;
  /** The platforms that its events go to. */
  readonly platforms: readonly Platform[];
}

export interface SourceMeter {
  /** A connection stands. After a silence that says nothing: something must come. */
  live(): void;
  /** The source broke: it was silent, or it could not be reached. */
  waits(isSilence: boolean): void;
  ended(): void;
  failed(message: string): void;
  /** So many of what came cannot be read. */
  unread(count: number): void;
  lost(): void;
  /** Pages were stored, or a cursor without pages. */
  count(events: readonly (Page | Post)[]): void;
  /** Arrivals with this many new events were stored: how far it is complete, and how many of its addresses fail. */
  progress(arrivals: readonly Progress[], eventCount: number): void;
  figures(): SourceFigures;
}

type Progress = Pick<SourceArrival, 'pages' | 'reaches' | 'failing' | 'unread'>;

/** This many in a row that cannot be read, and the source is blind until something can be: one may be odd. */
const UNREADABLE = 20;

/** `known`: up to when an earlier run was complete. */
export function createSourceMeter(clock: Clock, onState: () => void = () => {}, known?: Date): SourceMeter {
  const minute = createMinuteRing(clock);
  const pace = createPaceMeter(clock);
  let state: SourceState = 'starting';
  let events = 0;
  let errors = 0;
  let lastGoodAt: Date | undefined;
  let unread = 0;
  let unreadInRow = 0;
  let hasLost = false;
  /** Some addresses failed at the last visit: that another one answered does not change it. */
  let isFailing = false;
  let lag: number | undefined;
  let through = known;
  let lastEventAt: Date | undefined;
  let lastError: SourceFigures['lastError'];
  function become(next: SourceState): void {
    if (next !== 'live' && state === 'live') hasLost = false;
    const hasChanged = next !== state;
    state = next;
    if (hasChanged) onState();
  }
  const isBlind = () => unreadInRow >= UNREADABLE;
  const becomeLive = () => become(isBlind() ? 'blind' : 'live');
  return {
    live() {
      if (!isFailing && (state === 'starting' || state === 'waiting')) becomeLive();
    },
    waits: (isSilence) => become(isSilence ? 'silent' : 'waiting'),
    ended() {
      through = clock.now();
      become('ended');
    },
    failed(message) {
      errors++;
      lastError = { at: clock.now(), message };
      if (state === 'starting') become('waiting');
    },
    unread(count) {
      unread += count;
    },
    lost() {
      hasLost = true;
    },
    count(pages) {
      if (!isFailing) becomeLive();
      if (pages.length === 0) return;
      lastEventAt = clock.now();
      events += pages.length;
      minute.add(pages.length);
      lag = lagOf(pages, lastEventAt) ?? lag;
    },
    progress(arrivals, eventCount) {
      for (const arrival of arrivals) unreadInRow = inRowAfter(unreadInRow, arrival);
      const { failing } = arrivals.findLast((arrival) => arrival.failing !== undefined) ?? {};
      const reaches = arrivals.findLast((arrival) => arrival.reaches !== undefined)?.reaches;
      if (reaches !== undefined && !isBlind() && (through === undefined || reaches > through)) through = reaches;
      if (failing !== undefined) isFailing = failing.addresses > 0;
      if (isBlind()) become('blind');
      else if (failing !== undefined) become(stateOf(failing));
      else if (reaches !== undefined) become('live');
      pace.add(arrivals.length, eventCount);
      if (state === 'live') lastGoodAt = clock.now();
    },
    figures: () => ({
      state,
      through,
      hasLost,
      lag,
      events,
      eventsPerMinute: minute.sum(),
      ...pace.figures(),
      lastEventAt,
      lastGoodAt,
      unread,
      errors,
      lastError,
    }),
  };
}

/** A heartbeat says nothing of what can be read. */
function inRowAfter(before: number, { pages, unread }: Progress): number {
  if (pages.length > 0) return 0;
  return before + (unread?.count ?? 0);
}

/** The state of a source that visits addresses. */
function stateOf({ addresses, of }: NonNullable<SourceArrival['failing']>): SourceState {
  if (addresses === 0) return 'live';
  return addresses === of ? 'waiting' : 'blind';
}

/** The publication time of a page, which has no zone, or the time at which a post was created. */
function timeOf(event: Page | Post): number {
  const { publish_time, data } = event;
  if (typeof publish_time === 'string') return Date.parse(`${publish_time}Z`);
  const created = (data as Post['data'] | undefined)?.['created_at'];
  return typeof created === 'string' ? Date.parse(created) : Number.NaN;
}

function lagOf(events: readonly (Page | Post)[], now: Date): number | undefined {
  const time = events.map(timeOf).findLast((one) => !Number.isNaN(one));
  const seconds = time === undefined ? Number.NaN : (now.getTime() - time) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Counts events of the last 60 seconds in 60 places, however many events there were and however long it has run. */
interface MinuteRing {
  /** The count of each second, at the second's remainder by 60. */
  readonly places: readonly { second: number; events: number }[];
  add(events: number): void;
  /** Events of the last 60 seconds, the running one included. */
  sum(): number;
}

const PLACES = 60;

export function createMinuteRing(clock: Clock): MinuteRing {
  const places = Array.from({ length: PLACES }, () => ({ second: Number.NEGATIVE_INFINITY, events: 0 }));
  const secondNow = () => Math.floor(clock.elapsed() / 1_000);
  return {
    places,
    add(events) {
      const second = secondNow();
      const place = places[second % PLACES]!;
      if (place.second !== second) Object.assign(place, { second, events: 0 });
      place.events += events;
    },
    sum() {
      const since = secondNow() - PLACES;
      return places.reduce((sum, { second, events }) => (second > since ? sum + events : sum), 0);
    },
  };
}
