/** Reads a client's document over https: through the guard of webhooks, without redirects, within a time and a size. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../base/clock.ts';
import { parseJson } from '../../base/json.ts';
import { limitInterimAnswers } from '../../base/node-http.ts';
import { type Egress, EgressError, guardedLookup, webhookUrlProblem } from '../../delivery/webhooks/egress.ts';

const TOTAL_MS = 5_000;
const MOST_BYTES = 5 * 1024;
const LIMITS = { depth: 8, keys: 200 };

export interface ClientDocument {
  readonly value: unknown;
  readonly cacheControl: string | undefined;
}

/** Fails with a `DocumentError`, whose message is for the person who is asked. */
export type FetchDocument = (url: string) => Promise<ClientDocument>;

export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

export function createDocumentFetch({ clock, egress }: { clock: Clock; egress: Egress }): FetchDocument {
  const lookup = guardedLookup(egress);
  return async (url) => {
    const problem = webhookUrlProblem(new URL(url), egress.allowPrivate);
    if (problem !== undefined) throw new DocumentError(problem);
    const ended = new AbortController();
    const late = clock
      .sleep(TOTAL_MS, ended.signal)
      .then(() => Promise.reject(new DocumentError(`It did not come within ${TOTAL_MS / 1_000} seconds.`)));
    const request = httpsRequest(url, {
      method: 'GET',
      // A new connection each time: its address was checked for this request.
      agent: false,
      lookup,
      headers: { accept: 'application/json', 'user-agent': 'Sluice' },
    });
    limitInterimAnswers(request);
    try {
      return await Promise.race([answerOf(request), late]);
    } finally {
      late.catch(() => {});
      ended.abort();
      request.destroy();
    }
  };
}

async function answerOf(request: ClientRequest): Promise<ClientDocument> {
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    request.on('error', (error) => fail(new DocumentError(wordsFor(error))));
    request.once('response', done);
    // Without this listener Node ends the connection silently, and the person would wait for nothing.
    request.once('upgrade', (refusal, socket) => {
      socket.destroy();
      done(refusal);
    });
    request.end();
  });
  const problem = headProblem(answer);
  if (problem !== undefined) throw new DocumentError(problem);
  return { value: parsed(await readBody(answer)), cacheControl: answer.headers['cache-control'] };
}

function headProblem({ statusCode, headers }: IncomingMessage): string | undefined {
  if (statusCode !== 200) return `Its host answered ${statusCode}. Only 200 is accepted, and no redirect is followed.`;
  if (!/^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? ''))
    return 'Its host did not answer with JSON.';
  return undefined;
}

function readBody(answer: IncomingMessage): Promise<string> {
  return new Promise((done, fail) => {
    const parts: Buffer[] = [];
    let size = 0;
    answer.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > MOST_BYTES) fail(new DocumentError(`It is longer than ${MOST_BYTES} bytes.`));
    });
    answer.once('end', () => done(Buffer.concat(parts).toString('utf8')));
    answer.once('error', () => fail(new DocumentError('The connection broke.')));
  });
}

function parsed(text: string): unknown {
  const result = parseJson(text, LIMITS);
  if (!result.ok) throw new DocumentError(`It is not acceptable JSON. ${result.problem}`);
  return result.value;
}

function wordsFor(error: unknown): string {
  if (error instanceof EgressError) return error.message;
  const isAnswering = (error as NodeJS.ErrnoException).code === 'ENOANSWER';
  return isAnswering ? 'Its host sent interim answers and no final one.' : 'Its host could not be reached.';
}
