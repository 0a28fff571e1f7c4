/**
 * The event-stream format of server-sent events, read as it comes in, wherever the bytes happen to be cut. What it
 * does is the HTML standard's algorithm; reconnecting is left to whoever reads.
 */

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that was seen, in this event or before it; empty when there was none. */
  readonly lastEventId: string;
}

export interface EventStreamParser {
  /** The events that are whole now. */
  push(bytes: Uint8Array): ServerEvent[];
  /** The wait before reconnecting that the server asked for, in milliseconds. */
  readonly retry: number | undefined;
  /** The last id that came with a whole block, with data in it or without. */
  readonly lastEventId: string;
}

export function createEventStreamParser(): EventStreamParser {
  // The decoder takes away one byte order mark at the beginning, and keeps the start of a character that was cut.
  const decoder = new TextDecoder();
  const lines = createLineSplitter();
  let data: string[] = [];
  let event = '';
  let id = '';
  let lastEventId = '';
  let retry: number | undefined;

  function dispatch(): ServerEvent | undefined {
    lastEventId = id;
    const found = data.length === 0 ? undefined : { event: event || 'message', data: data.join('\n'), lastEventId };
    data = [];
    event = '';
    return found;
  }

  function readField(name: string, value: string): void {
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value);
  }

  return {
    push(bytes) {
      const events: ServerEvent[] = [];
      for (const line of lines(decoder.decode(bytes, { stream: true }))) {
        const found = line === '' ? dispatch() : readLine(line, readField);
        if (found !== undefined) events.push(found);
      }
      return events;
    },
    get retry() {
      return retry;
    },
    get lastEventId() {
      return lastEventId;
    },
  };
}

function readLine(line: string, readField: (name: string, value: string) => void): undefined {
  const colon = line.indexOf(':');
  if (colon === -1) readField(line, '');
  // A line that begins with a colon is a comment.
  else if (colon > 0) readField(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1));
}

/** Lines end with CR, LF or both; a pair may be cut in two. A long line is joined once, however many pieces it came in. */
function createLineSplitter(): (text: string) => string[] {
  let pieces: string[] = [];
  let afterReturn = false;
  return (text) => {
    if (text === '') return [];
    const rest = afterReturn && text[0] === '\n' ? text.slice(1) : text;
    afterReturn = text.endsWith('\r');
    const parts = rest.split(/\r\n|\n|\r/);
    const last = parts.pop()!;
    if (parts.length > 0) {
      parts[0] = pieces.join('') + parts[0]!;
      pieces = [];
    }
    if (last !== '') pieces.push(last);
    return parts;
  };
}
