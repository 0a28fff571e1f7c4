/** What the streams of upstreams leave behind. Not scoped by account, but for what an account has used. */
import type { Platform } from '../../domain/platform.ts';
import type { Usage } from '../../domain/usage.ts';

export interface UpstreamStore {
  /** The right to write for a stream: taken when it is free, renewed when it is the holder's own; else who holds it. */
  takeLease(wish: LeaseWish): Promise<Lease | { readonly heldBy: string }>;
  /** Another holder may take it at once. */
  releaseLease(lease: Lease): Promise<void>;
  /** Records that could not be read, newest first. */
  broken(platform: Platform, limit: number): Promise<(Broken & { readonly at: Date })[]>;
}

export interface UsageStore {
  /** What the account's rules have used in a month; November 2026 is 202611. */
  usage(accountId: string, platform: Platform, month: number): Promise<Usage>;
  /** The same by rule, largest first. */
  ruleUsage(accountId: string, platform: Platform, month: number, limit: number): Promise<RuleUsage[]>;
}

/** A record that could not be read: why, and how it begins. */
export interface Broken {
  readonly reason: string;
  readonly sample: string;
}

export interface LeaseWish {
  readonly name: string;
  readonly holder: string;
  readonly now: Date;
  readonly milliseconds: number;
  /** A holder that is known to have ended: what it held is free. */
  readonly gone?: string;
}

export interface Lease {
  readonly name: string;
  /** Grows with each new holder. */
  readonly fence: number;
}

export interface RuleUsage extends Usage {
  readonly ruleId: string;
}
