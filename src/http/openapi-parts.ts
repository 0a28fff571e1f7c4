/** The parts of the OpenAPI document that no operation owns: errors, headers, and the pages that need no key. */
import type { z } from 'zod';
import { SCHEMAS_PATH } from '../domain/webhook.ts';
import type { ErrorCode } from '../service/errors.ts';
import { STATUS } from './errors.ts';
import { type JsonObject, requestSchema, schemaRef } from './json-schemas.ts';

/** An error as it may come: the examples of the document. */
const ERROR_EXAMPLES: Readonly<Record<ErrorCode, { message: string; details?: JsonObject }>> = {
  invalid_argument: {
    message: 'A quote is never closed.',
    details: {
      issues: [
        {
          path: 'overrides.x',
          message: 'A quote is never closed.',
          position: { start: 6, end: 12 },
          suggestion: 'lava "flow"',
        },
      ],
    },
  },
  failed_precondition: { message: 'The cursor is older than what is kept.', details: { reason: 'cursor_expired' } },
  unauthenticated: { message: 'A valid API key is needed, as the header "Authorization: Bearer <API_KEY>".' },
  permission_denied: { message: 'A key of scope "read" may not do this; "full" may.' },
  not_found: { message: 'There is no such rule.' },
  unimplemented: { message: 'This path does not answer PUT.' },
  already_exists: { message: 'This Idempotency-Key was used with another request.' },
  resource_exhausted: {
    message: 'All 25 rules of the account on x are in use.',
    details: { platform: 'x', limit: 25, used: 25 },
  },
  internal: { message: 'Something went wrong on our side. The request id finds it in the log.' },
  unavailable: { message: 'The store cannot be written right now.' },
  deadline_exceeded: { message: 'The platform did not answer in time.' },
};

const ABOUT_STATUS: Readonly<Record<number, string>> = {
  400: 'The request is not valid, or the state forbids it.',
  401: 'No key, or not a valid one.',
  403: "The key's scope or the account's plan does not allow it.",
  404: 'No such thing, or not of this account.',
  405: 'The path is known, the method is not.',
  409: 'An Idempotency-Key was used again with another body.',
  413: 'The body is too large.',
  415: 'The body has the wrong Content-Type.',
  429: 'Too many requests, or a limit of the account is reached.',
  500: 'A defect of ours.',
  503: 'Not available right now; try again after Retry-After.',
  504: 'A platform did not answer in time.',
};

const CODES: Readonly<Record<number, readonly ErrorCode[]>> = {
  ...Object.groupBy(Object.keys(STATUS) as ErrorCode[], (code) => STATUS[code]),
  413: ['invalid_argument'],
  415: ['invalid_argument'],
};

export const ERROR_SCHEMA = {
  type: 'object',
  required: ['code', 'message', 'details'],
  properties: {
    code: { type: 'string', enum: Object.keys(STATUS), description: 'What went wrong, for programs.' },
    message: { type: 'string', description: 'What went wrong, for people.' },
    details: { type: 'object', description: 'More about it; `issues` lists every problem of an invalid request.' },
  },
};

export const HEADERS = {
  RequestId: { description: 'Names this request in the log.', schema: { type: 'string' } },
  RateLimit: { description: 'What is left of the limit, as in the IETF draft.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds after which trying again may help.', schema: { type: 'integer' } },
};

export const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

export function errorResponses(): JsonObject {
  const byStatus = Object.entries(CODES).map(([status, codes]) => [
    status,
    errorResponse(ABOUT_STATUS[Number(status)]!, codes, ['429', '503'].includes(status)),
  ]);
  return {
    ...Object.fromEntries(byStatus),
    Error: errorResponse('Any other failure; all have this one shape.', ['internal'], false),
  };
}

const errorResponse = (description: string, codes: readonly ErrorCode[], isPassing: boolean): JsonObject => ({
  description,
  headers: {
    'X-Request-Id': header('RequestId'),
    ...(isPassing && { 'Retry-After': header('RetryAfter') }),
  },
  content: {
    'application/json': {
      schema: schemaRef('Error'),
      examples: Object.fromEntries(
        codes.map((code) => [code, { value: { code, details: {}, ...ERROR_EXAMPLES[code] } }]),
      ),
    },
  },
});

/** A parameter that may be left out. */
export const parameter = (name: string, description: string, more: JsonObject = {}): JsonObject => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
  ...more,
});

/** The fields of an input as parameters of the query. */
export const queryParameters = (input: z.ZodType): JsonObject[] =>
  Object.entries(requestSchema(input)['properties'] as JsonObject).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }));

/** The statuses that are likely, and `default` for every other. */
export const failures = (statuses: readonly number[]): JsonObject => ({
  ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
  default: { $ref: '#/components/responses/Error' },
});

const page =
  (summary: string, type: string, example: unknown, responses: JsonObject = {}, security: JsonObject[] = []) =>
  (operationId: string) => ({
    get: {
      operationId,
      tags: ['server'],
      summary,
      security,
      responses: {
        200: {
          description: 'Here it is.',
          content: { [type]: { schema: { type: type.endsWith('json') ? 'object' : 'string' }, example } },
        },
        ...responses,
      },
    },
  });
/** The one page with a name in its address. */
function schemaPage(): JsonObject {
  const { get } = page(
    'The JSON schema of something that is sent, by its name in the AsyncAPI document',
    'application/schema+json',
    { $schema: 'https://json-schema.org/draft/2020-12/schema' },
    failures([404, 405]),
  )('dataSchema');
  const name = { name: 'name', in: 'path', required: true, schema: { type: 'string' }, example: 'Match.json' };
  return { get: { ...get, parameters: [name] } };
}

export const PAGE_PATHS: JsonObject = {
  '/healthz': page('Whether the process answers', 'application/json', { status: 'ok' }, failures([405]))('health'),
  '/readyz': page(
    'Whether this process can do its work, and why not',
    'application/json',
    { status: 'ready' },
    failures([405, 503]),
  )('ready'),
  '/metrics': page(
    'Figures for Prometheus, for the operator',
    'text/plain',
    'sluice_events_total{platform="x"} 12',
    failures([401, 403, 405, 503]),
    [{ key: [] }],
  )('metrics'),
  '/openapi.json': page('This document', 'application/json', { openapi: '3.1.0' }, failures([405]))('openApi'),
  '/asyncapi.json': page(
    'What is sent without being asked for: streams, webhooks and events, as AsyncAPI 3',
    'application/json',
    { asyncapi: '3.1.0' },
    failures([405]),
  )('asyncApi'),
  [`${SCHEMAS_PATH}/{name}`]: schemaPage(),
  '/llms.txt': page(
    'How to use the service, on one page, for agents',
    'text/plain',
    '# Sluice',
    failures([405]),
  )('llms'),
};
