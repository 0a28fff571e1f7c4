/**
 * Spares hosts: one request to a host at a time, a pause between two of them, and none while the host has asked us to stay
 * away. Sources that visit many hosts fetch through this.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { HttpAnswer, HttpRequest, SourceHttp } from './fetch-url.ts';
import { GoneError, hostOf, SourceError } from './source-error.ts';

export interface Polite {
  get(request: HttpRequest): Promise<HttpAnswer>;
  /** The host asks for a pause of this many milliseconds between two requests. */
  slowDown(url: string, milliseconds: number): void;
  /** How many hosts it remembers: those that are asked, that wait out a pause, or that want no requests. */
  readonly hosts: number;
}

export interface PoliteOptions {
  readonly clock: Clock;
  readonly http: Pick<SourceHttp, 'get'>;
  readonly pauseMs: number;
}

interface Host {
  /** Requests that wait or are under way. */
  requests: number;
  last: Promise<unknown>;
  pauseMs: number;
  /** When it was last asked, or answered; in the future while a request waits for its turn. */
  lastAt: number;
  closedUntil: number;
}

/** Seconds, where a busy host does not say for how long. */
const STAY_AWAY = 60;
/** The longest pause between two requests to a host, whoever asks for it: others wait for the host meanwhile. */
export const MAX_PAUSE_MS = 60_000;
/** A redirect is followed after this long at most: the time for the whole request runs. */
const REDIRECT_MS = 5_000;
/** Idle hosts are looked for when there are twice as many hosts as were left the last time, and at least so many. */
const FEW = 256;

interface State extends PoliteOptions {
  readonly hosts: Map<string, Host>;
  sweepAt: number;
}

export function createPolite(options: PoliteOptions): Polite {
  // Options that were stored may ask for more.
  const pauseMs = Math.min(options.pauseMs, MAX_PAUSE_MS);
  const state: State = { ...options, pauseMs, hosts: new Map(), sweepAt: FEW };
  return {
    get(request) {
      const host = hostFor(state, request.url);
      host.requests++;
      const answer = host.last.then(() => visit(state, host, request));
      host.last = leave(state, host, answer);
      return answer;
    },
    slowDown(url, milliseconds) {
      const host = hostFor(state, url);
      host.pauseMs = Math.max(host.pauseMs, Math.min(milliseconds, MAX_PAUSE_MS));
    },
    get hosts() {
      return state.hosts.size;
    },
  };
}

/** The pause begins when the answer is there, or will not come. */
async function leave({ clock }: State, host: Host, answer: Promise<unknown>): Promise<void> {
  await answer.catch(() => {});
  host.requests--;
  host.lastAt = Math.max(host.lastAt, clock.elapsed());
}

function hostFor(state: State, url: string): Host {
  const { hosts, pauseMs } = state;
  if (hosts.size >= state.sweepAt) dropIdle(state);
  const name = hostOf(url);
  const known = hosts.get(name);
  if (known !== undefined) return known;
  const past = Number.NEGATIVE_INFINITY;
  const host = { requests: 0, last: Promise.resolve(), pauseMs, lastAt: past, closedUntil: past };
  hosts.set(name, host);
  return host;
}

function dropIdle(state: State): void {
  const { hosts, clock } = state;
  const now = clock.elapsed();
  for (const [name, host] of hosts)
    if (host.requests === 0 && host.lastAt + host.pauseMs <= now && host.closedUntil <= now) hosts.delete(name);
  state.sweepAt = Math.max(FEW, hosts.size * 2);
}

async function visit(state: State, host: Host, request: HttpRequest): Promise<HttpAnswer> {
  const { clock, http } = state;
  await enter(state, request.url, request.signal);
  const onRedirect = async (url: string) => {
    await request.onRedirect?.(url);
    await enter(state, url, request.signal, REDIRECT_MS);
  };
  const answer = await http.get({ ...request, onRedirect });
  const isClosed = answer.status === 403 && answer.retryAfter !== undefined;
  if (answer.status === 429 || answer.status === 503 || isClosed) {
    host.closedUntil = clock.elapsed() + (answer.retryAfter ?? STAY_AWAY) * 1_000;
  }
  return answer;
}

/** Waits out the pause, and takes the next one: a redirect may lead to a host that others wait for. */
async function enter(state: State, url: string, signal: AbortSignal, mostMs = Number.POSITIVE_INFINITY): Promise<void> {
  const { clock } = state;
  const host = hostFor(state, url);
  const now = clock.elapsed();
  const turn = Math.min(Math.max(host.lastAt + host.pauseMs, now), now + mostMs);
  host.lastAt = turn;
  if (turn > now) await clock.sleep(turn - now, signal);
  const closed = host.closedUntil - clock.elapsed();
  if (closed > 0)
    throw new SourceError(`${hostOf(url)} wants no requests at the moment.`, { retryAfter: closed / 1_000 });
}

/**
 * Conditional requests: the request has the validators of the server's last answer, and the server sends nothing if
 * nothing is new. A source stores the validators together with its other data about an address.
 */

/** `ETag` and `Last-Modified` of an answer. */
export const validators = z.object({ etag: z.string().optional(), modified: z.string().optional() });
type Validators = z.output<typeof validators>;

interface ConditionalRequest {
  readonly url: string;
  readonly accept: string;
  readonly maxBytes: number;
  readonly known: Validators | undefined;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Told the headers of each answer, also where nothing is new. */
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void;
}

/** The answer with its validators; undefined when nothing is new. */
export async function getIfNew(
  polite: Polite,
  { url, accept, maxBytes, known, signal, headers: given, onHeaders }: ConditionalRequest,
): Promise<(HttpAnswer & { readonly validators: Validators }) | undefined> {
  const answer = await polite.get({ url, headers: { ...given, accept, ...headersOf(known) }, maxBytes, signal });
  const { status, headers, retryAfter } = answer;
  onHeaders?.(headers);
  if (status === 304) return undefined;
  if (status === 410) throw new GoneError(`${url} is gone. It is asked for again in a day.`);
  if (status !== 200) throw new SourceError(`${hostOf(url)} answered ${status} for ${url}.`, { retryAfter });
  return {
    ...answer,
    validators: {
      ...(headers.etag !== undefined && { etag: headers.etag }),
      ...(headers['last-modified'] !== undefined && { modified: headers['last-modified'] }),
    },
  };
}

const headersOf = (known: Validators | undefined): Record<string, string> => ({
  ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
  ...(known?.modified !== undefined && { 'if-modified-since': known.modified }),
});
