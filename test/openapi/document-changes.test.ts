import { describe, expect, it } from 'vitest';
import { type AsyncApiDocument, asyncApiChanges, type OpenApiDocument, openApiChanges } from './document-changes.ts';
import type { Schema } from './schema-changes.ts';

const REQUEST = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', maxLength: 10 },
    kind: { type: 'string', enum: ['a', 'b'] },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    list: { type: 'array', items: { $ref: '#/components/schemas/Part' }, maxItems: 5 },
    note: { type: ['string', 'null'] },
  },
  additionalProperties: false,
};
const ANSWER = {
  type: 'object',
  required: ['id', 'parts'],
  properties: {
    id: { type: 'string' },
    parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
    note: { type: 'string' },
    by_platform: { type: 'object', additionalProperties: { type: 'integer' } },
  },
};
const PART = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, of: { $ref: '#/components/schemas/Part' } },
};

interface Changed {
  request?: Schema;
  answer?: Schema;
  part?: Schema;
  parameters?: object[];
  status?: string;
  type?: string;
  required?: boolean;
}

const documentWith = ({ request = REQUEST, answer = ANSWER, part = PART, ...more }: Changed = {}) =>
  ({
    paths: {
      '/things': {
        post: {
          parameters: more.parameters ?? [{ name: 'form', in: 'query', schema: { type: 'string' } }],
          requestBody: { required: more.required ?? false, content: { 'application/json': { schema: request } } },
          responses: {
            [more.status ?? '200']: { content: { [more.type ?? 'application/json']: { schema: answer } } },
            400: { content: {} },
          },
        },
      },
    },
    components: { schemas: { Part: part } },
  }) as unknown as OpenApiDocument;

const changedIn = (base: { properties: Record<string, unknown> }, change: Record<string, unknown>): Schema => ({
  ...base,
  properties: { ...base.properties, ...change },
});
const without = (base: { properties: Record<string, unknown> }, name: string): Schema => ({
  ...base,
  properties: Object.fromEntries(Object.entries(base.properties).filter(([key]) => key !== name)),
});
const changes = (changed: Changed): string[] => openApiChanges(documentWith(), documentWith(changed));

describe('a change of the OpenAPI document', () => {
  it.each<[string, Changed, string[]]>([
    ['a field of an answer', { answer: without(ANSWER, 'note') }, ['answer note was removed']],
    ['a field that was always there', { answer: { ...without(ANSWER, 'id') } }, ['answer id was removed']],
    [
      'a field far inside an answer',
      { part: without(PART, 'name') },
      ['body list[].name was removed', 'answer parts[].name was removed'],
    ],
    [
      'that a field is always there',
      { answer: { ...ANSWER, required: ['id'] } },
      ['answer parts is no longer always there'],
    ],
    [
      'the type of a field',
      { answer: changedIn(ANSWER, { id: { type: 'integer' } }) },
      ['answer id may now be integer'],
    ],
    [
      'that a field is never null',
      { answer: changedIn(ANSWER, { note: { type: ['string', 'null'] } }) },
      ['answer note may now be null'],
    ],
    [
      'the type of other fields',
      { answer: changedIn(ANSWER, { by_platform: { type: 'object', additionalProperties: { type: 'string' } } }) },
      ['answer by_platform.* may now be string'],
    ],
    ['a field of a request', { request: without(REQUEST, 'kind') }, ['body kind was removed']],
    [
      'that a field of a request is optional',
      { request: { ...REQUEST, required: ['id', 'kind'] } },
      ['body kind is now required'],
    ],
    [
      'that a new field is optional',
      { request: { ...changedIn(REQUEST, { more: { type: 'string' } }), required: ['id', 'more'] } },
      ['body more is now required'],
    ],
    [
      'a value of a request',
      { request: changedIn(REQUEST, { kind: { type: 'string', enum: ['a'] } }) },
      ['body kind no longer takes b'],
    ],
    [
      'that a request takes any value',
      { request: changedIn(REQUEST, { id: { type: 'string', enum: ['a'], maxLength: 10 } }) },
      ['body id no longer takes other values'],
    ],
    [
      'a type of a request',
      { request: changedIn(REQUEST, { note: { type: 'string' } }) },
      ['body note no longer takes null'],
    ],
    [
      'the most of a number',
      { request: changedIn(REQUEST, { limit: { type: 'integer', minimum: 1, maximum: 50 } }) },
      ['body limit has the maximum 50 now'],
    ],
    [
      'the least of a number',
      { request: changedIn(REQUEST, { limit: { type: 'integer', minimum: 2, maximum: 100 } }) },
      ['body limit has the minimum 2 now'],
    ],
    [
      'the length of a text',
      { request: changedIn(REQUEST, { id: { type: 'string', maxLength: 9 } }) },
      ['body id has the maxLength 9 now'],
    ],
    [
      'the pattern of a text',
      { request: changedIn(REQUEST, { id: { type: 'string', maxLength: 10, pattern: '^a' } }) },
      ['body id has another pattern now'],
    ],
    ['that the body is optional', { required: true }, ['the body is now required']],
    ['a parameter', { parameters: [] }, ['the parameter form was removed']],
    [
      'that a parameter is optional',
      { parameters: [{ name: 'form', in: 'query', required: true, schema: { type: 'string' } }] },
      ['the parameter form is now required'],
    ],
    ['the status of an answer', { status: '201' }, ['the status 200 was removed']],
    ['the type of the content', { type: 'text/plain' }, ['answer application/json was removed']],
  ])('breaks when it takes away %s', (_, changed, expected) => {
    expect(changes(changed)).toEqual(expected.map((line) => `POST /things: ${line}`));
  });

  it('breaks when it takes away an operation', () => {
    expect(openApiChanges(documentWith(), { paths: {} })).toEqual(['POST /things was removed']);
  });

  it.each<[string, Changed]>([
    ['nothing', {}],
    ['a field to an answer', { answer: changedIn(ANSWER, { more: { type: 'string' } }) }],
    ['an optional field to a request', { request: changedIn(REQUEST, { more: { type: 'string' } }) }],
    ['a value to a request', { request: changedIn(REQUEST, { kind: { type: 'string', enum: ['a', 'b', 'c'] } }) }],
    [
      'room to a request',
      { request: changedIn(REQUEST, { limit: { type: 'number', minimum: 0, maximum: 200 }, id: { type: 'string' } }) },
    ],
    ['that a field is always there', { answer: { ...ANSWER, required: ['id', 'parts', 'note'] } }],
    [
      'names of keys that were free before',
      { answer: changedIn(ANSWER, { by_platform: { type: 'object', properties: { x: { type: 'integer' } } } }) },
    ],
    [
      'an optional parameter',
      {
        parameters: [
          { name: 'form', in: 'query', schema: { type: 'string' } },
          { name: 'more', in: 'query', schema: {} },
        ],
      },
    ],
  ])('breaks nothing when it adds %s', (_, changed) => {
    expect(changes(changed)).toEqual([]);
  });
});

describe('a change of the AsyncAPI document', () => {
  const messages = (payload: Schema, address = '/stream', query: Schema = REQUEST) =>
    ({
      channels: { stream: { address, messages: { match: { $ref: '#/components/messages/match' } } } },
      operations: { send: { bindings: { http: { query } } } },
      components: {
        messages: { match: { payload, headers: { type: 'object', properties: { id: { type: 'string' } } } } },
        schemas: { Part: PART },
      },
    }) as unknown as AsyncApiDocument;
  const before = messages(ANSWER);

  it('breaks when a message loses a field, a channel moves, or a query takes less', () => {
    expect(asyncApiChanges(before, messages(without(ANSWER, 'note')))).toEqual(['stream: match note was removed']);
    expect(asyncApiChanges(before, messages(ANSWER, '/other'))).toEqual(['stream: the address was changed']);
    expect(asyncApiChanges(before, messages(ANSWER, '/stream', without(REQUEST, 'kind')))).toEqual([
      'send: query kind was removed',
    ]);
  });

  it('breaks when a channel, a message or an operation is gone', () => {
    const none = { channels: { stream: { address: '/stream', messages: {} } }, operations: {} };
    expect(asyncApiChanges(before, none)).toEqual([
      'stream: the message match was removed',
      'the operation send was removed',
    ]);
    expect(asyncApiChanges(before, { ...before, channels: {} })).toEqual(['the channel stream was removed']);
  });

  it('is looked at in each alternative of a field', () => {
    const either = (...names: string[]) => ({
      anyOf: names.map((name) => ({ type: 'object', required: [name], properties: { [name]: { type: 'string' } } })),
    });
    expect(asyncApiChanges(messages(either('a', 'b')), messages(either('b', 'a', 'c')))).toEqual([]);
    expect(asyncApiChanges(messages(either('a', 'b')), messages(either('b')))).toEqual(['stream: match a was removed']);
  });

  it('breaks nothing when a message gets a field', () => {
    expect(asyncApiChanges(before, messages(changedIn(ANSWER, { more: { type: 'string' } })))).toEqual([]);
  });
});
