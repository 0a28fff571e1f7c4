/** Reads a stream of server-sent events over an open answer. */
import { createParser } from 'eventsource-parser';
import { type Desk, SourceError } from '../source.ts';
import { hostOf } from './redirects.ts';

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that the server gave, with this event or before it. */
  readonly id: string | undefined;
}

export interface StreamRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stallMs?: number;
}

/** An event longer than this is no post; its connection is given up. */
const MAX_EVENT = 1024 * 1024;

/**
 * Opens the stream, and answers once it is open: what happens from now on will be in it. It yields until the server ends
 * it or falls silent, and then throws: a stream that ends is to be opened again.
 */
export async function openEventStream(desk: Desk, request: StreamRequest): Promise<AsyncIterable<ServerEvent>> {
  const headers = { accept: 'text/event-stream', 'cache-control': 'no-store', ...request.headers };
  const chunks = await desk.http.stream({ ...request, headers, signal: desk.signal });
  desk.live();
  return eventsOf(chunks, hostOf(request.url));
}

async function* eventsOf(chunks: AsyncIterable<Buffer>, host: string): AsyncIterable<ServerEvent> {
  const found: ServerEvent[] = [];
  let id: string | undefined;
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onId: (given) => {
      id = given;
    },
    onEvent: ({ event, data }) => found.push({ event: event ?? 'message', data, id }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw new SourceError(`${host} sent an event without an end.`);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* found.splice(0);
  }
  throw new SourceError(`${host} ended the stream.`);
}
