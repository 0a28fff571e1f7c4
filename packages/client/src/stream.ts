/**
 * Matches as a stream. The connection may end at any time, for any reason that passes: the next one goes on after the
 * last match that was handed out. Where the stream begins is settled before the first connection, so that a cut before
 * the first match loses nothing either.
 */
import type { Digest } from './api.ts';
import { SluiceError } from './error.ts';
import { createEventStreamParser, type StreamEvent } from './event-stream.ts';
import type { Answer, Input, ListedAlert, Match } from './operations.ts';
import { isPassing } from './retry.ts';
import { noAnswer, pause, queryString, type Transport } from './transport.ts';

export interface StreamOptions {
  readonly rule_id?: string;
  readonly platform?: Match['platform'];
  /** Only events that this source brought, as in `source` of a match. */
  readonly source?: string;
  /** The place to go on from: `cursor` of an earlier stream, or `latest_cursor` of a list. Without it, from now on. */
  readonly cursor?: string;
  /** A wake contract: `match` or `story`, the most matches an hour or a day (`5/day`), and the least relevance. */
  readonly wake?: 'match' | 'story';
  readonly at_most?: string;
  readonly min_relevance?: number;
  /** Hours in which nothing wakes, such as `22:00-07:00@Europe/Berlin`. */
  readonly quiet?: string;
  /** Told of what the contract held: every match is handed out, or is in one digest. */
  readonly onDigest?: (digest: Digest) => void;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Told of times without coverage. */
  readonly onGap?: (gap: Gap) => void;
  /** Told when an alert of a rule begins, grows or ends while the stream is open. */
  readonly onAlert?: (alert: ListedAlert) => void;
  /** Told at the beginning and about every 15 seconds how far the stream can be relied on. */
  readonly onCoverage?: (coverage: StreamCoverage) => void;
  /** Milliseconds without a sign of life after which a connection counts as lost; three heartbeats when it is left out. */
  readonly idleTimeout?: number;
}

/** A span of time for which completeness cannot be shown. */
export interface Gap {
  readonly platform: Match['platform'];
  readonly from: string;
  /** Null while it lasts. */
  readonly to: string | null;
  readonly cause: string;
  readonly recovered: boolean;
  /** The one rule that missed events. */
  readonly rule_id?: string;
  /** The source whose events are missing. */
  readonly source?: string;
}

/** How far matches can be relied on, and why not further; the same fields as in `coverage` of a list. */
export type StreamCoverage = Pick<
  Answer<'listMatches'>['coverage'],
  'complete' | 'complete_from' | 'complete_through' | 'reasons'
>;

export interface MatchStream extends AsyncIterable<Match> {
  /** After the last match that was handed out: kept somewhere, it is where another stream goes on. */
  readonly cursor: string | undefined;
}

type ListMatches = (input: Input<'listMatches'>, options: { signal?: AbortSignal }) => Promise<Answer<'listMatches'>>;

/** Milliseconds before the next connection when the server names no time. */
const RETRY = 3_000;
const IDLE_TIMEOUT = 45_000;

export function streamMatches(transport: Transport, list: ListMatches, options: StreamOptions): MatchStream {
  const { signal } = options;
  const filter = {
    ...(options.rule_id !== undefined && { rule_id: options.rule_id }),
    ...(options.platform !== undefined && { platform: options.platform }),
    ...(options.source !== undefined && { source: options.source }),
  };
  const contract = {
    ...(options.wake !== undefined && { wake: options.wake }),
    ...(options.at_most !== undefined && { at_most: options.at_most }),
    ...(options.min_relevance !== undefined && { min_relevance: String(options.min_relevance) }),
    ...(options.quiet !== undefined && { quiet: options.quiet }),
  };
  const state: StreamState = {
    cursor: options.cursor,
    failures: 0,
    everOpened: false,
    retry: RETRY,
    trouble: endedByServer(),
  };

  async function* matches(): AsyncGenerator<Match, void> {
    state.cursor ??= (await list({ ...filter, limit: 1 }, signal ? { signal } : {})).latest_cursor;
    for (;;) {
      state.trouble = endedByServer();
      try {
        yield* oneConnection(transport, { ...filter, ...contract }, state, options);
      } catch (error) {
        if (!(error instanceof SluiceError) || !isPassing(error, true)) throw error;
        state.trouble = error;
      }
      const failures = ++state.failures;
      if (!state.everOpened && failures > transport.retries) throw state.trouble;
      await pause(transport, failures, state.trouble, signal, failures === 1 ? undefined : state.retry / 2);
    }
  }

  return {
    get cursor() {
      return state.cursor;
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* matches();
      } catch (error) {
        // A caller that ended the stream need not be told.
        if (!signal?.aborted) throw error;
      }
    },
  };
}

/** The facts that the next connection needs to know of the ones before it. */
interface StreamState {
  cursor: string | undefined;
  /** Connections in a row that brought nothing. */
  failures: number;
  everOpened: boolean;
  /** Milliseconds before the next connection. */
  retry: number;
  /** Why the last connection ended. */
  trouble: SluiceError;
}

const endedByServer = (): SluiceError => new SluiceError('no_answer', 'The server ended the stream.');

/** The matches of one connection, each noted in the state before it is handed out. */
async function* oneConnection(
  transport: Transport,
  query: Readonly<Record<string, string>>,
  state: StreamState,
  options: StreamOptions,
): AsyncGenerator<Match, void> {
  for await (const chunk of connect(transport, { ...query, cursor: state.cursor }, options)) {
    state.everOpened = true;
    state.retry = chunk.retry ?? state.retry;
    for (const { event, data, lastEventId } of chunk.events) {
      if (event === 'gap') options.onGap?.(JSON.parse(data) as Gap);
      if (event === 'alert') options.onAlert?.(JSON.parse(data) as ListedAlert);
      if (event === 'coverage') options.onCoverage?.(JSON.parse(data) as StreamCoverage);
      if (event === 'digest') options.onDigest?.(JSON.parse(data) as Digest);
      if (event === 'end') state.trouble = endOf(data);
      if (event !== 'match') continue;
      state.cursor = lastEventId;
      state.failures = 0;
      yield JSON.parse(data) as Match;
    }
    // Heartbeats carry ids too: where nothing matches for a month, the cursor is not a month old.
    state.cursor = chunk.lastEventId || state.cursor;
    // A server that greets and hangs up is in trouble; one that was there for a heartbeat was well.
    if (!chunk.isFirst) state.failures = 0;
  }
}

/** The reason that the server gives for ending a stream. The next connection shows whether it has passed. */
const endOf = (data: string): SluiceError =>
  new SluiceError('no_answer', (JSON.parse(data) as { message: string }).message);

interface Chunk {
  readonly events: readonly StreamEvent[];
  readonly lastEventId: string;
  readonly retry: number | undefined;
  readonly isFirst: boolean;
}

/** The chunks of one connection, until it ends, is lost, or the caller stops reading. */
async function* connect(
  transport: Transport,
  query: Readonly<Record<string, string | undefined>>,
  { signal, idleTimeout = IDLE_TIMEOUT }: StreamOptions,
): AsyncGenerator<Chunk, void> {
  const ended = new AbortController();
  const lose = () => ended.abort(new Error(`no sign of life for ${idleTimeout / 1_000} s`));
  const path = `/matches/stream${queryString(query)}`;
  const answer = await transport.open({
    method: 'GET',
    path,
    headers: { Accept: 'text/event-stream' },
    signal: signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]),
  });
  const parser = createEventStreamParser();
  let isFirst = true;
  let timer = setTimeout(lose, idleTimeout);
  try {
    for await (const bytes of bodyOf(answer)) {
      clearTimeout(timer);
      const events = parser.push(bytes);
      yield { events, lastEventId: parser.lastEventId, retry: parser.retry, isFirst };
      isFirst = false;
      timer = setTimeout(lose, idleTimeout);
    }
  } catch (error) {
    throw error instanceof SluiceError || signal?.aborted ? error : noAnswer(path, ended.signal.reason ?? error);
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
}

/** Not every browser can iterate over a body. */
async function* bodyOf(answer: Response): AsyncGenerator<Uint8Array, void> {
  if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    throw new SluiceError('internal', 'The server did not answer with a stream of events.', { status: answer.status });
  }
  const reader = answer.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}
