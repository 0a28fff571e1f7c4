/** What each kind of key may do, in words. */
import type { Key } from '../data/queries.ts';

export const SCOPES: Readonly<Record<Key['scope'], { readonly label: string; readonly about: string }>> = {
  full: { label: 'Everything', about: 'Reads and changes all that the account has, keys and webhooks too.' },
  read: { label: 'Read only', about: 'Reads rules, matches and status, and changes nothing.' },
  ingest: { label: 'Push events', about: 'Only pushes events, which then reach every account. For the operator.' },
};
