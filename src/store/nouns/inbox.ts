/**
 * Bytes that a platform delivered to our endpoint, until the node that reads its stream has stored them as matches.
 * They are not scoped: whose rules they match is not known yet. Rows become readable in the order of their positions.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { lockInbox } from '../rows/locks.ts';
import { dateOrNone } from '../rows/texts.ts';

export interface InboxStore {
  putReceived(platform: Platform, received: readonly InboxItem[]): Promise<void>;
  /** The rows after a position, oldest first. */
  received(platform: Platform, after: number, limit: number): Promise<ReceivedRow[]>;
  dropReceived(platform: Platform, through: number): Promise<void>;
}

/** The bytes of a delivery, or a time in which deliveries failed, and why. */
export type InboxItem =
  | { readonly at: Date; readonly body: Uint8Array }
  | { readonly at: Date; readonly until: Date; readonly cause: string };

export type ReceivedRow = InboxItem & { readonly position: number };

interface InboxRow {
  readonly position: number;
  readonly at: number;
  readonly until_at: number | null;
  readonly cause: string | null;
  readonly body: Uint8Array | null;
}

const receivedOf = ({ position, at, until_at, cause, body }: InboxRow): ReceivedRow =>
  body === null
    ? { position, at: new Date(at), until: dateOrNone(until_at) ?? new Date(at), cause: cause ?? '' }
    : { position, at: new Date(at), body };

const valuesOf = (one: InboxItem) =>
  'body' in one ? [one.at, null, null, one.body] : [one.at, one.until, one.cause, null];

export const inboxReads = (db: Db): Pick<InboxStore, 'received'> => ({
  received: async (platform, after, limit) =>
    (
      await db.rows<InboxRow>(
        'SELECT position, at, until_at, cause, body FROM inbox WHERE platform = $1 AND position > $2 ORDER BY position LIMIT $3',
        [platform, after, limit],
      )
    ).map(receivedOf),
});

export const inboxWrites = (db: Db): Omit<InboxStore, 'received'> => ({
  putReceived: (platform, received) =>
    db.transaction(async (tx) => {
      // Positions are given in the order of commits: a reader that has seen one has seen all before it.
      await lockInbox(tx);
      for (const one of received)
        await tx.run('INSERT INTO inbox (platform, at, until_at, cause, body) VALUES ($1, $2, $3, $4, $5)', [
          platform,
          ...valuesOf(one),
        ]);
    }),
  async dropReceived(platform, through) {
    await db.run('DELETE FROM inbox WHERE platform = $1 AND position <= $2', [platform, through]);
  },
});
