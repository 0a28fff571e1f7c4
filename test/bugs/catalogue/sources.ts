/** Sources that accounts have added. */
import type { Bug } from '../bug.ts';

export const sourcesBugs: readonly Bug[] = [
  {
    id: 'sources-for-everybody',
    hurts: 'What the private source of one account brings matches the rules of all.',
    file: 'src/service/visits/visit.ts',
    find: '          owner.accountId,\n',
    replace: '          undefined,\n',
    caughtBy: {
      file: 'src/service/visits/visits.test.ts',
      test: 'brings events to the rules of its owner and of no other account',
    },
  },
  {
    id: 'sources-secret-follows',
    hurts: 'The cookie for one host is sent wherever that host redirects to.',
    file: 'src/sources/fetch/follow-redirects.ts',
    find: 'if (next.origin !== new URL(url).origin) headers = withoutSecrets(headers, departure.secrets);',
    replace: '',
    caughtBy: {
      file: 'src/service/visits/visits.test.ts',
      test: 'sends the header and the cookie of a watched page to its host alone, and shows them to nobody',
    },
  },
  {
    id: 'sources-secret-for-any-host',
    hurts: 'The cookie for one host is sent to another that its source reads, too.',
    file: 'src/service/visits/visit-http.ts',
    find: '...(asked === host && { secrets: secret?.headers })',
    replace: 'secrets: secret?.headers',
    caughtBy: {
      file: 'src/service/visits/visit-http.test.ts',
      test: 'sends a secret to the host that it is for, and to no other that the source asks',
    },
  },
  {
    id: 'sources-visit-twice',
    hurts: 'Two nodes write down the same visit, and an account pays for bytes that came once.',
    file: 'src/store/nouns/sources/source-fetches.ts',
    find: 'WHERE key = $1 AND visits = $2`',
    replace: 'WHERE key = $1 AND (visits = $2 OR true)`',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'writes down a visit once, and marks those that it did not serve',
    },
  },
  {
    id: 'sources-paused-is-read',
    hurts: 'A source that its account has paused goes on bringing events.',
    file: 'src/store/nouns/sources/source-fetches.ts',
    find: 'WHERE s.fetch_key = $1 AND s.paused = 0 ORDER BY s.number',
    replace: 'WHERE s.fetch_key = $1 ORDER BY s.number',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'does not visit what all owners have paused, and lets one that comes back read anew',
    },
  },
];
