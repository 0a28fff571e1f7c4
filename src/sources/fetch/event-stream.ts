/** Reads a stream of server-sent events. */
import { createParser } from 'eventsource-parser';
import type { FetchContext } from './rounds.ts';
import { hostOf, SourceError } from './source-error.ts';

export interface SourceEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that the server gave, with this event or before it. */
  readonly id: string | undefined;
}

export interface EventStreamRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stallMs?: number;
}

const TYPE = 'text/event-stream';
/** No post is longer. The connection is given up when an event is. */
const MAX_EVENT = 1024 * 1024;

/**
 * Resolves once the stream is open: everything that happens from now on will be in it. It yields until the server ends it
 * or falls silent, and then throws, so that the source opens it again.
 */
export async function openEventStream(
  context: FetchContext,
  request: EventStreamRequest,
): Promise<AsyncIterable<SourceEvent>> {
  const headers = { accept: TYPE, 'cache-control': 'no-store', ...request.headers };
  const chunks = await context.http.stream({ ...request, type: TYPE, headers, signal: context.signal });
  context.live();
  return eventsOf(chunks, hostOf(request.url));
}

async function* eventsOf(chunks: AsyncIterable<Buffer>, host: string): AsyncIterable<SourceEvent> {
  const found: SourceEvent[] = [];
  let id: string | undefined;
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onId: (given) => {
      id = given;
    },
    // A server that has nothing to say sends comments to show that it is there.
    onComment: () => void found.push({ event: 'comment', data: '', id }),
    onEvent: ({ event, data }) => found.push({ event: event ?? 'message', data, id }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        throw new SourceError(`${host} sent an event of more than ${MAX_EVENT} characters.`);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* found.splice(0);
  }
  throw new SourceError(`${host} ended the stream.`);
}
