/** The OpenAPI 3.1 document, made from the schemas that validate requests, so that the two cannot disagree. */
import { z } from 'zod';
import { inSlices } from '../base/cooperate.ts';
import { type OperationName, operations } from '../service/operations.ts';
import type { Operation } from '../service/perform/operation.ts';
import { takesNothing } from './handler.ts';
import {
  answerSchemas,
  type JsonObject,
  requestSchema,
  requestSchemas,
  type Shapes,
  schemaRef,
} from './json-schemas.ts';
import { CERTIFICATE_PATHS } from './openapi-certificates.ts';
import { exportOperation, feedOperation } from './openapi-feeds.ts';
import { ERROR_SCHEMA, errorResponses, failures, HEADERS, header, PAGE_PATHS } from './openapi-parts.ts';
import { streamOperation } from './openapi-stream.ts';
import { type Method, ROUTES, readRoute } from './routes.ts';
import { NAMED_SHAPES } from './schema-names.ts';
import { TAG_OF, TAGS } from './tags.ts';

/** Articles of the reference page that are written between two turns of the event loop; what takes as long counts as much. */
export const DOCUMENT_PART = 8;

/**
 * Made the first time, the document and its page take tens of milliseconds each, so others have a turn between their parts, and
 * before whatever is made of the whole.
 */
export const makeDocument = <T>(work: Generator<number, T>): Promise<T> => inSlices(work, DOCUMENT_PART);

/** Without `servers`: those depend on how the reader reached us. */
export const openApi = (version: string): Promise<JsonObject> => makeDocument(describe(version));

function* describe(version: string): Generator<number, JsonObject> {
  const answers = namedAnswers();
  yield DOCUMENT_PART;
  const schemas = { ...answers, ...requestSchemas(requestBodies()), Error: ERROR_SCHEMA };
  yield DOCUMENT_PART;
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      summary: 'Watches live posts and web pages for agents and programs.',
      description: `Define rules in each platform's own language; list what matched.\n\nEvery failure has the body \`{ code, message, details }\`. Within version 1 fields and operations are added, never changed or removed: do not refuse an answer for a field that you do not know. In a request, \`null\` for an optional field means that it is absent, unless the field says what \`null\` means. This is program version ${version}.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ key: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: {
      ...operationPaths(),
      ...streamOperation(),
      ...exportOperation(),
      ...feedOperation(),
      ...CERTIFICATE_PATHS,
      ...PAGE_PATHS,
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, as `Authorization: Bearer <API_KEY>`.' },
      },
      schemas,
      responses: errorResponses(),
      headers: HEADERS,
    },
  };
  yield DOCUMENT_PART;
  return document;
}

const NAMES = Object.keys(ROUTES) as OperationName[];

/** The shapes that have a name, and what each operation answers unless that has a name already. */
const namedAnswers = (): JsonObject =>
  answerSchemas({
    ...Object.fromEntries(NAMES.map((name) => [answerName(name), operations[name].output])),
    ...NAMED_SHAPES,
  });

const requestBodies = (): Shapes =>
  Object.fromEntries(NAMES.filter(takesJson).map((name) => [requestName(name), operations[name].input]));

/** Methods beside the documented one are answered too; one description is enough for both. */
const methodOf = (name: OperationName): Method => readRoute(ROUTES[name]).methods[0]!;
const takesJson = (name: OperationName): boolean =>
  methodOf(name) === 'POST' && (operations[name] as Operation).ndjson === undefined;

const capital = (name: string): string => name[0]!.toUpperCase() + name.slice(1);
const requestName = (name: OperationName): string => `${capital(name)}Request`;
const answerName = (name: OperationName): string =>
  Object.entries(NAMED_SHAPES).find(([, shape]) => shape === operations[name].output)?.[0] ??
  `${capital(name)}Response`;

const operationPaths = (): JsonObject =>
  Object.fromEntries(
    NAMES.map((name) => [readRoute(ROUTES[name]).path, { [methodOf(name).toLowerCase()]: describeOperation(name) }]),
  );

function describeOperation(name: OperationName): JsonObject {
  const operation: Operation = operations[name];
  const { input, output } = operation.example as { input: JsonObject; output: unknown };
  return {
    operationId: name,
    tags: [TAG_OF[name]],
    summary: operation.summary,
    description: `${operation.description}\n\nNeeds ${NEEDS[operation.access]}.`,
    parameters: [
      ...(takesJson(name) ? [] : queryParameters(operation, input)),
      ...(name === 'createRule' ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(methodOf(name) === 'POST' && { requestBody: requestBody(name, operation, input) }),
    responses: {
      200: {
        description: 'Done.',
        headers: { 'X-Request-Id': header('RequestId'), RateLimit: header('RateLimit') },
        content: { 'application/json': { schema: schemaRef(answerName(name)), example: output } },
      },
      ...failures(statusesOf(name, operation)),
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

function queryParameters({ input, ndjson }: Operation, example: JsonObject): JsonObject[] {
  const { required = [], properties = {} } = requestSchema(input) as {
    required?: string[];
    properties?: Record<string, JsonObject>;
  };
  return Object.entries(properties)
    .filter(([name]) => name !== ndjson)
    .map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
      ...(name in example && { example: example[name] }),
    }));
}

function requestBody(name: OperationName, { ndjson, input }: Operation, example: JsonObject): JsonObject {
  if (ndjson === undefined) {
    return {
      required: !takesNothing(input),
      content: { 'application/json': { schema: schemaRef(requestName(name)), example } },
    };
  }
  const lines = { type: 'string', description: 'One JSON object a line.' };
  return { required: true, content: { 'application/x-ndjson': { schema: lines, example: example[ndjson] } } };
}

function statusesOf(name: OperationName, { input }: Operation): number[] {
  const isNamed = input instanceof z.ZodObject && Object.keys(input.shape).some((field) => field.endsWith('_id'));
  return [
    400,
    401,
    403,
    ...(isNamed ? [404] : []),
    ...(name === 'createRule' ? [409] : []),
    ...(methodOf(name) === 'POST' ? [413, 415] : []),
    429,
    500,
    503,
    ...(name === 'createRule' || name === 'updateRule' ? [504] : []),
  ];
}
