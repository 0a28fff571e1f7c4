/** The OpenAPI document, operation by operation: what a client made from it sends, expects and shows. */
import { describe, expect, it } from 'vitest';
import { END_REASONS } from '../delivery/live/frames.ts';
import { type OperationName, operations } from '../service/operations.ts';
import { STATUS } from './errors.ts';
import { openApi } from './openapi.ts';
import { ROUTES, readRoute } from './routes.ts';
import { TAG_OF, TAGS } from './tags.ts';

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly description: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: object; example?: unknown }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: object; example: unknown }> };
  readonly responses: Record<string, { $ref?: string; headers?: object; content?: Record<string, object> }>;
}

const { paths, components, ...head } = (await openApi('1.2.3')) as unknown as {
  info: { description: string };
  security: object[];
  tags: object[];
  paths: Record<string, Record<string, Described>>;
  components: {
    securitySchemes: object;
    schemas: Record<string, object>;
    responses: Record<string, { headers: object; content: Record<string, { examples: Record<string, unknown> }> }>;
    headers: object;
  };
};
const names = Object.keys(ROUTES) as OperationName[];
const described = (name: OperationName): Described => {
  const { methods, path } = readRoute(ROUTES[name]);
  return paths[path]![methods[0]!.toLowerCase()]!;
};
const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const statusesOf = ({ responses }: Described) => Object.keys(responses);

it('says which program it describes, and that a key is needed', () => {
  expect(head.info.description).toContain('program version 1.2.3');
  expect(head.security).toEqual([{ key: [] }]);
  expect(head.tags).toEqual(Object.entries(TAGS).map(([name, description]) => ({ name, description })));
  expect(components.securitySchemes).toMatchObject({ key: { type: 'http', scheme: 'bearer' } });
});

describe('an operation', () => {
  it.each(names)('%s has its noun, its example and a failure for each likely status', (name) => {
    const operation = described(name);
    expect(operation.tags).toEqual([TAG_OF[name]]);
    expect(TAGS).toHaveProperty(TAG_OF[name]);
    const { content, headers } = operation.responses['200']!;
    expect(headers).toEqual({ 'X-Request-Id': ref('headers', 'RequestId'), RateLimit: ref('headers', 'RateLimit') });
    expect(content).toMatchObject({ 'application/json': { example: operations[name].example.output } });
    for (const status of statusesOf(operation).filter((one) => one !== '200'))
      expect(operation.responses[status]).toEqual(ref('responses', status === 'default' ? 'Error' : status));
  });

  it('by GET has parameters and no body; a missing thing, if it names one, is a 404', () => {
    const operation = described('getRule');
    expect(operation.requestBody).toBeUndefined();
    expect(operation.parameters).toEqual([
      {
        name: 'rule_id',
        in: 'query',
        required: true,
        schema: { type: 'string', description: expect.any(String) },
        example: operations.getRule.example.input.rule_id,
      },
    ]);
    expect(statusesOf(operation)).toEqual(['200', '400', '401', '403', '404', '429', '500', '503', 'default']);
    expect(operation.responses['200']!.content).toMatchObject({
      'application/json': { schema: ref('schemas', 'Rule') },
    });
    expect(statusesOf(described('status'))).not.toContain('404');
    const [first, ...others] = described('listRules').parameters!;
    expect([first?.required, others.some(({ required }) => required)]).toEqual([false, false]);
  });

  it('by POST has a body and no parameters; it may be too large, or of another type', () => {
    const operation = described('deleteRule');
    expect(operation.parameters).toEqual([]);
    expect(operation.requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: ref('schemas', 'DeleteRuleRequest'),
          example: operations.deleteRule.example.input,
        },
      },
    });
    expect(statusesOf(operation)).toEqual(expect.arrayContaining(['404', '413', '415']));
    expect(operation.responses['200']!.content).toMatchObject({
      'application/json': { schema: ref('schemas', 'DeleteRuleResponse') },
    });
    expect(described('createStreamTicket').requestBody!.required).toBe(false);
  });

  it('that takes events takes lines, and its other input in the address', () => {
    const operation = described('pushEvents');
    expect(operation.parameters!.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['platform', 'query', true],
      ['ack', 'query', false],
    ]);
    expect(operation.requestBody).toEqual({
      required: true,
      content: {
        'application/x-ndjson': {
          schema: { type: 'string', description: expect.any(String) },
          example: operations.pushEvents.example.input.lines,
        },
      },
    });
    expect(components.schemas).not.toHaveProperty('PushEventsRequest');
  });

  it('that creates a rule can be repeated safely, and may wait for a platform', () => {
    const operation = described('createRule');
    expect(operation.parameters).toEqual([
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: expect.any(String),
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        example: 'volcano-news-1',
      },
    ]);
    expect(statusesOf(operation)).toEqual(expect.arrayContaining(['409', '504']));
    expect(statusesOf(described('updateRule'))).toContain('504');
    expect(statusesOf(described('updateRule'))).not.toContain('409');
    expect(statusesOf(described('deleteRule'))).not.toContain('504');
  });

  it.each<[OperationName, string]>([
    ['listMatches', 'Needs a key of scope `read` or `full`.'],
    ['createRule', 'Needs a key of scope `full`.'],
    ['pushEvents', 'Needs a key of scope `ingest` or `full`.'],
    ['setDemo', "Needs a `full` key of the operator's account."],
  ])('%s says which key it needs', (name, needs) => {
    expect(described(name).description.split('\n\n').at(-1)).toBe(needs);
  });
});

describe('a failure', () => {
  it('has one shape, whose codes are all that there are', () => {
    expect(components.schemas['Error']).toMatchObject({
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(STATUS) },
        message: { type: 'string' },
        details: { type: 'object' },
      },
    });
  });

  it('is described for every status, with an example of each code that comes with it', () => {
    const codes = Object.fromEntries(
      Object.entries(components.responses).map(([status, { content }]) => {
        expect(content['application/json']).toMatchObject({ schema: ref('schemas', 'Error') });
        return [status, Object.keys(content['application/json']!.examples)];
      }),
    );
    expect(codes).toEqual({
      400: ['invalid_argument', 'failed_precondition'],
      401: ['unauthenticated'],
      403: ['permission_denied'],
      404: ['not_found'],
      405: ['unimplemented'],
      409: ['already_exists'],
      413: ['invalid_argument'],
      415: ['invalid_argument'],
      429: ['resource_exhausted'],
      500: ['internal'],
      503: ['unavailable'],
      504: ['deadline_exceeded'],
      Error: ['internal'],
    });
  });

  it('shows the details that come with its code', () => {
    const examples = components.responses['400']!.content['application/json']!.examples;
    const message = 'A quote is never closed.';
    expect(examples['invalid_argument']).toEqual({
      value: {
        code: 'invalid_argument',
        message,
        details: {
          issues: [{ path: 'overrides.x', message, position: { start: 6, end: 12 }, suggestion: 'lava "flow"' }],
        },
      },
    });
    expect(examples['failed_precondition']).toMatchObject({ value: { details: { reason: 'cursor_expired' } } });
    expect(components.responses['404']!.content['application/json']!.examples['not_found']).toMatchObject({
      value: { code: 'not_found', details: {} },
    });
    expect(components.responses['429']!.content['application/json']!.examples['resource_exhausted']).toMatchObject({
      value: { details: { platform: 'x', limit: 25, used: 25 } },
    });
  });

  it('says when to try again where that may help, and its request id always', () => {
    const withWait = Object.entries(components.responses).filter(([, { headers }]) => 'Retry-After' in headers);
    expect(withWait.map(([status]) => status)).toEqual(['429', '503']);
    expect(components.responses['429']!.headers).toEqual({
      'X-Request-Id': ref('headers', 'RequestId'),
      'Retry-After': ref('headers', 'RetryAfter'),
    });
    expect(components.responses['404']!.headers).toEqual({ 'X-Request-Id': ref('headers', 'RequestId') });
    expect(components.headers).toMatchObject({
      RequestId: { schema: { type: 'string' } },
      RateLimit: { schema: { type: 'string' } },
      RetryAfter: { schema: { type: 'integer' } },
    });
  });
});

describe('what is no operation', () => {
  const page = (path: string) => paths[path]!['get']!;

  it.each<[path: string, id: string, type: string, example: unknown, schema: string, failures: string[]]>([
    ['/healthz', 'health', 'application/json', { status: 'ok' }, 'object', ['405']],
    ['/readyz', 'ready', 'application/json', { status: 'ready' }, 'object', ['405', '503']],
    ['/openapi.json', 'openApi', 'application/json', { openapi: '3.1.0' }, 'object', ['405']],
    ['/asyncapi.json', 'asyncApi', 'application/json', { asyncapi: '3.1.0' }, 'object', ['405']],
    ['/llms.txt', 'llms', 'text/plain', '# Sluice', 'string', ['405']],
    [
      '/schemas/{name}',
      'dataSchema',
      'application/schema+json',
      { $schema: 'https://json-schema.org/draft/2020-12/schema' },
      'object',
      ['404', '405'],
    ],
  ])('%s needs no key', (path, id, type, example, schema, failures) => {
    const { operationId, security, tags, responses } = page(path);
    expect([operationId, security, tags]).toEqual([id, [], ['server']]);
    expect(responses['200']!.content).toEqual({ [type]: { schema: { type: schema }, example } });
    expect(Object.keys(responses)).toEqual(['200', ...failures, 'default']);
  });

  it('/metrics needs one', () => {
    expect(page('/metrics')).toMatchObject({ operationId: 'metrics', security: [{ key: [] }] });
    expect(statusesOf(page('/metrics'))).toEqual(['200', '401', '403', '405', '503', 'default']);
    expect(page('/metrics').responses['200']!.content).toMatchObject({ 'text/plain': { schema: { type: 'string' } } });
  });

  it('a schema is named in its address', () => {
    expect(page('/schemas/{name}').parameters).toEqual([
      { name: 'name', in: 'path', required: true, schema: { type: 'string' }, example: 'Match.json' },
    ]);
  });

  it.each<[path: string, id: string, own: [string, string][]]>([
    [
      '/matches/stream',
      'streamMatches',
      [
        ['ticket', 'query'],
        ['Last-Event-ID', 'header'],
      ],
    ],
    ['/export', 'exportMatches', [['ticket', 'query']]],
  ])('%s takes its filters and a ticket in the address, and none of them is required', (path, id, own) => {
    const { operationId, tags, security, parameters = [], responses } = page(path);
    expect([operationId, tags, security]).toEqual([id, ['matches'], undefined]);
    expect(parameters[0]).toMatchObject({ name: 'rule_id', in: 'query', schema: { type: 'string' } });
    expect(parameters.slice(-own.length).map(({ name, in: place }) => [name, place])).toEqual(own);
    expect(parameters.slice(-own.length).map(({ schema }) => schema)).toEqual(own.map(() => ({ type: 'string' })));
    expect(parameters.some(({ required }) => required !== false)).toBe(false);
    expect(responses['200']!.headers).toMatchObject({ 'X-Request-Id': ref('headers', 'RequestId') });
    expect(Object.keys(responses)).toEqual(['200', '400', '401', '403', '404', '429', '500', '503', 'default']);
  });

  it('a stream is server-sent events, and an export one of three kinds of file', () => {
    expect(page('/matches/stream').responses['200']!.content).toEqual({
      'text/event-stream': { schema: { type: 'string' }, example: expect.stringMatching(/^event: match\nid: \S+\n/) },
    });
    const { content, headers } = page('/export').responses['200']!;
    expect(headers).toHaveProperty('RateLimit', ref('headers', 'RateLimit'));
    expect(content).toEqual({
      'application/vnd.apache.parquet': {
        schema: { type: 'string', contentMediaType: 'application/octet-stream' },
      },
      'application/x-ndjson': { schema: { type: 'string' }, example: expect.stringMatching(/^\{"id":"match_/) },
      'text/csv': { schema: { type: 'string' }, example: 'id,created_at,platform' },
    });
  });

  it('a stream says every reason for which it ends', () => {
    const { description } = page('/matches/stream');
    for (const reason of END_REASONS) expect(description).toContain(`\`${reason}\``);
  });

  it('a feed is read by who has its address, in one of three formats, or is unchanged', () => {
    const { operationId, tags, security, parameters = [], responses } = page('/feeds/{file}');
    expect([operationId, tags, security]).toEqual(['readFeed', ['feeds'], []]);
    expect(parameters.map(({ name, in: place, required, schema }) => [name, place, required, schema])).toEqual([
      ['file', 'path', true, { type: 'string' }],
      ['cursor', 'query', false, { type: 'string' }],
    ]);
    expect(parameters[0]!.example).toMatch(/\.atom$/);
    expect(responses['200']).toMatchObject({
      headers: { 'X-Request-Id': ref('headers', 'RequestId') },
      content: {
        'application/atom+xml': { schema: { type: 'string' }, example: expect.stringContaining('<feed ') },
        'application/rss+xml': { schema: { type: 'string' }, example: expect.stringContaining('<rss ') },
        'application/feed+json': {
          schema: { type: 'object' },
          example: { version: 'https://jsonfeed.org/version/1.1' },
        },
      },
    });
    expect(Object.keys(responses)).toEqual(['200', '304', '400', '404', '429', '500', '503', 'default']);
  });
});
