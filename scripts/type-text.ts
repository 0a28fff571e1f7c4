/** A JSON Schema of ours as a TypeScript type. It knows what our shapes use, and refuses the rest. */

type Schema = Readonly<Record<string, unknown>>;

/** The side that writes a value: callers, or the server. */
type Side = 'input' | 'answer';

/** A declaration with its comments. An alias, since a value of an interface is no record of unknown values. */
export function printType(name: string, schema: Schema, side: Side): string {
  return `${comment(schema, '')}export type ${name} = ${typeText(schema, side)};\n`;
}

export function typeText(schema: Schema, side: Side = 'answer', indent = ''): string {
  const { $ref, anyOf, oneOf, allOf, enum: values, const: value, type } = schema;
  if (typeof $ref === 'string') return $ref.split('/').at(-1)!;
  const options = anyOf ?? oneOf;
  if (Array.isArray(options)) return union((options as Schema[]).map((one) => typeText(one, side, indent)));
  if (Array.isArray(values)) return union(values.map((one) => JSON.stringify(one)));
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(type))
    return union((type as string[]).map((one) => typeText({ ...schema, type: one }, side, indent)));
  if (type === 'object') return objectText(schema, side, indent);
  if (type === 'array') return arrayText(schema['items'], side, indent);
  if (type === undefined && allOf === undefined) return 'unknown';
  const plain = PLAIN[String(type)];
  if (plain === undefined) throw new Error(`A schema of type ${String(type)} has no text.`);
  return plain;
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

const union = (texts: readonly string[]): string => [...new Set(texts)].join(' | ');

function arrayText(items: unknown, side: Side, indent: string): string {
  if (!isSchema(items)) return 'unknown[]';
  const isUnion = ['anyOf', 'oneOf', 'enum'].some((key) => key in items) || Array.isArray(items['type']);
  const text = typeText(items, side, indent);
  return isUnion ? `(${text})[]` : `${text}[]`;
}

function objectText({ properties, required, additionalProperties }: Schema, side: Side, indent: string): string {
  if (!isSchema(properties) || Object.keys(properties).length === 0) {
    if (isSchema(additionalProperties)) return `Record<string, ${typeText(additionalProperties, side, indent)}>`;
    return isSchema(properties) ? 'Record<string, never>' : 'Record<string, unknown>';
  }
  const inside = `${indent}  `;
  const fields = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => {
    const isRequired = ((required ?? []) as string[]).includes(name);
    const mark = isRequired ? '' : '?';
    // A caller may write a field as undefined: it is left out on the wire. An answer never has one.
    const more = isRequired || side === 'answer' ? '' : ' | undefined';
    return `${comment(schema, inside)}${inside}${name}${mark}: ${typeText(schema, side, inside)}${more};`;
  });
  const others = isSchema(additionalProperties) ? [`${inside}[name: string]: unknown;`] : [];
  return `{\n${[...fields, ...others].join('\n')}\n${indent}}`;
}

const comment = ({ description }: Schema, indent: string): string =>
  typeof description === 'string' ? `${indent}/** ${description.replaceAll('*/', '* /')} */\n` : '';

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
