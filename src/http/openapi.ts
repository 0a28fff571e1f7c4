/** The OpenAPI 3.1 document, made from the schemas that validate requests, so that the two cannot disagree. */
import { z } from 'zod';
import type { ErrorCode } from '../service/errors.ts';
import type { Operation } from '../service/operation.ts';
import { type OperationName, operations } from '../service/operations.ts';
import { STATUS } from './errors.ts';
import { type Method, ROUTES, readRoute } from './routes.ts';

type Json = Record<string, unknown>;

/** An error as it may come: the examples of the document. */
const ERROR_EXAMPLES: Readonly<Record<ErrorCode, { message: string; details?: Json }>> = {
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
} as Record<number, ErrorCode[]>;

/** Without `servers`: those depend on how the reader reached us. */
export function openApi(version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      summary: 'Watches live posts and web pages for agents and programs.',
      description: `Define rules in each platform's own language; list what matched.\n\nEvery failure has the body \`{ code, message, details }\`. Fields and operations are added, never changed or removed, within version 1. This is program version ${version}.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ key: [] }],
    tags: [
      { name: 'service', description: 'The operations. Each needs an API key.' },
      { name: 'server', description: 'The state of the server and its descriptions.' },
    ],
    paths: { ...operationPaths(), ...PAGE_PATHS },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, as `Authorization: Bearer <API_KEY>`.' },
      },
      schemas: { Error: ERROR_SCHEMA },
      responses: errorResponses(),
      headers: HEADERS,
    },
  };
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['code', 'message', 'details'],
  additionalProperties: false,
  properties: {
    code: { type: 'string', enum: Object.keys(STATUS), description: 'What went wrong, for programs.' },
    message: { type: 'string', description: 'What went wrong, for people.' },
    details: { type: 'object', description: 'More about it; `issues` lists every problem of an invalid request.' },
  },
};

const HEADERS = {
  RequestId: { description: 'Names this request in the log.', schema: { type: 'string' } },
  RateLimit: { description: 'What is left of the limit, as in the IETF draft.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds after which trying again may help.', schema: { type: 'integer' } },
};

const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

function errorResponses(): Json {
  return Object.fromEntries(
    Object.entries(CODES).map(([status, codes]) => [
      status,
      {
        description: ABOUT_STATUS[Number(status)],
        headers: {
          'X-Request-Id': header('RequestId'),
          ...(['429', '503'].includes(status) && { 'Retry-After': header('RetryAfter') }),
        },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(
              codes.map((code) => [code, { value: { code, details: {}, ...ERROR_EXAMPLES[code] } }]),
            ),
          },
        },
      },
    ]),
  );
}

function operationPaths(): Json {
  const paths: Json = {};
  for (const name of Object.keys(ROUTES) as OperationName[]) {
    const { methods, path } = readRoute(ROUTES[name]);
    paths[path] = Object.fromEntries(
      methods.map((method, index) => [method.toLowerCase(), describeOperation(operations[name], method, index > 0)]),
    );
  }
  return paths;
}

function describeOperation(operation: Operation, method: Method, again: boolean): Json {
  const { input, output } = operation.example as { input: Json; output: unknown };
  const schema = schemaOf(operation.input, 'input');
  const inQuery = method === 'GET' || operation.ndjson !== undefined;
  return {
    operationId: again ? `${operation.name}By${method === 'POST' ? 'Post' : 'Get'}` : operation.name,
    tags: ['service'],
    summary: operation.summary,
    description: `${operation.description}\n\nNeeds ${NEEDS[operation.access]}.`,
    parameters: [
      ...(inQuery ? queryParameters(schema, input, operation.ndjson) : []),
      ...(operation.name === 'createRule' ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(method === 'POST' && { requestBody: requestBody(operation, schema, input) }),
    responses: {
      200: {
        description: 'Done.',
        headers: { 'X-Request-Id': header('RequestId'), RateLimit: header('RateLimit') },
        content: { 'application/json': { schema: schemaOf(operation.output, 'output'), example: output } },
      },
      ...Object.fromEntries(
        statusesOf(operation, method, schema).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

const NEEDS: Readonly<Record<Operation['access'], string>> = {
  read: 'a key of scope `read` or `full`',
  full: 'a key of scope `full`',
  ingest: 'a key of scope `ingest` or `full`',
  operator: "a `full` key of the operator's account",
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same key and body within 24 hours answers with the first result.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'volcano-news-1',
};

function queryParameters(schema: Json, example: Json, body: string | undefined): Json[] {
  const required = (schema['required'] ?? []) as string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
    .filter(([name]) => name !== body)
    .map(([name, of]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema: of,
      ...(name in example && { example: example[name] }),
    }));
}

function requestBody(operation: Operation, schema: Json, example: Json): Json {
  if (operation.ndjson === undefined) {
    return { required: operation.stream === undefined, content: { 'application/json': { schema, example } } };
  }
  const lines = { type: 'string', description: 'One JSON object a line.' };
  return { required: true, content: { 'application/x-ndjson': { schema: lines, example: example[operation.ndjson] } } };
}

function statusesOf(operation: Operation, method: Method, schema: Json): number[] {
  const named = Object.keys((schema['properties'] ?? {}) as Json).some((field) => field.endsWith('_id'));
  return [
    400,
    401,
    403,
    ...(named ? [404] : []),
    ...(operation.name === 'createRule' ? [409] : []),
    ...(method === 'POST' ? [413, 415] : []),
    429,
    500,
    503,
    ...(operation.name === 'createRule' || operation.name === 'updateRule' ? [504] : []),
  ];
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

const page =
  (summary: string, type: string, example: unknown, responses: Json = {}, security: Json[] = []) =>
  (operationId: string) => ({
    get: {
      operationId,
      tags: ['server'],
      summary,
      security,
      responses: {
        200: {
          description: 'Here it is.',
          content: { [type]: { schema: { type: type === 'application/json' ? 'object' : 'string' }, example } },
        },
        ...responses,
      },
    },
  });
const failing = (...statuses: number[]): Json =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));

const PAGE_PATHS: Json = {
  '/healthz': page('Whether the process answers', 'application/json', { status: 'ok' }, failing(405))('health'),
  '/readyz': page(
    'Whether matching is complete and the store is writable',
    'application/json',
    { status: 'ready' },
    failing(405, 503),
  )('ready'),
  '/metrics': page(
    'Figures for Prometheus, for the operator',
    'text/plain',
    'sluice_events_total{platform="x"} 12',
    failing(401, 403, 405),
    [{ key: [] }],
  )('metrics'),
  '/openapi.json': page('This document', 'application/json', { openapi: '3.1.0' }, failing(405))('openApi'),
  '/llms.txt': page('How to use the service, on one page, for agents', 'text/plain', '# Sluice', failing(405))('llms'),
};
