/** What belongs to another account. */
import type { Bug } from '../bug.ts';

export const tenantsBugs: readonly Bug[] = [
  {
    id: 'tenants-operator-by-scope',
    hurts: 'Any account with a full key is the operator, and sees the status of all others.',
    file: 'src/service/access/keys.ts',
    find: "account.name === DEFAULT_ACCOUNT && key.scope === 'full' && grant === undefined",
    replace: "key.scope === 'full' && grant === undefined",
    caughtBy: { file: 'src/service/access/keys.test.ts', test: 'of scope ingest are made by the operator alone' },
  },
  {
    id: 'tenants-operator-by-grant',
    hurts: 'An agent that the operator let in reads what only the operator may.',
    file: 'src/service/access/keys.ts',
    find: "key.scope === 'full' && grant === undefined;",
    replace: "key.scope === 'full';",
    caughtBy: {
      file: 'test/oauth/rules.test.ts',
      test: 'is never the operator, whatever it was allowed on the operator’s account',
    },
  },
  {
    id: 'tenants-rules-of-others',
    hurts: 'An account reads the rules of another.',
    file: 'src/store/nouns/rules.ts',
    find: "const OF_ACCOUNT = 'account = (SELECT number FROM accounts WHERE id = $1)';",
    replace: "const OF_ACCOUNT = '$1 = $1';",
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'lists thousands of rules, oldest first, in slices',
    },
  },
  {
    id: 'tenants-webhook-of-others',
    hurts: 'An account changes the webhook of another.',
    file: 'src/store/nouns/webhooks.ts',
    find: 'w.id = $2 AND a.id = $1 AND',
    replace: 'w.id = $2 AND $1 = $1 AND',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'gives a webhook back whole, changes it, and keeps it from others',
    },
  },
  {
    id: 'tenants-view-of-others',
    hurts: 'An account deletes the saved view of another.',
    file: 'src/store/nouns/views.ts',
    find: "'DELETE FROM views WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)'",
    replace: "'DELETE FROM views WHERE id = $1 AND $2 = $2'",
    caughtBy: { file: 'src/store/sqlite/conformance.test.ts', test: 'keeps the views of an account from others' },
  },
  {
    id: 'tenants-key-of-others',
    hurts: 'An account revokes the key of another.',
    file: 'src/store/nouns/accounts.ts',
    find: "'DELETE FROM keys WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)'",
    replace: "'DELETE FROM keys WHERE id = $1 AND $2 = $2'",
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: "neither lists nor revokes another account's keys",
    },
  },
  {
    id: 'tenants-rating-of-others',
    hurts: 'An account rates the matches of another, which moves what that one is shown.',
    file: 'src/store/nouns/ratings.ts',
    find: 'WHERE m.position = $1 AND m.account = (SELECT number FROM accounts WHERE id = $2) AND',
    replace: 'WHERE m.position = $1 AND $2 = $2 AND',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'rates no match of another account, of a deleted rule, or that is not there',
    },
  },
  {
    id: 'tenants-delivery-of-others',
    hurts: 'An account reads the bytes that were delivered to another.',
    file: 'src/store/nouns/deliveries.ts',
    find: 'AND d.id = $2 AND d.account = ',
    replace: 'AND d.id = $2 AND d.account <> -',
    caughtBy: { file: 'src/store/sqlite/conformance.test.ts', test: 'keeps attempts, and what follows from them' },
  },
  {
    id: 'tenants-feed-of-others',
    hurts: 'An account removes the feed that another has shared.',
    file: 'src/store/nouns/shared-feeds.ts',
    find: "'DELETE FROM shared_feeds WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)'",
    replace: "'DELETE FROM shared_feeds WHERE id = $1 AND $2 = $2'",
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'are found by the digest of their secret, listed for their account, and gone when they are deleted',
    },
  },
  {
    id: 'tenants-rehearsal-of-others',
    hurts: 'An account reads what a rule of another would have found.',
    file: 'src/store/nouns/rehearsals.ts',
    find: 'WHERE r.id = $1 AND a.id = $2`',
    replace: 'WHERE r.id = $1 AND $2 = $2`',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'keeps a rehearsal with its position, state and samples, for its own account alone',
    },
  },
  {
    id: 'tenants-grant-of-others',
    hurts: 'An account ends the agent of another.',
    file: 'src/store/nouns/grants.ts',
    find: "'DELETE FROM grants WHERE id = $1 AND account = $2'",
    replace: "'DELETE FROM grants WHERE id = $1 AND $2 = $2'",
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'finds a grant by its access token until the token, the grant or the person ends it',
    },
  },
  {
    id: 'tenants-cursor-of-others',
    hurts: 'A cursor of one account is good for another, and tells where that one is.',
    file: 'src/service/outlets/cursors.ts',
    find: "digest('check', accountId, use, nonce, hidden)",
    replace: "digest('check', use, nonce, hidden)",
    caughtBy: {
      file: 'src/service/outlets/cursors.test.ts',
      test: 'are worth nothing to another account, for another use, or changed',
    },
  },
  {
    id: 'tenants-cursor-tells',
    hurts: 'An account sees by its own cursors whether others have new matches.',
    file: 'src/service/outlets/cursors.ts',
    find: 'written(accountId, use, position, randomBytes(NONCE_BYTES))',
    replace: 'written(accountId, use, position, Buffer.alloc(NONCE_BYTES))',
    caughtBy: {
      file: 'src/service/outlets/cursors.test.ts',
      test: 'are the same for one match, and never the same for a place that others move',
    },
  },
];
