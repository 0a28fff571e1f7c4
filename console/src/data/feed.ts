/**
 * The live feed of matches: stored matches and new ones in one list, newest first. New matches are shown four times a
 * second at most, however many arrive. While the reader holds the feed, they wait and are only counted.
 */
import type { Client, Match, StreamCoverage } from '../../../src/client/index.ts';
import { type Observable, observable } from './observable.ts';

type Platform = Match['platform'];

export interface FeedFilter {
  readonly rule_id?: string;
  readonly platform?: Platform;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly story_id?: string;
}

/** `still`: the filter ends in the past, so no new match can belong to it. */
export type FeedState = 'loading' | 'live' | 'reconnecting' | 'still' | 'failed';

export interface FeedView {
  readonly state: FeedState;
  /** Newest first. */
  readonly matches: readonly Match[];
  /** How many matches arrived while the feed is held. */
  readonly waiting: number;
  readonly isHeld: boolean;
  readonly older: 'more' | 'loading' | 'none';
  readonly error: unknown;
  /** Why matches may be missing, as the server last said. */
  readonly reasons: StreamCoverage['reasons'];
}

export interface Feed extends Pick<Observable<FeedView>, 'get' | 'subscribe'> {
  hold(): void;
  /** Shows the waiting matches and resumes. */
  release(): void;
  loadOlder(): Promise<void>;
  close(): void;
}

export interface FeedDeps {
  /** Makes a client that reports when it retries and when it gets an answer. */
  readonly connect: (watch: Watch) => Client;
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds between two updates of the list. */
  readonly pace?: number;
}

export interface Watch {
  onTrouble(): unknown;
  onAnswer(): unknown;
}

const PAGE = 50;
/** Older matches are loaded when the reader scrolls to them. */
const MOST_SHOWN = 500;
const PACE = 250;

export const LOADING: FeedView = {
  state: 'loading',
  matches: [],
  waiting: 0,
  isHeld: false,
  older: 'none',
  error: undefined,
  reasons: [],
};

export function openFeed(filter: FeedFilter, { connect, onFailure, pace = PACE }: FeedDeps): Feed {
  const view = observable(LOADING);
  const closing = new AbortController();
  const { signal } = closing;
  const change = (part: Partial<FeedView>) => view.set({ ...view.get(), ...part });
  const client = connect({
    onTrouble: () => view.get().state === 'live' && change({ state: 'reconnecting' }),
    onAnswer: () => view.get().state === 'reconnecting' && change({ state: 'live' }),
  });
  /** New matches that are not shown yet, newest first. */
  let arrived: Match[] = [];
  /** Whether matches were dropped before they were shown. */
  let hasDropped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show(): void {
    clearTimeout(timer);
    timer = undefined;
    const { matches, isHeld, older } = view.get();
    if (isHeld) {
      change({ waiting: arrived.length });
      return;
    }
    const all = [...arrived, ...matches];
    arrived = [];
    const isCut = hasDropped || all.length > MOST_SHOWN;
    hasDropped = false;
    change({
      matches: isCut ? all.slice(0, MOST_SHOWN) : all,
      waiting: 0,
      older: isCut && older === 'none' ? 'more' : older,
    });
  }

  function arrive(match: Match): void {
    if (!mayShow(match, filter)) return;
    arrived.unshift(match);
    if (arrived.length > MOST_SHOWN) {
      arrived.length = MOST_SHOWN;
      hasDropped = true;
    }
    timer ??= setTimeout(show, pace);
  }

  async function follow(): Promise<void> {
    const page = await client.matches.list({ ...filter, limit: PAGE }, { signal });
    const isStill = filter.until !== undefined;
    change({
      state: isStill ? 'still' : 'live',
      matches: page.matches,
      older: page.next_cursor === undefined ? 'none' : 'more',
      reasons: page.coverage.reasons,
    });
    if (isStill) return;
    const { rule_id, platform } = filter;
    const stream = client.matches.stream({
      ...(rule_id !== undefined && { rule_id }),
      ...(platform !== undefined && { platform }),
      cursor: page.latest_cursor,
      signal,
      onCoverage: ({ reasons }) => change({ reasons }),
    });
    for await (const match of stream) arrive(match);
  }

  function fail(error: unknown): void {
    if (signal.aborted) return;
    change({ state: 'failed', error });
    onFailure(error);
  }

  follow().catch(fail);
  return {
    get: view.get,
    subscribe: view.subscribe,
    hold: () => change({ isHeld: true }),
    release() {
      change({ isHeld: false });
      show();
    },
    async loadOlder() {
      if (view.get().older !== 'more') return;
      change({ older: 'loading' });
      try {
        const { matches, hasMore } = await olderThan(client, filter, view.get().matches, signal);
        change({ matches: [...view.get().matches, ...matches], older: hasMore ? 'more' : 'none' });
      } catch (error) {
        if (signal.aborted) return;
        change({ older: 'more' });
        onFailure(error);
      }
    },
    close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}

/**
 * The page after the oldest match shown. It is requested by time, because the list may have been cut since. Matches of
 * the same millisecond come again and are left out.
 */
async function olderThan(client: Client, filter: FeedFilter, shown: readonly Match[], signal: AbortSignal) {
  const known = new Set(shown.map(({ id }) => id));
  const last = shown.at(-1);
  const until = last === undefined ? filter.until : new Date(Date.parse(last.created_at) + 1).toISOString();
  let cursor: string | undefined;
  for (;;) {
    const input = { ...filter, limit: PAGE, ...(until !== undefined && { until }), ...(cursor && { cursor }) };
    const page = await client.matches.list(input, { signal });
    const matches = page.matches.filter(({ id }) => !known.has(id));
    cursor = page.next_cursor;
    if (matches.length > 0 || cursor === undefined) return { matches, hasMore: cursor !== undefined };
  }
}

/** The server filters the stream by rule and platform. Text is searched here, as in the list: anywhere in the payload. */
function mayShow(match: Match, { text, story_id }: FeedFilter): boolean {
  if (story_id !== undefined && match.story_id !== story_id) return false;
  return text === undefined || hasText(match.payload, text.toLowerCase());
}

function hasText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inside) => hasText(inside, text));
}
