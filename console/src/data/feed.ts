/**
 * The live feed of matches: stored matches and new ones in one list, newest first. New matches are shown four times a
 * second at most, however many arrive. While the reader holds the feed, they wait and are only counted.
 */
import { type Client, type Match, SluiceError, type StreamCoverage } from '../../../packages/client/src/index.ts';
import type { FeedFilter } from './feed-filter.ts';
import { MOST_SHOWN, newerThan, olderThan, PAGE } from './feed-pages.ts';
import { createJudge, isJudgedThere } from './judge.ts';
import { type Observable, observable } from './observable.ts';

/** `still`: the filter ends in the past, so no new match can belong to it. */
export type FeedState = 'loading' | 'live' | 'reconnecting' | 'still' | 'failed';

export interface FeedView {
  readonly state: FeedState;
  /** The first list has come. */
  readonly isLoaded: boolean;
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
  /** Waits before the server is asked again, the longer the more often it has failed in a row. */
  readonly pause: (failures: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds between two updates of the list. */
  readonly pace?: number;
}

export interface Watch {
  onTrouble(): unknown;
  onAnswer(): unknown;
}

const PACE = 250;

export const LOADING: FeedView = {
  state: 'loading',
  isLoaded: false,
  matches: [],
  waiting: 0,
  isHeld: false,
  older: 'none',
  error: undefined,
  reasons: [],
};

export function openFeed(filter: FeedFilter, { connect, onFailure, pause, pace = PACE }: FeedDeps): Feed {
  const view = observable(LOADING);
  const closing = new AbortController();
  const { signal } = closing;
  const change = (part: Partial<FeedView>) => view.set({ ...view.get(), ...part });
  const client = connect({
    onTrouble: () => view.get().state === 'live' && change({ state: 'reconnecting' }),
    onAnswer: () =>
      view.get().state === 'reconnecting' && view.get().isLoaded && change({ state: 'live', error: undefined }),
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

  function add(matches: readonly Match[]): void {
    if (matches.length === 0) return;
    arrived.unshift(...matches);
    if (arrived.length > MOST_SHOWN) {
      arrived.length = MOST_SHOWN;
      hasDropped = true;
    }
    timer ??= setTimeout(show, pace);
  }

  const judge = createJudge({
    ask: (since) => newerThan(client, { ...filter, since }, signal),
    known: () => [...arrived, ...view.get().matches],
    add,
    onFailure: (error) => signal.aborted || onFailure(error),
  });

  function arrive(match: Match): void {
    if (!mayShow(match, filter)) return;
    if (isJudgedThere(filter)) judge.consider(match);
    else add([match]);
  }

  /** A server that is away comes back, and nobody need reload the page then. */
  async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (let failures = 1; ; failures++) {
      try {
        return await ask();
      } catch (error) {
        if (signal.aborted || !isPassing(error)) throw error;
        change({ state: 'reconnecting', error });
        await pause(failures, signal);
      }
    }
  }

  async function follow(): Promise<void> {
    const page = await untilAnswered(() => client.matches.list({ ...filter, limit: PAGE }, { signal }));
    const isStill = filter.until !== undefined;
    change({
      state: isStill ? 'still' : 'live',
      isLoaded: true,
      error: undefined,
      matches: page.matches,
      older: page.next_cursor === undefined ? 'none' : 'more',
      reasons: page.coverage.reasons,
    });
    if (!isStill) await untilAnswered(() => listen(page.latest_cursor));
  }

  async function listen(cursor: string): Promise<void> {
    const { rule_id, platform } = filter;
    const stream = client.matches.stream({
      ...(rule_id !== undefined && { rule_id }),
      ...(platform !== undefined && { platform }),
      cursor,
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
      judge.stop();
      closing.abort();
    },
  };
}

const isPassing = (error: unknown): boolean =>
  error instanceof SluiceError && ['no_answer', 'unavailable', 'deadline_exceeded'].includes(error.code);

/** The server filters the stream by rule and platform. A match itself says its story and its source. */
const mayShow = (match: Match, { source, story_id }: FeedFilter): boolean =>
  (story_id === undefined || match.story_id === story_id) && (source === undefined || match.source === source);
