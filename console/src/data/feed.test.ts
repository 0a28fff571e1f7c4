import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client, SluiceError, type SluiceErrorCode } from '../../../packages/client/src/index.ts';
import { type Feed, openFeed, type Watch } from './feed.ts';
import type { FeedFilter } from './feed-filter.ts';
import type { Match } from './queries.ts';

const matchOf = (number: number, text = `post ${number}`): Match => ({
  id: `match_${number}`,
  created_at: new Date(Date.UTC(2026, 10, 15) + number).toISOString(),
  platform: 'x',
  platform_post_id: String(number),
  rule_id: 'rule_1',
  rule_name: 'Volcano news',
  rule_version: 1,
  event_id: 'event_1',
  story_id: null,
  story_first: false,
  relevance: null,
  rating: null,
  payload: { data: { id: String(number), text } },
  highlights: [],
});

const idsIn = (feed: Feed): string[] => feed.get().matches.map(({ platform_post_id }) => platform_post_id);

/** A server with matches in it, oldest first, to which a test adds live ones. */
function serverWith(stored: Match[]) {
  const listeners = new Set<(match: Match) => void>();
  const lists: FeedFilter[] = [];
  let watch: Watch | undefined;
  let tell: (reasons: string[]) => void = () => {};
  const client = {
    matches: {
      async list(input: FeedFilter & { limit: number; cursor?: string }) {
        lists.push(input);
        const until = input.until ?? '9999';
        const since = input.since ?? '';
        const has = (match: Match) => JSON.stringify(match.payload).toLowerCase().includes(input.text!.toLowerCase());
        const fitting = stored
          .toReversed()
          .filter(({ created_at }) => created_at < until && created_at >= since)
          .filter((match) => input.text === undefined || has(match));
        const from = Number(input.cursor ?? 0);
        const page = fitting.slice(from, from + input.limit);
        const next = from + input.limit < fitting.length ? { next_cursor: String(from + input.limit) } : {};
        return { matches: page, ...next, latest_cursor: 'latest', coverage: { reasons: ['demo'] } };
      },
      async *stream({ signal, onCoverage }: { signal: AbortSignal; onCoverage(said: { reasons: string[] }): void }) {
        tell = (reasons) => onCoverage({ reasons });
        const queue: Match[] = [];
        let wake = () => {};
        listeners.add((match) => {
          queue.push(match);
          wake();
        });
        signal.addEventListener('abort', () => wake());
        while (!signal.aborted) {
          while (queue.length > 0) yield queue.shift()!;
          await new Promise<void>((done) => {
            wake = done;
          });
        }
      },
    },
  } as unknown as Client;
  return {
    lists,
    watch: () => watch!,
    tell: (reasons: string[]) => tell(reasons),
    arrive(match: Match) {
      stored.push(match);
      for (const listener of listeners) listener(match);
    },
    open(filter: FeedFilter = {}) {
      const connect = (given: Watch) => {
        watch = given;
        return client;
      };
      return openFeed(filter, { connect, onFailure: () => {}, pause: async () => {} });
    },
  };
}

describe('feed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const passes = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  it('has what is stored, newest first, and then what arrives, shown together a few times a second', async () => {
    const server = serverWith([matchOf(1), matchOf(2)]);
    const feed = server.open();
    await passes(0);
    expect(feed.get()).toMatchObject({ state: 'live', older: 'none' });
    const changes = vi.fn();
    feed.subscribe(changes);
    for (let number = 3; number < 13; number++) server.arrive(matchOf(number));
    await passes(100);
    expect(changes).not.toHaveBeenCalled();
    await passes(200);
    expect(changes).toHaveBeenCalledTimes(1);
    expect(idsIn(feed).slice(0, 3)).toEqual(['12', '11', '10']);
    feed.close();
  });

  it('counts what arrives while it is held, and shows it when it is released', async () => {
    const server = serverWith([matchOf(1)]);
    const feed = server.open();
    await passes(0);
    feed.hold();
    server.arrive(matchOf(2));
    server.arrive(matchOf(3));
    await passes(1_000);
    expect(feed.get()).toMatchObject({ waiting: 2, isHeld: true });
    expect(idsIn(feed)).toEqual(['1']);
    feed.release();
    expect(idsIn(feed)).toEqual(['3', '2', '1']);
    expect(feed.get().waiting).toBe(0);
    feed.close();
  });

  it('keeps no more than anybody reads, and asks for the rest without a gap or a repeat', async () => {
    const server = serverWith([]);
    const feed = server.open();
    await passes(0);
    for (let number = 1; number <= 700; number++)
      server.arrive(matchOf(Math.floor(number / 3) * 3 + (number % 3) / 10));
    await passes(1_000);
    expect(feed.get().matches).toHaveLength(500);
    expect(feed.get().older).toBe('more');
    while (feed.get().older === 'more') await feed.loadOlder();
    expect(new Set(feed.get().matches.map(({ id }) => id)).size).toBe(feed.get().matches.length);
    expect(feed.get().matches.at(-1)!.id).toBe('match_0.1');
    expect(feed.get().matches).toHaveLength(700);
    feed.close();
  });

  it('lets the server judge what arrives under a text, once for all that came in two seconds', async () => {
    const server = serverWith([matchOf(0, 'old lava')]);
    const feed = server.open({ text: 'LAVA' });
    await passes(0);
    server.arrive(matchOf(1, 'Lava on the road'));
    server.arrive(matchOf(2, 'nothing of the sort'));
    server.arrive(matchOf(3, 'more lava'));
    await passes(3_000);
    expect(idsIn(feed)).toEqual(['3', '1', '0']);
    expect(server.lists).toHaveLength(2);
    expect(server.lists[1]).toMatchObject({ text: 'LAVA', since: matchOf(1).created_at });
    // Nothing came, so nothing is asked.
    await passes(10_000);
    expect(server.lists).toHaveLength(2);
    server.arrive(matchOf(4, 'lava again'));
    feed.close();
    await passes(10_000);
    expect(server.lists).toHaveLength(2);
  });

  it('knows the source and the story of a match itself', async () => {
    const server = serverWith([]);
    const feed = server.open({ source: 'bluesky' });
    await passes(0);
    server.arrive({ ...matchOf(1), source: 'bluesky' });
    server.arrive({ ...matchOf(2), source: 'x' });
    await passes(1_000);
    expect(idsIn(feed)).toEqual(['1']);
    expect(server.lists).toHaveLength(1);
    feed.close();
  });

  it('stands still when it ends in the past', async () => {
    const server = serverWith([matchOf(1)]);
    const feed = server.open({ until: '2026-11-16T00:00:00.000Z' });
    await passes(0);
    server.arrive(matchOf(2));
    await passes(1_000);
    expect(feed.get().state).toBe('still');
    expect(idsIn(feed)).toEqual(['1']);
    feed.close();
  });

  it('says why matches may be missing, as the server last said', async () => {
    const server = serverWith([]);
    const feed = server.open();
    await passes(0);
    expect(feed.get().reasons).toEqual(['demo']);
    server.tell(['token_refused', 'gap']);
    expect(feed.get()).toMatchObject({ state: 'live', reasons: ['token_refused', 'gap'] });
    server.tell([]);
    expect(feed.get().reasons).toEqual([]);
    feed.close();
  });

  it('says when the connection is lost and when it is back', async () => {
    const server = serverWith([]);
    const feed = server.open();
    await passes(0);
    server.watch().onTrouble();
    expect(feed.get().state).toBe('reconnecting');
    server.watch().onAnswer();
    expect(feed.get().state).toBe('live');
    feed.close();
  });

  it('tells of a failure once, and never after it was closed', async () => {
    const failures: unknown[] = [];
    const failing = { matches: { list: () => Promise.reject(new Error('no')) } } as unknown as Client;
    const deps = {
      connect: () => failing,
      onFailure: (error: unknown) => failures.push(error),
      pause: async () => expect.fail('It is not asked again.'),
    };
    const feed = openFeed({}, deps);
    await passes(0);
    expect(feed.get().state).toBe('failed');
    openFeed({}, deps).close();
    await passes(0);
    expect(failures).toHaveLength(1);
  });

  describe('while the server is away', () => {
    const PASSING: readonly SluiceErrorCode[] = ['no_answer', 'unavailable', 'deadline_exceeded'];
    const away = () => PASSING.map((code) => new SluiceError(code, `It is ${code}.`));

    /** Each failure is met once; the pauses that were taken are noted, and one of them can be held up. */
    function recovering({ list = [] as Error[], stream = [] as Error[] }) {
      const pauses: number[] = [];
      const cursors: string[] = [];
      const failures: unknown[] = [];
      let watch: Watch | undefined;
      const page = { matches: [matchOf(1)], latest_cursor: 'latest', coverage: { reasons: [] } };
      const client = {
        matches: {
          async list() {
            const failure = list.shift();
            watch?.onAnswer();
            if (failure !== undefined) throw failure;
            return page;
          },
          async *stream({ cursor, signal }: { cursor: string; signal: AbortSignal }) {
            cursors.push(cursor);
            const failure = stream.shift();
            if (failure !== undefined) throw failure;
            yield matchOf(2);
            await new Promise((done) => signal.addEventListener('abort', done));
          },
        },
      } as unknown as Client;
      const connect = (given: Watch) => {
        watch = given;
        return client;
      };
      const gate = Promise.withResolvers<void>();
      const pause = async (count: number) => {
        pauses.push(count);
        if (pauses.length === 3) await gate.promise;
      };
      const feed = openFeed({}, { connect, onFailure: (error) => failures.push(error), pause });
      return { feed, pauses, cursors, failures, comeBack: () => gate.resolve() };
    }

    it('asks for its first list again, with pauses that grow, and is live when there is one', async () => {
      const { feed, pauses, failures, comeBack } = recovering({ list: away() });
      const states: string[] = [];
      feed.subscribe(() => states.push(feed.get().state));
      await passes(0);
      // A refusal is an answer, too, and makes nothing live.
      expect(states).not.toContain('live');
      expect(feed.get()).toMatchObject({ state: 'reconnecting', isLoaded: false, matches: [] });
      expect(feed.get().error).toMatchObject({ message: 'It is deadline_exceeded.' });
      expect(pauses).toEqual([1, 2, 3]);
      comeBack();
      await passes(1_000);
      expect(feed.get()).toMatchObject({ state: 'live', isLoaded: true, error: undefined });
      expect(idsIn(feed)).toEqual(['2', '1']);
      expect(failures).toEqual([]);
      feed.close();
    });

    it('keeps its list and opens the stream again where it stands', async () => {
      const { feed, cursors, failures, comeBack } = recovering({ stream: away() });
      await passes(0);
      expect(feed.get()).toMatchObject({ state: 'reconnecting', isLoaded: true });
      expect(idsIn(feed)).toEqual(['1']);
      comeBack();
      await passes(1_000);
      expect(idsIn(feed)).toEqual(['2', '1']);
      expect(cursors).toEqual(Array(4).fill('latest'));
      expect(failures).toEqual([]);
      feed.close();
    });

    it('asks no more once it is closed', async () => {
      const { feed, pauses, comeBack } = recovering({ list: [...away(), ...away()] });
      await passes(0);
      feed.close();
      comeBack();
      await passes(1_000);
      expect(pauses).toHaveLength(3);
    });
  });
});
