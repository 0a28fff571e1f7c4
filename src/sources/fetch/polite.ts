/**
 * Spares hosts: one request to a host at a time, a pause between two of them, and none while the host has asked us to stay
 * away. Sources that visit many hosts fetch through this.
 */
import type { Clock } from '../../base/clock.ts';
import type { HttpAnswer, HttpRequest, SourceHttp } from './fetch-url.ts';
import { hostOf, SourceError } from './source-error.ts';

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
const MAX_PAUSE_MS = 60_000;
/** A redirect is followed after this long at most: the time for the whole request runs. */
const REDIRECT_MS = 5_000;
/** Idle hosts are looked for when there are twice as many hosts as were left the last time, and at least so many. */
const FEW = 256;

export function createPolite({ clock, http, pauseMs }: PoliteOptions): Polite {
  const hosts = new Map<string, Host>();
  let sweepAt = FEW;

  function hostFor(url: string): Host {
    if (hosts.size >= sweepAt) dropIdle();
    const name = hostOf(url);
    const known = hosts.get(name);
    if (known !== undefined) return known;
    const past = Number.NEGATIVE_INFINITY;
    const host = { requests: 0, last: Promise.resolve(), pauseMs, lastAt: past, closedUntil: past };
    hosts.set(name, host);
    return host;
  }

  function dropIdle(): void {
    const now = clock.elapsed();
    for (const [name, host] of hosts)
      if (host.requests === 0 && host.lastAt + host.pauseMs <= now && host.closedUntil <= now) hosts.delete(name);
    sweepAt = Math.max(FEW, hosts.size * 2);
  }

  /** Waits out the pause, and takes the next one: a redirect may lead to a host that others wait for. */
  async function enter(url: string, signal: AbortSignal, mostMs = Number.POSITIVE_INFINITY): Promise<void> {
    const host = hostFor(url);
    const now = clock.elapsed();
    const turn = Math.min(Math.max(host.lastAt + host.pauseMs, now), now + mostMs);
    host.lastAt = turn;
    if (turn > now) await clock.sleep(turn - now, signal);
    checkOpen(host, url);
  }

  function checkOpen(host: Host, url: string): void {
    const closed = host.closedUntil - clock.elapsed();
    if (closed > 0)
      throw new SourceError(`${hostOf(url)} wants no requests at the moment.`, { retryAfter: closed / 1_000 });
  }

  async function visit(host: Host, request: HttpRequest): Promise<HttpAnswer> {
    await enter(request.url, request.signal);
    const onRedirect = async (url: string) => {
      await request.onRedirect?.(url);
      await enter(url, request.signal, REDIRECT_MS);
    };
    const answer = await http.get({ ...request, onRedirect });
    const isClosed = answer.status === 403 && answer.retryAfter !== undefined;
    if (answer.status === 429 || answer.status === 503 || isClosed) {
      host.closedUntil = clock.elapsed() + (answer.retryAfter ?? STAY_AWAY) * 1_000;
    }
    return answer;
  }

  return {
    get(request) {
      const host = hostFor(request.url);
      host.requests++;
      const answer = host.last.then(() => visit(host, request));
      host.last = answer
        .catch(() => {})
        .then(() => {
          host.requests--;
          host.lastAt = Math.max(host.lastAt, clock.elapsed());
        });
      return answer;
    },
    slowDown(url, milliseconds) {
      const host = hostFor(url);
      host.pauseMs = Math.max(host.pauseMs, Math.min(milliseconds, MAX_PAUSE_MS));
    },
    get hosts() {
      return hosts.size;
    },
  };
}
