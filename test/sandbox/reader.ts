/** Calls to a sandbox, and streams read byte by byte, so that a test sees how each of them ended. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { until } from '../stages/receiver.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  json<T>(): T;
}

export interface CallOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly token?: string | undefined;
}

/** One request with its whole answer. */
export async function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const response = await send(url, options);
  let body = '';
  for await (const part of response.setEncoding('utf8')) body += String(part);
  return { status: response.statusCode!, headers: response.headers, body, json: <T>() => JSON.parse(body) as T };
}

/** A token unless it is undefined; a body that is text goes as it is, anything else as JSON. */
function send(url: string, { method = 'GET', body, headers = {}, ...rest }: CallOptions): Promise<IncomingMessage> {
  const token = 'token' in rest ? rest.token : 'token';
  const text = typeof body === 'string' || body === undefined ? (body ?? '') : JSON.stringify(body);
  return new Promise((done, failed) => {
    const asked = request(url, {
      method,
      agent: false,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'content-length': Buffer.byteLength(text),
        ...headers,
      },
    });
    asked.once('response', done).once('error', failed);
    asked.end(text);
  });
}

export interface Stream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: () => Buffer;
  readonly text: () => string;
  /** `ended` in order, or `cut`. */
  readonly state: () => 'open' | 'ended' | 'cut';
  /** The records so far: lines of JSON, without heartbeats. */
  readonly records: () => {
    data?: { id: string; text: string };
    matching_rules?: { id: string }[];
    errors?: unknown;
  }[];
  /** Waits until the text so far holds this. */
  has(text: string): Promise<void>;
  over(): Promise<'ended' | 'cut'>;
  close(): void;
}

export async function open(url: string, options: CallOptions = {}): Promise<Stream> {
  const response = await send(url, options);
  const parts: Buffer[] = [];
  let state: 'open' | 'ended' | 'cut' = 'open';
  response.on('data', (part: Buffer) => parts.push(part));
  response.on('error', () => {});
  response.on('close', () => {
    state = response.complete ? 'ended' : 'cut';
  });
  const bytes = () => Buffer.concat(parts);
  const text = () => bytes().toString('utf8');
  return {
    status: response.statusCode!,
    headers: response.headers,
    bytes,
    text,
    state: () => state,
    records: () =>
      text()
        .split('\r\n')
        .slice(0, -1)
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as ReturnType<Stream['records']>[number]),
    has: (wanted) => until(() => text().includes(wanted)),
    async over() {
      await until(() => state !== 'open');
      return state as 'ended' | 'cut';
    },
    close: () => void response.destroy(),
  };
}

export const STREAM = '/2/tweets/search/stream';
export const RULES = `${STREAM}/rules`;

export type LavaSandbox = Awaited<ReturnType<typeof lavaSandbox>>;

/** A sandbox with one rule on each side, `lava`, and what tests do with it most. */
export async function lavaSandbox(options: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox({ limits: 'off', ...options });
  const rule = {
    x: sandbox.addForeignRule('x', 'lava', 'volcano'),
    firehose: sandbox.addForeignRule('firehose', 'lava', 'volcano'),
  };
  let last = 0;
  return {
    ...sandbox,
    rule,
    x: (query = '', with_: CallOptions = {}) => open(`${sandbox.url}${STREAM}${query}`, with_),
    firehose: (query = '', with_: CallOptions = {}) => open(`${sandbox.url}/v1/stream${query}`, with_),
    call: (path: string, with_: CallOptions = {}) => call(sandbox.url + path, with_),
    /** Posts that the rule matches; their ids are answered. */
    posts: (...texts: string[]) =>
      texts.map((text) => sandbox.post('x', { data: { id: String(1_000 + ++last), text: `lava ${text}` } }).id),
    /** Pages likewise; their cursors are answered. */
    pages: (...texts: string[]) =>
      texts.map(
        (text) =>
          sandbox.post('firehose', {
            url: `https://news.example/${++last}`,
            publish_time: '2999-01-01T00:00:00',
            added: `lava ${text}`,
          }).cursor!,
      ),
  };
}
