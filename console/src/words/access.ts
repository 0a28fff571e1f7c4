/** The words for who may do what, who did what, and how much of it. */
import type { Change as AuditChange } from '../../../src/domain/change.ts';
import type { Change, Grant, Key, Status } from '../data/queries.ts';
import type { Shown } from './shown.ts';

export const SCOPES = {
  full: {
    words: 'Full access',
    tone: 'accent',
    about: 'Reads and changes everything in the account, including keys and webhooks.',
  },
  read: { words: 'Read only', tone: 'neutral', about: 'Reads rules, matches and status. Changes nothing.' },
  ingest: {
    words: 'Send events in',
    tone: 'neutral',
    about: 'Sends in events for every account, and does nothing else. Only the operator can create it.',
  },
} as const satisfies Record<Key['scope'], Shown>;

export const GRANT_SCOPES = {
  read: { words: 'Read', tone: 'neutral', about: 'Reads rules, matches and status.' },
  full: { words: 'Change rules', tone: 'accent', about: 'Creates, changes and deletes rules.' },
  events: { words: 'Be notified', tone: 'neutral', about: 'Is notified when something matches.' },
} as const satisfies Record<Grant['scopes'][number], Shown>;

export const PLANS = {
  free: {
    words: 'Free',
    tone: 'neutral',
    about: 'Syntax help, validation and preview. Creating rules needs a paid plan.',
  },
  paid: { words: 'Paid', tone: 'neutral', about: 'Everything that Sluice does.' },
} as const satisfies Record<Status['account']['plan'], Shown>;

export const CHANGED_BY = {
  key: { words: 'a program', tone: 'neutral', about: 'A program with a key of the account.' },
  session: { words: 'a person in the console', tone: 'neutral', about: 'A person who signed in with a key.' },
  grant: { words: 'an agent', tone: 'neutral', about: 'An agent that was connected with OAuth.' },
  operator: { words: 'the operator, on the command line', tone: 'neutral', about: 'The operator of this server.' },
  system: { words: 'Sluice itself', tone: 'neutral', about: 'The server, without being asked.' },
} as const satisfies Record<Change['by']['kind'], Shown>;

/** The words of the audit log for what was done. */
export const CHANGES = {
  'rule.created': 'Rule created',
  'rule.changed': 'Rule changed',
  'rule.deleted': 'Rule deleted',
  'rule.restored': 'Rule restored',
  'webhook.created': 'Webhook created',
  'webhook.changed': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'key.created': 'Key created',
  'key.changed': 'Key changed',
  'key.deleted': 'Key revoked',
  'grant.created': 'Agent connected',
  'grant.changed': 'Connected agent changed',
  'grant.deleted': 'Agent disconnected',
  'source.created': 'Source added',
  'source.changed': 'Source changed',
  'source.deleted': 'Source deleted',
  'feed.created': 'Feed created',
  'feed.changed': 'Feed changed',
  'feed.deleted': 'Feed deleted',
  'view.created': 'View saved',
  'view.changed': 'View changed',
  'view.deleted': 'View deleted',
  'silence.created': 'Muted',
  'silence.changed': 'Muting changed',
  'silence.deleted': 'Muting ended',
  'session.created': 'Signed in',
  'session.changed': 'Session changed',
  'session.deleted': 'Signed out',
  'subscription.created': 'Agent subscribed',
  'subscription.changed': 'Subscription changed',
  'subscription.deleted': 'Subscription ended',
  'account.created': 'Account created',
  'account.changed': 'Account changed',
  'account.deleted': 'Account deleted',
  'post.erased': 'Post erased',
} as const satisfies Record<AuditChange['what'], string>;
