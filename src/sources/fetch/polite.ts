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
}

export interface PoliteOptions {
  readonly clock: Clock;
  readonly http: SourceHttp;
  readonly pauseMs: number;
}

interface Host {
  last: Promise<unknown>;
  pauseMs: number;
  closedUntil: number;
}

/** Seconds, where a busy host does not say for how long. */
const STAY_AWAY = 60;
const MAX_PAUSE_MS = 60_000;

export function createPolite({ clock, http, pauseMs }: PoliteOptions): Polite {
  const hosts = new Map<string, Host>();

  function hostFor(url: string): Host {
    const name = hostOf(url);
    const host = hosts.get(name) ?? { last: Promise.resolve(), pauseMs, closedUntil: Number.NEGATIVE_INFINITY };
    hosts.set(name, host);
    return host;
  }

  async function visit(host: Host, request: HttpRequest): Promise<HttpAnswer> {
    const closed = host.closedUntil - clock.elapsed();
    if (closed > 0)
      throw new SourceError(`${hostOf(request.url)} wants no requests at the moment.`, { retryAfter: closed / 1_000 });
    const answer = await http.get(request);
    const isClosed = answer.status === 403 && answer.retryAfter !== undefined;
    if (answer.status === 429 || answer.status === 503 || isClosed) {
      host.closedUntil = clock.elapsed() + (answer.retryAfter ?? STAY_AWAY) * 1_000;
    }
    return answer;
  }

  return {
    get(request) {
      const host = hostFor(request.url);
      const answer = host.last.then(() => visit(host, request));
      host.last = answer.catch(() => {}).then(() => clock.sleep(host.pauseMs, request.signal));
      return answer;
    },
    slowDown(url, milliseconds) {
      const host = hostFor(url);
      host.pauseMs = Math.max(host.pauseMs, Math.min(milliseconds, MAX_PAUSE_MS));
    },
  };
}
