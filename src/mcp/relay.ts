/**
 * Standard input and output for a server that is elsewhere: every message is passed to its `/mcp` and every answer
 * back, unread but for what HTTP wants to know. So the tools are always those of that server and of that key.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import {
  CHANNEL_CAPABILITY,
  CHANNEL_INSTRUCTIONS,
  CHANNEL_METHOD,
  type ChannelEnds,
  type ChannelEvent,
  type ChannelOptions,
  runChannel,
} from './channel.ts';

export interface Relay {
  readonly url: string;
  readonly key: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
  readonly fetch: typeof fetch;
  /** For people: it goes where the protocol does not. */
  complain(message: string): void;
  readonly channel?: ChannelOptions | undefined;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Initialized;
}

interface Initialized {
  readonly protocolVersion?: string;
  readonly capabilities?: { readonly experimental?: object };
  readonly instructions?: string;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** Begins the ids of our own requests to the client. */
const OWN_ID = 'sluice-channel-';
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NO_ANSWER = -32_000;

/** Resolves when the input ends; what is under way then is given up. */
export async function relay(options: Relay): Promise<void> {
  const underWay = new Map<string | number, AbortController>();
  /** The protocol version that an older client agreed on; newer clients name it in every message. */
  let agreed: string | undefined;

  const write = (message: unknown) => void options.output.write(`${JSON.stringify(message)}\n`);
  const fail = (id: string | number | undefined, code: number, message: string) => {
    if (id === undefined) options.complain(message);
    else write({ jsonrpc: '2.0', id, error: { code, message } });
  };

  async function pass(message: Message): Promise<void> {
    const controller = new AbortController();
    if (message.id !== undefined) underWay.set(message.id, controller);
    try {
      const response = await send(options, message, agreed, controller.signal);
      for await (const answer of answersIn(response)) {
        if (message.method === 'initialize') agreed = answer.result?.protocolVersion ?? agreed;
        write(message.method === 'initialize' && options.channel !== undefined ? withChannel(answer) : answer);
      }
    } catch (error) {
      if (!controller.signal.aborted) fail(message.id, NO_ANSWER, reasonOf(error, options.url));
    } finally {
      if (message.id !== undefined) underWay.delete(message.id);
    }
  }

  const ended = new AbortController();
  const pings = createPings(write);
  for await (const line of createInterface({ input: options.input })) {
    if (line.trim() === '') continue;
    const { message, error } = readLine(line);
    if (message?.method === 'notifications/initialized') openChannel(options, write, pings, ended.signal);
    if (message === undefined) write({ jsonrpc: '2.0', id: null, error });
    else if (message.method === 'notifications/cancelled') underWay.get(cancelledId(message))?.abort();
    else if (!pings.take(message)) void pass(message);
  }
  ended.abort();
  for (const controller of underWay.values()) controller.abort();
}

/** The server knows nothing of the channel, which is between us and the program that started us. */
function withChannel(answer: Message): Message {
  const { result } = answer;
  if (result === undefined) return answer;
  const experimental = { ...result.capabilities?.experimental, [CHANNEL_CAPABILITY]: {} };
  return {
    ...answer,
    result: {
      ...result,
      capabilities: { ...result.capabilities, experimental },
      instructions: `${result.instructions ?? ''}${CHANNEL_INSTRUCTIONS}`.trimStart(),
    },
  };
}

interface Pings {
  send(signal: AbortSignal): Promise<void>;
  /** Whether the message answers a ping of ours. An error is an answer, too. */
  take(message: Message): boolean;
}

function createPings(write: (message: unknown) => void): Pings {
  const waiting = new Map<string, () => void>();
  let sent = 0;
  return {
    send: (signal) =>
      new Promise((resolve) => {
        const id = `${OWN_ID}${++sent}`;
        // The signal lasts as long as the session: what listens to it must not grow with the pings.
        const taken = () => {
          signal.removeEventListener('abort', taken);
          resolve();
        };
        waiting.set(id, taken);
        signal.addEventListener('abort', taken);
        write({ jsonrpc: '2.0', id, method: 'ping' });
      }),
    take({ id, method }) {
      if (method !== undefined || typeof id !== 'string' || !id.startsWith(OWN_ID)) return false;
      waiting.get(id)?.();
      return waiting.delete(id);
    },
  };
}

function openChannel(options: Relay, write: (message: unknown) => void, pings: Pings, signal: AbortSignal): void {
  if (options.channel === undefined) return;
  const push = (params: ChannelEvent) => write({ jsonrpc: '2.0', method: CHANNEL_METHOD, params });
  const call: ChannelEnds['call'] = (name, input, ended) => callRemote(options, name, input, ended);
  runChannel(options.channel, { call, push, ping: pings.send }, signal).catch((error: unknown) =>
    options.complain(`The channel has ended. ${(error as Error).message}`),
  );
}

/** An operation of the server, called for ourselves. */
async function callRemote(
  { url, key, fetch: call }: Relay,
  name: string,
  input: object,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await call(`${url}/api.${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
    method: 'POST',
    signal,
    body: JSON.stringify(input),
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
  }).catch((error: unknown) => {
    throw new Error(reasonOf(error, url));
  });
  const body = (await response.json()) as { code?: string; message?: string };
  if (response.ok) return body;
  throw Object.assign(new Error(body.message), { code: body.code });
}

const cancelledId = ({ params }: Message): string | number => params?.['requestId'] as string | number;

/** The message in a line, or what is wrong with the line. */
function readLine(line: string): { message?: Message; error?: { code: number; message: string } } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { error: { code: PARSE_ERROR, message: 'This line is not JSON.' } };
  }
  if (typeof value === 'object' && value !== null) return { message: value };
  return { error: { code: INVALID_REQUEST, message: 'A message is a JSON object.' } };
}

async function send(
  { url, key, fetch: call }: Relay,
  message: Message,
  agreed: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const meta = message.params?.['_meta'] as Record<string, string> | undefined;
  const version = meta?.[VERSION_KEY] ?? agreed;
  const name = message.params?.['name'] ?? message.params?.['uri'];
  const response = await call(`${url}/mcp`, {
    method: 'POST',
    signal,
    body: JSON.stringify(message),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(version !== undefined && { 'mcp-protocol-version': version }),
      ...(message.method !== undefined && { 'mcp-method': message.method }),
      ...(typeof name === 'string' && { 'mcp-name': headerOf(name) }),
    },
  });
  return response;
}

/** A header is ASCII; anything else is written as the protocol says. */
const headerOf = (value: string): string =>
  /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;

/** The messages in an answer: one, a stream of them, or none. A refusal in our own words becomes an error. */
async function* answersIn(response: Response): AsyncIterable<Message> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    yield* events(response);
    return;
  }
  const text = await response.text();
  if (text === '') return;
  const body = JSON.parse(text) as Message & { jsonrpc?: string; code?: string; message?: string };
  if (body.jsonrpc === undefined) throw new Error(`${body.code}: ${body.message}`);
  yield body;
}

async function* events(response: Response): AsyncIterable<Message> {
  const found: Message[] = [];
  const parser = createParser({ onEvent: ({ data }) => found.push(JSON.parse(data) as Message) });
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    parser.feed(chunk);
    yield* found.splice(0);
  }
}

function reasonOf(error: unknown, url: string): string {
  const { message, cause } = error as Error;
  if (message.startsWith('unauthenticated')) return `${message} Set SLUICE_API_KEY to a key of ${url}.`;
  if (!(cause instanceof Error)) return message;
  return `There is no answer from ${url}: is the server running? (${cause.message})`;
}
