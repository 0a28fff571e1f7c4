/**
 * The API as the console calls it: the same client that everybody has, with the cookie of the session in place of a
 * key. What fails is tried again by the client itself, so nothing above it needs to.
 */
import { createClient } from '../../../src/client/index.ts';
import type { Watch } from './feed.ts';

/** Where the page came from; it may be a folder, behind a proxy. */
export const SERVER = new URL('.', location.href).href;

export const client = createClient({ url: SERVER, retries: 2 });

/** For the one call that needs a key: opening a session. The key is forgotten with the call. */
export const clientWithKey = (key: string) => createClient({ url: SERVER, key, retries: 0 });

/** A client for what stays open: it says how the connection is, and waits no longer than until the network is back. */
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
