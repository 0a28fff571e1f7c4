/** A connection to a browser: calls with their answers, and events, as the DevTools protocol has them. */

import { WebSocket } from 'ws';
import { z } from 'zod';
import { SourceError } from './source-error.ts';

export interface DevTools extends AsyncDisposable {
  /** Rejects when the browser refuses, or the connection ends. */
  call(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>;
  on(event: string, hear: (params: Readonly<Record<string, unknown>>) => void): void;
}

/** A frame is parsed in one go, in the thread that answers requests. What a page makes the browser send is as long as the page likes. */
const MAX_FRAME = 8 * 1024 * 1024;
/** The bytes of all frames of a connection, which is for one page. */
const MOST_BYTES = 16 * 1024 * 1024;

const frameShape = z.object({
  id: z.int().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
  result: z.record(z.string(), z.unknown()).default({}),
  error: z.object({ message: z.string() }).optional(),
});

type Frame = z.infer<typeof frameShape>;

function readFrame(data: Buffer): Frame | undefined {
  try {
    return frameShape.safeParse(JSON.parse(data.toString())).data;
  } catch {
    return undefined;
  }
}

interface Call {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

function answerCall(call: Call, { result, error }: Frame): void {
  if (error === undefined) call.resolve(result);
  else call.reject(new SourceError(`The browser refused: ${error.message.slice(0, 200)}`));
}

export async function openDevTools(address: string, signal: AbortSignal): Promise<DevTools> {
  const socket = new WebSocket(await debuggerOf(address, signal), { maxPayload: MAX_FRAME, perMessageDeflate: false });
  const calls = new Map<number, Call>();
  const heard = new Map<string, (params: Readonly<Record<string, unknown>>) => void>();
  let [count, bytes] = [0, 0];
  const fail = (error: Error): void => {
    for (const one of calls.values()) one.reject(error);
    calls.clear();
    socket.terminate();
  };
  const away = () => fail(new SourceError('The browser has gone away.'));
  socket.on('error', (error) => fail(problemOf(error)));
  socket.on('close', away);
  signal.addEventListener('abort', away);
  socket.on('message', (data: Buffer) => {
    bytes += data.length;
    if (bytes > MOST_BYTES) return fail(new SourceError(TOO_MUCH));
    const frame = readFrame(data);
    // Somebody else may listen at the address that the operator gave.
    if (frame === undefined) return fail(new SourceError('The browser does not speak the DevTools protocol.'));
    if (frame.id === undefined) return heard.get(frame.method ?? '')?.(frame.params);
    const asked = calls.get(frame.id);
    if (calls.delete(frame.id)) answerCall(asked!, frame);
  });
  await opened(socket);
  return {
    call(method, params = {}, sessionId) {
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new SourceError('The browser has gone away.'));
      calls.set(++count, { resolve, reject });
      socket.send(JSON.stringify({ id: count, method, params, ...(sessionId !== undefined && { sessionId }) }));
      return promise;
    },
    on: (event, hear) => void heard.set(event, hear),
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', away);
      socket.terminate();
    },
  };
}

const TOO_MUCH = `The page has the browser send frames of more than ${MAX_FRAME} bytes, or ${MOST_BYTES} in all.`;

const problemOf = (error: Error): SourceError =>
  'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
    ? new SourceError(TOO_MUCH)
    : new SourceError('The browser cannot be reached.', { cause: error });

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('close', () => reject(new SourceError('The browser cannot be reached.')));
  });
}

/** A browser tells the address of its debugger over HTTP. */
async function debuggerOf(address: string, signal: AbortSignal): Promise<string> {
  if (/^wss?:/.test(address)) return address;
  try {
    const answer = await fetch(new URL('/json/version', address), { signal });
    const { webSocketDebuggerUrl } = z.object({ webSocketDebuggerUrl: z.url() }).parse(await answer.json());
    const url = new URL(webSocketDebuggerUrl);
    // The browser names itself as it sees itself.
    url.host = new URL(address).host;
    return url.href;
  } catch (error) {
    throw new SourceError('The browser cannot be reached.', { cause: error });
  }
}
