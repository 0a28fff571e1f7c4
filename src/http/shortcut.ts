/**
 * List Matches for those who ask again and again: answers are kept for as long as nothing changes, and the way to them
 * goes past the framework, which takes longer than all the rest. A request with anything unusual about it, or a caller
 * who is not let in, is left to the framework with its body unread.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../service/access/caller.ts';
import { mayUse } from '../service/operations/perform.ts';
import { createVersionedCache } from '../service/versioned-cache.ts';
import type { HttpOptions } from './app.ts';
import { readJsonBody } from './body.ts';
import { failureOf, isDefect } from './errors.ts';
import { type Gate, matchesAsText, requestInfo } from './handler.ts';
import { limitHeaders } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { writeJson } from './send.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const PATH = '/matches';
/** Answers as bytes, to questions up to a length that a question may have. */
const KEPT_BYTES = 16 * 1024 * 1024;
const LONGEST_BODY = 1_024;

export function withShortcut(
  framework: Listener,
  { context, metrics }: HttpOptions,
  { auth, limiter }: Gate,
  onClose: (request: IncomingMessage) => void,
): Listener {
  const { store, clock, log } = context;
  // An answer says up to when it is complete, so none is kept for longer than a second.
  const version = async () => `${Math.floor(clock.now().getTime() / 1_000)} ${await store.version()}`;
  const answers = createVersionedCache<Buffer>(version, { limit: KEPT_BYTES, weightOf: ({ length }) => length });

  async function admitted(
    request: IncomingMessage,
  ): Promise<{ caller: Caller; headers: Record<string, string> } | undefined> {
    const caller = await auth.known(request.headers);
    if (caller === undefined || !mayUse('read', caller)) return undefined;
    if (limiter === undefined) return { caller, headers: {} };
    const taken = limiter.take(caller.key.id);
    return taken.allowed ? { caller, headers: limitHeaders(limiter, taken) } : undefined;
  }

  const answer = (caller: Caller, body: Buffer, request: IncomingMessage, response: ServerResponse): Promise<Buffer> =>
    answers.get(`${caller.account.id} ${body.toString('latin1')}`, async () =>
      Buffer.from(await matchesAsText(context, caller, readJsonBody(body), requestInfo(request, response))),
    );

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const admission = await admitted(request);
    if (admission === undefined) return framework(request, response);
    const { caller, headers } = admission;
    const id = requestId(request.headers['x-request-id']);
    response.once('close', () => {
      metrics.request(PATH, 'POST', response.statusCode, (performance.now() - started) / 1_000);
      onClose(request);
    });
    try {
      writeJson(response, id, await answer(caller, await whole(request), request, response), headers);
    } catch (error) {
      if (isDefect(error)) log.error({ err: error, request_id: id, route: PATH }, 'a request failed');
      const failure = failureOf(error);
      writeJson(response, id, JSON.stringify(failure.body), { ...headers, ...failure.headers }, failure.status);
    }
  }

  return (request, response) => {
    if (isPlain(request)) void serve(request, response);
    else framework(request, response);
  };
}

/** Nothing that the framework would have to look at twice. */
const isPlain = ({ method, url, headers }: IncomingMessage): boolean =>
  url === PATH &&
  method === 'POST' &&
  headers['content-type'] === 'application/json' &&
  Number(headers['content-length']) <= LONGEST_BODY &&
  headers.host !== undefined &&
  headers['content-encoding'] === undefined;

/** Never there when the caller goes away before the end: nobody is owed an answer then. */
const whole = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((done) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  });
