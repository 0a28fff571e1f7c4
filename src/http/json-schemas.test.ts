import { expect, it } from 'vitest';
import { z } from 'zod';
import { answerSchemas, requestSchema, requestSchemas, schemaRef } from './json-schemas.ts';

const rule = z.strictObject({ id: z.string() });

it('a request is closed, an answer is open for fields that come later', () => {
  const closed = {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  };
  const { additionalProperties: _, ...open } = closed;
  expect(requestSchema(rule)).toEqual(closed);
  expect(requestSchemas({ Rule: rule })).toEqual({ Rule: closed });
  expect(answerSchemas({ Rule: rule })).toEqual({ Rule: open });
});

it('a field with a default may be left out of a request, and is always in an answer', () => {
  const shape = z.strictObject({ limit: z.int().default(20) });
  expect(requestSchema(shape)['required']).toBeUndefined();
  expect(answerSchemas({ Page: shape })['Page']!['required']).toEqual(['limit']);
});

it('a shape that has a name is referred to wherever another holds it', () => {
  expect(schemaRef('Rule')).toEqual({ $ref: '#/components/schemas/Rule' });
  const { Rules } = answerSchemas({ Rule: rule, Rules: z.strictObject({ rules: z.array(rule) }) });
  expect(Rules).toEqual({
    type: 'object',
    properties: { rules: { type: 'array', items: schemaRef('Rule') } },
    required: ['rules'],
  });
});

it('limits are told, and what every whole number or every date has is not', () => {
  const shape = z.strictObject({
    any: z.int(),
    some: z.int().min(1).max(9),
    most: z.int().max(9),
    share: z.number().min(0),
    at: z.iso.datetime(),
    word: z.string().regex(/^a$/),
  });
  expect(requestSchema(shape)['properties']).toEqual({
    any: { type: 'integer' },
    some: { type: 'integer', minimum: 1, maximum: 9 },
    most: { type: 'integer', maximum: 9 },
    share: { type: 'number', minimum: 0 },
    at: { type: 'string', format: 'date-time' },
    word: { type: 'string', pattern: '^a$' },
  });
});

it('a record whose keys are known is an object with these fields; others keep any names', () => {
  const known = z.partialRecord(z.enum(['x', 'firehose']), z.string());
  expect(requestSchema(known)).toEqual({
    type: 'object',
    properties: { x: { type: 'string' }, firehose: { type: 'string' } },
  });
  expect(requestSchema(z.record(z.string(), z.string()))).toEqual({
    type: 'object',
    propertyNames: { type: 'string' },
    additionalProperties: { type: 'string' },
  });
});
