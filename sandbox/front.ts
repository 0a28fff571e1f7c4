/** Reads, routes, records and answers every call. A stream takes over the socket instead. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../src/base/clock.ts';
import { type Answer, type Call, LOST, type Outcome, readBody, TAKEN, tokenOf } from './http.ts';
import { resetSocket } from './listener.ts';
import type { Recorder } from './recorder.ts';

export interface FrontOptions {
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly log: (message: string) => void;
  readonly route: (call: Call) => Promise<Outcome> | Outcome;
}

export function createFront({ clock, recorder, log, route }: FrontOptions): RequestListener {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = clock.now();
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    const method = request.method ?? 'GET';
    const text = await readBody(request);
    const call: Call = {
      method,
      path: pathname,
      query: searchParams,
      request,
      token: tokenOf(request),
      text: text ?? '',
    };
    const outcome = text === undefined ? TOO_LARGE : await route(call);
    const status = outcome === TAKEN ? 200 : outcome === LOST ? undefined : outcome.status;
    const path = pathname + search;
    const notBefore = typeof outcome === 'string' ? undefined : comingBack(outcome, at);
    if (!path.startsWith('/sandbox/')) recorder.call({ at, method, path, status, notBefore, headers: request.headers });
    log(`${method} ${path} ${status ?? 'lost'}`);
    if (outcome === LOST) resetSocket(request.socket);
    else if (outcome !== TAKEN) answer(response, outcome, clock);
  };

  return (request, response) => {
    respond(request, response).catch((error: unknown) => {
      log(`failed: ${String(error)}`);
      request.socket.destroy();
    });
  };
}

const TOO_LARGE: Answer = { status: 413 };

/** When the refused client may come back. If requests remain, the refusal is not about the rate limit. */
function comingBack({ status, headers = {} }: Answer, at: Date): Date | undefined {
  if (status !== 429) return undefined;
  if (headers['retry-after'] !== undefined) return new Date(at.getTime() + Number(headers['retry-after']) * 1_000);
  return headers['x-rate-limit-remaining'] === '0'
    ? new Date(Number(headers['x-rate-limit-reset']) * 1_000)
    : undefined;
}

/** The Date header is from the sandbox's clock, like every other time. */
function answer(response: ServerResponse, { status, headers = {}, body }: Answer, clock: Clock): void {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  response.sendDate = false;
  response.writeHead(status, {
    date: clock.now().toUTCString(),
    ...(text !== '' && { 'content-type': 'application/json' }),
    ...headers,
    ...(status !== 204 && { 'content-length': String(Buffer.byteLength(text)) }),
  });
  response.end(text);
}
