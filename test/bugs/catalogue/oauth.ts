/** Agents that a person lets in. */
import type { Bug } from '../bug.ts';

export const oauthBugs: readonly Bug[] = [
  {
    id: 'oauth-replay-not-ended',
    hurts: 'A code that was stolen and used twice leaves both users with access.',
    file: 'src/service/oauth/tokens.ts',
    find: '  await parts.revoke(accountId, id, SYSTEM);\n',
    replace: '',
    caughtBy: {
      file: 'src/service/oauth/oauth.test.ts',
      test: 'that is used twice ends its grant, with a note and a warning',
    },
  },
  {
    id: 'oauth-no-verifier',
    hurts: 'Whoever catches the code of another program gets its tokens.',
    file: 'src/service/oauth/tokens.ts',
    find: "    grant.redirectUri === form.get('redirect_uri') &&\n    isVerifierOf(grant.challenge, form.get('code_verifier') ?? '');",
    replace: "    grant.redirectUri === form.get('redirect_uri');",
    caughtBy: {
      file: 'src/service/oauth/oauth.test.ts',
      test: 'with another verifier is refused, and works after that',
    },
  },
  {
    id: 'oauth-code-of-another-client',
    hurts: 'A program redeems the code that was given to another.',
    file: 'src/service/oauth/tokens.ts',
    find: '    grant.clientId === clientId &&\n    grant.resource === resource &&\n    grant.redirectUri',
    replace: '    grant.resource === resource &&\n    grant.redirectUri',
    caughtBy: { file: 'src/service/oauth/oauth.test.ts', test: 'of another program is refused' },
  },
  {
    id: 'oauth-replayed-refresh',
    hurts: 'A stolen refresh token works beside the one of the agent, and nobody notices.',
    file: 'src/service/oauth/tokens.ts',
    find: 'if (grant.previousDigest !== secretDigest(token) || sinceRotation >= GRACE_MS)',
    replace: 'if (grant.previousDigest !== secretDigest(token))',
    caughtBy: { file: 'src/service/oauth/oauth.test.ts', test: 'that was replaced a minute ago ends the grant' },
  },
  {
    id: 'oauth-more-than-granted',
    hurts: 'An agent asks for a wider scope when it renews its token, and gets it.',
    file: 'src/service/oauth/tokens.ts',
    find: 'if (!scopes.every(isWithin)) throw',
    replace: 'if (!scopes.some(isWithin)) throw',
    caughtBy: { file: 'src/service/oauth/oauth.test.ts', test: 'may ask for less, and not for more' },
  },
  {
    id: 'oauth-token-outlives-grant',
    hurts: 'A token is good for longer than the person allowed.',
    file: 'src/service/oauth/tokens.ts',
    find: 'Math.min(now.getTime() + milliseconds, grant.expiresAt.getTime())',
    replace: 'now.getTime() + milliseconds',
    caughtBy: {
      file: 'src/service/oauth/oauth.test.ts',
      test: 'and its access tokens end with the year that the person allowed',
    },
  },
  {
    id: 'oauth-revoke-by-anybody',
    hurts: 'Any program can end the access of another.',
    file: 'src/service/oauth/tokens.ts',
    find: 'if (grant === undefined || !isTheirs || !isKnown) return;',
    replace: 'if (grant === undefined || !isKnown) return;',
    caughtBy: {
      file: 'src/service/oauth/oauth.test.ts',
      test: 'changes nothing for an unknown token, one of another program, or one from before',
    },
  },
  {
    id: 'oauth-any-redirect',
    hurts: 'A link sends the code of a signed-in person to an address that the program never named.',
    file: 'src/service/oauth/addresses.ts',
    find: 'return itsHost === host && itsRest === rest;',
    replace: 'return itsHost === host;',
    caughtBy: {
      file: 'src/service/oauth/addresses.test.ts',
      test: 'may have another port on the own computer, and nothing else',
    },
  },
  {
    id: 'oauth-redirect-by-http',
    hurts: 'The code travels over a connection that everybody on the way reads.',
    file: 'src/service/oauth/addresses.ts',
    find: 'return LOOPBACK.test(uri) ? undefined :',
    replace: "return protocol === 'http:' ? undefined :",
    caughtBy: {
      file: 'src/service/oauth/oauth.test.ts',
      test: 'with {"redirect_uris":["http://127.0.0.1/callback","http://thief.example/"]} is refused: invalid_redirect_uri',
    },
  },
  {
    id: 'oauth-plain-challenge',
    hurts: 'A program that proves nothing about its code is let in.',
    file: 'src/service/oauth/authorize-request.ts',
    find: "if (one('code_challenge_method') !== 'S256')",
    replace: "if (one('code_challenge_method') === 'none')",
    caughtBy: { file: 'src/service/oauth/oauth.test.ts', test: 'with a plain challenge is told so at its address' },
  },
  {
    id: 'oauth-consent-unbound',
    hurts: 'Another site lets a signed-in person allow its agent without a click of hers.',
    file: 'src/service/oauth/consent.ts',
    find: 'JSON.stringify([token, session, raw])',
    replace: 'JSON.stringify([token])',
    caughtBy: {
      file: 'src/service/oauth/oauth.test.ts',
      test: 'may decide once, in the same session, on the same request, within ten minutes',
    },
  },
  {
    id: 'oauth-more-than-asked',
    hurts: 'An agent gets rights that it did not ask for and the page did not show.',
    file: 'src/service/oauth/consent.ts',
    find: "chosen.includes(scope) && (scope === 'read' || asked.includes(scope))",
    replace: 'chosen.includes(scope)',
    caughtBy: {
      file: 'src/service/oauth/oauth.test.ts',
      test: 'gives no more than was asked for, and at least one thing',
    },
  },
  {
    id: 'oauth-rules-of-others',
    hurts: 'A grant names the rule of another account.',
    file: 'src/service/oauth/consent.ts',
    find: 'if ((await store.rule(account.id, id)) === undefined)',
    replace: "if (id === '')",
    caughtBy: { file: 'src/service/oauth/oauth.test.ts', test: 'limits it to rules that are there' },
  },
  {
    id: 'oauth-secret-not-asked',
    hurts: 'A program with a secret is believed without it.',
    file: 'src/service/oauth/secrets.ts',
    find: "if (!areEqualSecrets(client.secretDigest, secretDigest(credentials.secret ?? ''))) throw refused();",
    replace: '',
    caughtBy: {
      file: 'src/service/oauth/oauth.test.ts',
      test: 'proves itself by its secret, in the header or in the form',
    },
  },
];
