/**
 * Clients in many languages write `null` for an optional field that was not set. Such a field is taken as absent, unless
 * its schema gives `null` a meaning. The walk follows the schema, so it is no deeper than the schema, and payloads of
 * events, whose fields no schema lists, stay as they are.
 */
import { z } from 'zod';

export function withoutAbsentNulls(schema: z.core.$ZodType, input: unknown): unknown {
  const { of, mayBeAbsent, mayBeNull } = unwrapped(schema);
  if (input === null) return mayBeAbsent && !mayBeNull ? undefined : null;
  if (of instanceof z.ZodArray && Array.isArray(input)) {
    // A list has no optional places: only what is inside its entries can be absent.
    const element = of.element;
    return input.map((entry: unknown) => (entry === null ? null : withoutAbsentNulls(element, entry)));
  }
  if (of instanceof z.ZodObject && isPlainObject(input)) return objectWithout(of.shape, input);
  return input;
}

/** Looks at the fields that the schema lists, however many the input has. What is to stay as it is is not copied. */
function objectWithout(
  shape: z.core.$ZodShape,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let kept: Record<string, unknown> | undefined;
  for (const [name, field] of Object.entries(shape)) {
    if (!Object.hasOwn(input, name)) continue;
    const cleaned = withoutAbsentNulls(field, input[name]);
    if (cleaned === input[name]) continue;
    kept ??= { ...input };
    if (cleaned === undefined) Reflect.deleteProperty(kept, name);
    else kept[name] = cleaned;
  }
  return kept ?? input;
}

interface Unwrapped {
  readonly of: z.core.$ZodType;
  readonly mayBeAbsent: boolean;
  readonly mayBeNull: boolean;
}

function unwrapped(schema: z.core.$ZodType): Unwrapped {
  let of = schema;
  let mayBeAbsent = false;
  let mayBeNull = false;
  for (;;) {
    if (of instanceof z.ZodOptional || of instanceof z.ZodDefault) mayBeAbsent = true;
    else if (of instanceof z.ZodNullable) mayBeNull = true;
    // What `z.preprocess` makes: a function, then the schema of its result.
    else if (of instanceof z.ZodPipe && of.in instanceof z.ZodTransform) {
      of = of.out;
      continue;
    } else return { of, mayBeAbsent, mayBeNull };
    of = of.unwrap();
  }
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
