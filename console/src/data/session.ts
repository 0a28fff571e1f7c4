/**
 * Whether the user is signed in. The session is a cookie that no script can read; this module only knows what the server
 * last said about it.
 */
import { focusManager } from '@tanstack/react-query';
import { SluiceError } from '../../../packages/client/src/index.ts';
import { client, clientWithKey, SERVER } from './client.ts';
import { forgetDrafts } from './drafts.ts';
import { observable, useObservable } from './observable.ts';
import { finishDeletions } from './undo.ts';

/** `ended`: the server no longer accepts the session, because it expired or its key was revoked. */
export type SessionState = 'asking' | 'open' | 'none' | 'ended';

const session = observable<SessionState>('asking');

export const useSession = (): SessionState => useObservable(session);

/** Asks the server whether the cookie, if there is one, is still valid. Answers the name of its account. */
export async function askForSession(): Promise<string | undefined> {
  try {
    const { account } = await client.status();
    noteAccount(account.id);
    session.set('open');
    return account.name;
  } catch (error) {
    if (!isUnauthenticated(error)) throw error;
    session.set('none');
    return undefined;
  }
}

/** The account that this page shows, to notice that a person signs in to another one. */
let accountId: string | undefined;

export function noteAccount(id: string): void {
  accountId = id;
}

/** Exchanges a key, or the ticket of a one-time link, for a session. The key is not stored. */
export async function openSession(key: string): Promise<void> {
  // Another session may not be allowed what this one still is. What is refused is said, and hinders nobody.
  await finishDeletions().catch(() => {});
  await clientWithKey(key).createSession();
  if (accountId !== undefined && (await client.status()).account.id !== accountId) {
    // Nothing of the other account may stay: neither what was loaded nor what was typed.
    forgetDrafts();
    location.reload();
    return new Promise(() => {});
  }
  // Another key of the same account may see less.
  await Promise.all(opening.map((run) => run()));
  focusManager.setFocused(undefined);
  session.set('open');
}

const opening: (() => Promise<unknown>)[] = [];

/** Calls back when a session is opened, before pages show anything. */
export const onOpening = (run: () => Promise<unknown>): void => void opening.push(run);

/** Signs out: the server deletes the session, and the browser its cookie. */
export async function endSession(): Promise<void> {
  await finishDeletions().catch(() => {
    throw new Error('You are still signed in, because something could not be deleted. Sign out again to leave it.');
  });
  const answer = await fetch(`${SERVER}session/end`, { method: 'POST', headers: { 'X-Sluice-Session': '1' } });
  if (!answer.ok) throw new Error('Signing out failed: the server did not confirm it. Try again.');
  forgetDrafts();
  // The next person gets a fresh page.
  accountId = undefined;
  session.set('none');
}

/** Called with the failure of any request. An `unauthenticated` one ends the session for the whole page. */
export function noticeFailure(error: unknown): void {
  if (!isUnauthenticated(error) || session.get() !== 'open') return;
  // Nothing is polled without a session.
  focusManager.setFocused(false);
  session.set('ended');
}

const isUnauthenticated = (error: unknown): boolean => error instanceof SluiceError && error.code === 'unauthenticated';
