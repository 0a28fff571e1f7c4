/**
 * The API as the console calls it: the same client that everybody has, with the cookie of the session in place of a
 * key. What fails is tried again by the client itself, so nothing above it needs to.
 */
import { createClient } from '../../../src/client/index.ts';

export const client = createClient({ url: location.origin, retries: 2 });

/** For the one call that needs a key: opening a session. The key is forgotten with the call. */
export const clientWithKey = (key: string) => createClient({ url: location.origin, key, retries: 0 });
