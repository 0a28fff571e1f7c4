/** What a key of each scope may do, in words. */
import type { Key } from '../data/queries.ts';

export const SCOPES: Readonly<Record<Key['scope'], { readonly label: string; readonly about: string }>> = {
  full: { label: 'Full access', about: 'Reads and changes everything in the account, including keys and webhooks.' },
  read: { label: 'Read only', about: 'Reads rules, matches and status. Changes nothing.' },
  ingest: {
    label: 'Push events',
    about: 'Pushes events for every account, and does nothing else. Only the operator can create it.',
  },
};
