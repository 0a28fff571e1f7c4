/**
 * The API as the console calls it: the published client, with the session cookie in place of a key. The client retries
 * failed requests itself, so no code above it has to.
 */
import { createClient } from '../../../packages/client/src/index.ts';
import { waitAfter } from '../../../packages/client/src/retry.ts';
import { noteServerTime } from '../ui/clock.ts';
import type { Watch } from './feed.ts';
import { readRules } from './read-rules.ts';

/** The address that the page came from. Behind a proxy it may be a folder. */
export const SERVER = new URL('.', location.href).href;

async function timedFetch(...args: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(...args);
  noteServerTime(answer.headers.get('date'));
  return answer;
}

export const client = createClient({ url: SERVER, retries: 2, fetch: timedFetch });

/** For the one answer that may have megabytes. */
export const listingClient = createClient({ url: SERVER, retries: 2, parse: readRules });

/** For the one call that needs a key: opening a session. The console does not keep the key. */
export const clientWithKey = (key: string) => createClient({ url: SERVER, key, retries: 0 });

/** A client for the live feed. It reports lost and restored connections, and retries as soon as the network is back. */
export const watchedClient = ({ onTrouble, onAnswer }: Watch) =>
  createClient({
    url: SERVER,
    onRetry: onTrouble,
    wait: waitOrOnline,
    async fetch(...args) {
      const answer = await fetch(...args);
      onAnswer();
      return answer;
    },
  });

const FIRST_PAUSE = 3_000;

/** Before a feed that could not be loaded is asked for again: as long as a stream waits before it connects again. */
export const pauseAfter = (failures: number, signal: AbortSignal): Promise<void> =>
  waitOrOnline(waitAfter(failures, undefined, Math.random(), FIRST_PAUSE), signal);

function waitOrOnline(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const ended = new AbortController();
    const end = () => {
      clearTimeout(timer);
      ended.abort();
      done();
    };
    const timer = setTimeout(end, milliseconds);
    window.addEventListener('online', end, { signal: ended.signal });
    signal?.addEventListener('abort', end, { signal: ended.signal });
    if (signal?.aborted) end();
  });
}
