/**
 * The event-stream format of server-sent events, read as it comes in, wherever the bytes happen to be cut. What it
 * does is the HTML standard's algorithm; reconnecting is left to the reader.
 */

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that was seen, in this event or before it; empty when there was none. */
  readonly lastEventId: string;
}

export interface EventStreamParser {
  /** The events that are whole now. */
  push(bytes: Uint8Array): StreamEvent[];
  /** The wait before reconnecting that the server asked for, in milliseconds. */
  readonly retry: number | undefined;
  /** The last id that came with a whole block, with data in it or without. */
  readonly lastEventId: string;
}

export function createEventStreamParser(): EventStreamParser {
  // The decoder takes away one byte order mark at the beginning, and keeps the start of a character that was cut.
  const decoder = new TextDecoder();
  const lines = createLineSplitter();
  const block = createBlock();
  return {
    push(bytes) {
      const events: StreamEvent[] = [];
      for (const line of lines(decoder.decode(bytes, { stream: true }))) {
        const found = line === '' ? block.end() : readLine(line, block.add);
        if (found !== undefined) events.push(found);
      }
      return events;
    },
    get retry() {
      return block.retry;
    },
    get lastEventId() {
      return block.lastEventId;
    },
  };
}

interface Block extends Pick<EventStreamParser, 'retry' | 'lastEventId'> {
  add(name: string, value: string): void;
  /** The event of the fields since the last end; undefined when no data was among them. */
  end(): StreamEvent | undefined;
}

/** The fields between two empty lines. Ids and the wait stay for the blocks that follow. */
function createBlock(): Block {
  let data: string[] = [];
  let [event, id, lastEventId] = ['', '', ''];
  let retry: number | undefined;
  return {
    add(name, value) {
      if (name === 'data') data.push(value);
      else if (name === 'event') event = value;
      else if (name === 'id' && !value.includes('\0')) id = value;
      else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value);
    },
    end() {
      lastEventId = id;
      const found = data.length === 0 ? undefined : { event: event || 'message', data: data.join('\n'), lastEventId };
      [data, event] = [[], ''];
      return found;
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
