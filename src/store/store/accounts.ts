/**
 * Accounts, their keys, and the sessions and tickets that stand for a key. For the operator: not scoped by account. A
 * `note` goes into the audit log with what it is about, in one transaction.
 */
import type { Account, Key, Plan } from '../../domain/account.ts';
import type { Change } from '../../domain/change.ts';

export interface AccountStore {
  addAccount(account: Account, note?: Change): Promise<void>;
  /** By id or by name. */
  account(idOrName: string): Promise<Account | undefined>;
  accounts(): Promise<Account[]>;
  changeAccount(id: string, change: AccountChange, note?: Change): Promise<boolean>;
}

export interface KeyStore {
  /** False, and nothing stored, when the account has as many keys as the limit says. */
  addKey(key: Key, digest: Uint8Array, note?: Change, limit?: number): Promise<boolean>;
  /** The key with this SHA-256 digest, expired or not; undefined when unknown or revoked. */
  keyByDigest(digest: Uint8Array): Promise<Key | undefined>;
  keys(accountId: string): Promise<Key[]>;
  /** Revoked keys are gone; false when there was none. */
  revokeKey(accountId: string, keyId: string, note?: Change): Promise<boolean>;
  touchKey(keyId: string, at: Date): Promise<void>;
}

/** A pass stands for a key for a limited time, and is known by a digest. */
export interface PassStore {
  addPass(pass: Pass): Promise<void>;
  /** Undefined once the pass has ended. */
  pass(digest: string, now: Date): Promise<Pass | undefined>;
  usePass(digest: string, now: Date): Promise<void>;
  /** Takes the pass away. Of several callers one gets it, the others get undefined. */
  takePass(digest: string, now: Date): Promise<Pass | undefined>;
}

/** A null takes the value away. A new budget is looked at afresh. */
export interface AccountChange {
  readonly plan?: Plan;
  readonly xRules?: number;
  readonly xBudget?: number | null;
  readonly xSpentIn?: number | null;
}

export interface Pass {
  readonly digest: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly endsAt: Date;
  readonly usedAt: Date;
}
