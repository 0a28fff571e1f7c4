import type { Account, Key } from '../../domain/account.ts';

/** Who is calling: found once, at the edge, from the key. Operations see nothing of the request but this. */
export interface Caller {
  readonly account: Account;
  readonly key: Key;
}
