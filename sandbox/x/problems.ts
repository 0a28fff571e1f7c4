/** X's error bodies, word for word if they are known. Some `type`s name the old host, some the new one, as X's do. */
import type { Answer } from '../http.ts';

const OLD = 'https://api.twitter.com/2/problems';
const NEW = 'https://api.x.com/2/problems';

export const problemType = (name: string): string => `${OLD}/${name}`;

export const problem = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body,
});

export const UNAUTHORIZED = problem(401, {
  type: 'about:blank',
  title: 'Unauthorized',
  detail: 'Unauthorized',
  status: 401,
});

export const FORBIDDEN = problem(403, {
  client_id: '12345678',
  detail: 'When authenticating requests to the X API v2 endpoints, you must use keys and tokens from an enrolled app.',
  registration_url: 'https://developer.x.com/en/docs/projects/overview',
  title: 'Client Forbidden',
  required_enrollment: 'Appropriate Level of API Access',
  reason: 'client-not-enrolled',
  type: `${OLD}/client-forbidden`,
});

export const WRONG_KIND_OF_TOKEN = problem(403, {
  title: 'Unsupported Authentication',
  detail:
    'Authenticating with OAuth 1.0a User Context is forbidden for this endpoint. Supported authentication types are [OAuth 2.0 Application-Only].',
  type: `${OLD}/unsupported-authentication`,
  status: 403,
});

export const NOT_FOUND = problem(404, { type: 'about:blank', title: 'Not Found', detail: 'Not Found', status: 404 });

export const TOO_MANY_REQUESTS = problem(429, {
  title: 'Too Many Requests',
  detail: 'Too Many Requests',
  type: 'about:blank',
  status: 429,
});

export const USAGE_CAPPED = problem(429, {
  title: 'UsageCapExceeded',
  period: 'Monthly',
  scope: 'Product',
  detail: 'Usage cap exceeded: Monthly product cap',
  type: `${OLD}/usage-capped`,
});

export const TOO_MANY_CONNECTIONS = problem(429, {
  title: 'ConnectionException',
  detail: 'This stream is currently at the maximum allowed connection limit.',
  connection_issue: 'TooManyConnections',
  type: `${NEW}/streaming-connection`,
});

export const NO_RULES = problem(409, {
  title: 'ConnectionException',
  detail:
    'You must define rules using the POST /2/tweets/search/stream/rules endpoint before connecting to filtered stream.',
  connection_issue: 'RuleConfigurationIssue',
  type: `${NEW}/streaming-connection`,
});

export const rulesCapExceeded = (cap: number): Answer =>
  problem(422, {
    title: 'RulesCapExceeded',
    detail: `You have reached the maximum number of rules: ${cap}.`,
    type: `${OLD}/rule-cap`,
  });

/** A 400 about one parameter of the request. */
export const invalidRequest = (parameter: string, values: readonly string[], message: string): Answer =>
  problem(400, {
    errors: [{ parameters: { [parameter]: values }, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: `${OLD}/invalid-request`,
  });

export const NO_SUCH_RULE = {
  errors: [{ parameters: {}, message: 'Rule does not exist' }],
  title: 'Invalid Request',
  detail: 'One or more parameters to your request was invalid.',
  type: `${OLD}/invalid-request`,
};

/** The message inside the stream that announces its end. */
export const disconnect = (disconnectType: string): object => ({
  errors: [
    {
      title: 'operational-disconnect',
      disconnect_type: disconnectType,
      detail: 'This stream has been disconnected upstream for operational reasons.',
      type: `${NEW}/operational-disconnect`,
    },
  ],
});
