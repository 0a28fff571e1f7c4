import type { Account, Key } from '../../domain/account.ts';

/** The caller, found once from the key when a request arrives. Operations see only this of the request. */
export interface Caller {
  readonly account: Account;
  readonly key: Key;
  /** A person in the console, by way of a session with this key. */
  readonly isSession?: true;
}
