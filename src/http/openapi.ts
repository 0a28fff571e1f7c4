/** The OpenAPI 3.1 document, made from the schemas that validate requests, so that the two cannot disagree. */
import { z } from 'zod';
import type { Operation } from '../service/operations/operation.ts';
import { type OperationName, operations } from '../service/operations/operations.ts';
import { exportOperation } from './openapi-export.ts';
import { ERROR_SCHEMA, errorResponses, HEADERS, header, type JsonObject, PAGE_PATHS } from './openapi-parts.ts';
import { streamOperation } from './openapi-stream.ts';
import { type Method, ROUTES, readRoute } from './routes.ts';

/** Without `servers`: those depend on how the reader reached us. */
export function openApi(version: string): JsonObject {
  const shared: JsonObject = {};
  const paths = { ...operationPaths(shared), ...streamOperation(), ...exportOperation(), ...PAGE_PATHS };
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
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, as `Authorization: Bearer <API_KEY>`.' },
      },
      schemas: { Error: ERROR_SCHEMA, ...shared },
      responses: errorResponses(),
      headers: HEADERS,
    },
  };
}

function operationPaths(shared: JsonObject): JsonObject {
  const paths: JsonObject = {};
  for (const name of Object.keys(ROUTES) as OperationName[]) {
    const { methods, path } = readRoute(ROUTES[name]);
    paths[path] = Object.fromEntries(
      methods.map((method, index) => [
        method.toLowerCase(),
        describeOperation(operations[name], method, index > 0, shared),
      ]),
    );
  }
  return paths;
}

function describeOperation(operation: Operation, method: Method, again: boolean, shared: JsonObject): JsonObject {
  const { input, output } = operation.example as { input: JsonObject; output: unknown };
  const schema = schemaOf(operation.input, 'input', shared);
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
        content: { 'application/json': { schema: schemaOf(operation.output, 'output', shared), example: output } },
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

function queryParameters(schema: JsonObject, example: JsonObject, body: string | undefined): JsonObject[] {
  const required = (schema['required'] ?? []) as string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>)
    .filter(([name]) => name !== body)
    .map(([name, of]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema: of,
      ...(name in example && { example: example[name] }),
    }));
}

function requestBody(operation: Operation, schema: JsonObject, example: JsonObject): JsonObject {
  if (operation.ndjson === undefined) {
    return { required: operation.stream === undefined, content: { 'application/json': { schema, example } } };
  }
  const lines = { type: 'string', description: 'One JSON object a line.' };
  return { required: true, content: { 'application/x-ndjson': { schema: lines, example: example[operation.ndjson] } } };
}

function statusesOf(operation: Operation, method: Method, schema: JsonObject): number[] {
  const named = Object.keys(schema['properties'] ?? {}).some((field) => field.endsWith('_id'));
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

/** A schema that refers to itself comes with definitions; in this document they all live in one place. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', shared: JsonObject): JsonObject {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const moved = (part: unknown): JsonObject =>
    JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonObject;
  for (const [name, definition] of Object.entries($defs ?? {})) shared[name] = moved(definition);
  return moved(rest);
}
