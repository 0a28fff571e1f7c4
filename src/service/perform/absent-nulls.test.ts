import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OperationName, operations } from '../operations.ts';
import { withoutAbsentNulls } from './perform.ts';

describe('null for an optional field', () => {
  const shape = z.strictObject({
    name: z.string(),
    note: z.string().optional(),
    limit: z.coerce.number().min(1).default(50),
    cleared: z.string().nullable().optional(),
    inside: z.strictObject({ flag: z.boolean().optional(), must: z.string() }).optional(),
    list: z.array(z.strictObject({ of: z.int().optional() })).optional(),
    event: z.record(z.string(), z.unknown()).optional(),
  });
  const cleaned = (input: unknown) => withoutAbsentNulls(shape, input);

  it('means that the field is absent, at any depth', () => {
    expect(
      cleaned({ name: 'a', note: null, limit: null, inside: { flag: null, must: 'b' }, list: [{ of: null }] }),
    ).toEqual({ name: 'a', inside: { must: 'b' }, list: [{}] });
  });

  it('is looked for in the fields of the schema, and input without it is not copied', () => {
    const input = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, null]));
    expect(cleaned(input)).toBe(input);
    expect(Object.keys(cleaned({ ...input, note: null }) as object)).toHaveLength(1_000);
  });

  it('stays where the schema says what it means', () => {
    expect(cleaned({ cleared: null })).toEqual({ cleared: null });
  });

  it('stays in a required field and in a list, so that it is refused', () => {
    expect(cleaned({ name: null, list: [null] })).toEqual({ name: null, list: [null] });
    expect(shape.safeParse(cleaned({ name: null })).error?.issues).toMatchObject([{ path: ['name'] }]);
  });

  it('stays in the payload of an event, and in a field that does not exist', () => {
    expect(cleaned({ event: { data: null }, unknown: null })).toEqual({ event: { data: null }, unknown: null });
  });

  it('leaves a key named __proto__ where it is, for the schema to refuse', () => {
    const given = JSON.parse('{"name":"a","__proto__":null}') as unknown;
    expect(Object.keys(cleaned(given) as object)).toEqual(['name', '__proto__']);
    expect(shape.safeParse(cleaned(given)).success).toBe(false);
  });

  it.each(Object.keys(operations) as OperationName[])('is accepted for every optional field of %s', (name) => {
    const { input, example } = operations[name];
    const { shape: fields } = input as z.ZodObject;
    const missing = Object.keys(fields).filter((field) => !(field in example.input));
    const optional = missing.filter((field) => (fields[field] as z.ZodType).safeParse(undefined).success);
    const given = { ...example.input, ...Object.fromEntries(optional.map((field) => [field, null])) };
    expect(input.safeParse(withoutAbsentNulls(input, given)).error).toBeUndefined();
  });
});
