/** One request and its answer: the key, time limits, failures as errors, and trying again where that may help. */
import { errorOf, SluiceError } from './error.ts';
import { isPassing, wait, waitAfter } from './retry.ts';

export interface ClientOptions {
  /** The address of the server, for instance `http://127.0.0.1:4800`. */
  readonly url: string;
  /** An API key. Left out in the console, where the cookie of a session stands for it. */
  readonly key?: string;
  /** How often a request that failed is tried again, where that may help; 3 when it is left out. */
  readonly retries?: number;
  /** Milliseconds after which a server that has not begun to answer has failed; 60,000 when it is left out. */
  readonly timeout?: number;
  /** Called before each wait. What it throws ends the call. */
  readonly onRetry?: (error: SluiceError, seconds: number) => void;
  readonly fetch?: typeof fetch;
  /** Reads the text of an answer; `JSON.parse` when it is left out. */
  readonly parse?: (text: string) => unknown;
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

export interface Transport {
  readonly retries: number;
  readonly onRetry: (error: SluiceError, seconds: number) => void;
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** One attempt: the answer if it is a good one, else a `SluiceError`. */
  open(request: ClientRequest): Promise<Response>;
  /** As many attempts as it takes and as are allowed; the body, read as JSON. */
  send(request: ClientRequest & { readonly repeatable: boolean }): Promise<unknown>;
}

export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export function createTransport(options: ClientOptions): Transport {
  const base = options.url.replace(/\/+$/, '');
  const attempt = attempts(base, options);

  async function open(to: ClientRequest): Promise<Response> {
    const answer = await attempt(to);
    if (answer.ok) return answer;
    throw errorOf(answer, await answer.text().catch(() => ''));
  }

  const transport: Transport = {
    retries: options.retries ?? 3,
    onRetry: options.onRetry ?? (() => {}),
    wait: options.wait ?? wait,
    random: options.random ?? Math.random,
    open,
    async send(to) {
      for (let failures = 1; ; failures++) {
        try {
          return await readJson(base, await open(to), to.signal, options.parse);
        } catch (error) {
          if (failures > transport.retries || !(error instanceof SluiceError) || !isPassing(error, to.repeatable))
            throw error;
          await pause(transport, failures, error, to.signal);
        }
      }
    },
  };
  return transport;
}

/** One request, with the key and the time limit of the client. */
function attempts(base: string, options: ClientOptions): (to: ClientRequest) => Promise<Response> {
  const own: Record<string, string> =
    options.key === undefined ? { 'X-Sluice-Session': '1' } : { Authorization: `Bearer ${options.key}` };
  const timeout = options.timeout ?? 60_000;
  // Called as a plain function: a browser's fetch refuses to be the method of an object.
  const request = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  return async ({ method, path, headers, body, signal }) => {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(new Error(`no answer within ${timeout / 1_000} s`)), timeout);
    try {
      return await request(base + path, {
        method,
        headers: { ...own, ...headers },
        // A redirect could carry the key, and a changed method, to somewhere else.
        redirect: 'error',
        signal: signal === undefined ? patience.signal : AbortSignal.any([signal, patience.signal]),
        ...(body !== undefined && { body }),
      });
    } catch (error) {
      throw signal?.aborted ? signal.reason : noAnswer(base, error);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function readJson(
  base: string,
  answer: Response,
  signal: AbortSignal | undefined,
  parse: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  const text = await answer.text().catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : noAnswer(base, error);
  });
  try {
    return await parse(text);
  } catch (cause) {
    throw new SluiceError('internal', `What ${base} answers is not JSON: is it a Sluice server?`, {
      status: answer.status,
      cause,
    });
  }
}

/** Waits as long as the failure asks for. */
export async function pause(
  { onRetry, wait: sleep, random }: Transport,
  failures: number,
  error: SluiceError,
  signal: AbortSignal | undefined,
  first?: number,
): Promise<void> {
  const milliseconds = waitAfter(failures, error, random(), first);
  onRetry(error, milliseconds / 1_000);
  await sleep(milliseconds, signal);
  signal?.throwIfAborted();
}

export function noAnswer(url: string, thrown: unknown): SluiceError {
  const { cause, message } = thrown as Error;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return new SluiceError('no_answer', `There is no answer from ${url} (${reason}).`, { cause: thrown });
}

/** The query string of the values that are given; empty when there are none. */
export function queryString(input: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '' : `?${query.toString()}`;
}
