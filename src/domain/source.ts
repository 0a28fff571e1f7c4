import type { Platform } from './platform.ts';

/** The sources beside the configured ones, which have names of their own. An upstream has the name of its platform. */
export const DEMO_SOURCE = 'demo';
export const PUSH_SOURCE = 'push';

/** Whether something was brought by the demo feed, which invents its events. */
export const isDemo = ({ source }: { readonly source?: string | undefined }): boolean => source === DEMO_SOURCE;

/**
 * How a source of an account does. `ok`: the last visit brought something new, or one of the last day did. `silent`: it answers, and
 * nothing is new. `failing`: it does not answer, or with an error. `blocked`: it refuses us, by its answer or by robots.txt.
 * `moved`: it answers from another address for good. `changed`: what it answers cannot be read any more. `waiting`: it was not
 * visited yet, or waits for a limit of its account.
 */
export const SOURCE_STATUSES = ['ok', 'silent', 'failing', 'blocked', 'moved', 'changed', 'paused', 'waiting'] as const;
export type SourceHealth = (typeof SOURCE_STATUSES)[number];

/** Addresses, channels, repositories and so on that a source of an account has at most: each is read at every visit. */
export const MOST_ENTRIES = 100;
/** Characters of an address. */
export const LONGEST_ADDRESS = 2_048;

/** A source that an account has added: only the rules of the account see its events. */
export interface AccountSource {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly kind: string;
  /** As its owner gave them, without secrets. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly platforms: readonly Platform[];
  /** The secret that is sent to its host alone, sealed. */
  readonly secret?: string | undefined;
  readonly isPaused: boolean;
  /** Sources of the same key are fetched once for all their owners. */
  readonly fetchKey: string;
  /** Bounds of the time between two visits. */
  readonly everyMs: number;
  readonly slowestMs: number;
  readonly createdAt: Date;
}

/** The state that visits have found. */
export interface AccountSourceState {
  readonly status: SourceHealth;
  readonly lastGoodAt: Date | undefined;
  readonly lastError: { readonly at: Date; readonly message: string } | undefined;
  /** It is undefined while the source is paused. */
  readonly nextAt: Date | undefined;
  /** Events a day, of the last days. */
  readonly rate: number;
}

export interface StoredSource extends AccountSource, AccountSourceState {
  /** Events that it brought its owner. */
  readonly events: number;
}
