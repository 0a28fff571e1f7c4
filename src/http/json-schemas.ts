/** From our shapes to JSON Schema, as the descriptions of the interface have it. */
import { z } from 'zod';

export type JsonObject = Record<string, unknown>;
export type Shapes = Readonly<Record<string, z.ZodType>>;

/** The documents keep schemas that have a name in this place. */
export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Requests are closed: an unknown field is refused by name. */
export const requestSchemas = (shapes: Shapes): Record<string, JsonObject> => schemasOf(shapes, 'input');

/** Answers are open: fields are added within a version, and a client that validates must not break with them. */
export const answerSchemas = (shapes: Shapes): Record<string, JsonObject> => schemasOf(shapes, 'output');

/** One shape that gets no name. */
export function requestSchema(shape: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input', override: tidy('input') });
  return schema;
}

/** All at once, so that one that has a name is referred to wherever another holds it. */
function schemasOf(shapes: Shapes, io: 'input' | 'output'): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(shapes)) registry.add(shape, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => schemaRef(id).$ref,
    unrepresentable: 'any',
    override: tidy(io),
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutIds(schema)]));
}

function withoutIds({ ...schema }: Record<string, unknown>): JsonObject {
  delete schema['$schema'];
  delete schema['$id'];
  return schema;
}

type Schema = z.core.JSONSchema.BaseSchema;

const tidy =
  (io: 'input' | 'output') =>
  ({ jsonSchema: schema }: { jsonSchema: Schema }): void => {
    if (schema.type === 'integer') withoutSafeBounds(schema);
    // The pattern says the same as the format, in 300 characters.
    if (schema.format === 'date-time') delete schema.pattern;
    namedKeys(schema);
    if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  };

/** Every whole number is one that JavaScript can hold; saying so at each tells nothing. */
function withoutSafeBounds(schema: Schema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** A record whose keys are known is an object with these properties, which generators know how to type. */
function namedKeys(schema: Schema): void {
  const keys = typeof schema.propertyNames === 'object' ? schema.propertyNames.enum : undefined;
  if (keys === undefined) return;
  schema.properties = Object.fromEntries(keys.map((key) => [String(key), schema.additionalProperties ?? {}]));
  delete schema.propertyNames;
  delete schema.additionalProperties;
}
