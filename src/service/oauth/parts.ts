import type { Clock } from '../../base/clock.ts';
import type { Grant } from '../../domain/grant.ts';
import type { Store } from '../../store/store.ts';
import type { ChangedBy } from '../access/change-notes.ts';
import type { Log } from '../telemetry.ts';
import type { Clients } from './clients.ts';

/** The dependencies that the steps of OAuth share. */
export interface OAuthParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly clients: Clients;
  /** The key that refresh tokens follow from each other by. */
  readonly refreshKey: Uint8Array;
  revoke(accountId: string, grantId: string, by: ChangedBy): Promise<boolean>;
  endAccessToken(grant: Grant, digest: string): Promise<void>;
}
