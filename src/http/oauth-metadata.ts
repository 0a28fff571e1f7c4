/** The two documents by which a client finds its way: who guards `/mcp`, and what that server can do. */
import type { FastifyInstance } from 'fastify';
import { GRANT_SCOPES } from '../domain/account.ts';
import type { OAuthAddress } from '../service/oauth/addresses.ts';
import type { OAuthEndpoints } from '../service/oauth/oauth.ts';
import { AUTH_METHODS } from '../service/oauth/register.ts';

const RESOURCE_PATH = '/.well-known/oauth-protected-resource';
const SERVER_PATH = '/.well-known/oauth-authorization-server';

/** Every path of OAuth, for a server on which it is off. */
export const OAUTH_PATHS = [
  RESOURCE_PATH,
  `${RESOURCE_PATH}/mcp`,
  SERVER_PATH,
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/register',
  '/oauth/revoke',
] as const;

const HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300' };
export const CROSS_ORIGIN = { 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** RFC 9728: the well-known part comes before the path of the resource. */
const resourceMetadataUrl = ({ origin, path }: OAuthAddress): string => `${origin}${RESOURCE_PATH}${path}/mcp`;

/** Clients that do not know the path of a resource try the root. A proxy may or may not take our own path away. */
export function addOAuthMetadata(app: FastifyInstance, oauth: OAuthEndpoints): void {
  const { address } = oauth;
  const documents: [string[], object][] = [
    [[RESOURCE_PATH, `${RESOURCE_PATH}/mcp`, `${RESOURCE_PATH}${address.path}/mcp`], resourceMetadata(address)],
    [[SERVER_PATH, `${SERVER_PATH}${address.path}`], serverMetadata(oauth)],
  ];
  for (const [paths, document] of documents)
    for (const path of new Set(paths))
      app.get(path, (_, reply) => reply.headers({ ...HEADERS, ...CROSS_ORIGIN }).send(document));
}

const resourceMetadata = ({ resource, issuer }: OAuthAddress) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: GRANT_SCOPES,
  bearer_methods_supported: ['header'],
  resource_name: 'Sluice',
  resource_documentation: `${issuer}/docs/`,
});

const serverMetadata = ({ address: { issuer }, hasRegistration }: OAuthEndpoints) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  ...(hasRegistration && { registration_endpoint: `${issuer}/oauth/register` }),
  revocation_endpoint: `${issuer}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  // Refresh tokens are always given. Clients ask for them by this word where it is listed.
  scopes_supported: [...GRANT_SCOPES, 'offline_access'],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${issuer}/docs/`,
});

/** The header of a 401 or 403: where a client finds out how to get a token, and for what it asks then. */
export const bearerChallenge = (address: OAuthAddress, scope: string, error?: string): string =>
  [
    `Bearer resource_metadata="${resourceMetadataUrl(address)}"`,
    `scope="${scope}"`,
    ...(error === undefined ? [] : [`error="${error}"`]),
  ].join(', ');
