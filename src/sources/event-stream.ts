/** Reads a stream of server-sent events over an open answer. */
import { createParser } from 'eventsource-parser';
import type { Desk } from './source.ts';

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
const MAX_EVENT = 4 * 1024 * 1024;

/** Events until the server ends the stream; throws when it breaks. A stream that says nothing at all counts as broken. */
export async function* eventStream(desk: Desk, request: StreamRequest): AsyncIterable<ServerEvent> {
  const headers = { accept: 'text/event-stream', 'cache-control': 'no-store', ...request.headers };
  const chunks = await desk.http.stream({ ...request, headers, signal: desk.signal });
  desk.live();
  const found: ServerEvent[] = [];
  let id: string | undefined;
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onId: (given) => {
      id = given;
    },
    onEvent: ({ event, data }) => found.push({ event: event ?? 'message', data, id }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* found.splice(0);
  }
}
