/** JSON Schema as HTML: the fields of a shape as a list, with their types, limits and meaning. */

/** The part of JSON Schema that our documents use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML, for an element or an attribute in double quotes. */
export const plain = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);

export const code = (text: string): string => `<code>${plain(text)}</code>`;

/** Our descriptions: paragraphs, and code between backticks. */
export const prose = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('');

const inline = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? code(part) : plain(part)))
    .join('');

export const shapeName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
export const shapeAnchor = (name: string): string => `shape-${name}`;
export const shapeLink = (name: string): string => `<a href="#${shapeAnchor(name)}">${plain(name)}</a>`;

const variantsOf = ({ anyOf, oneOf }: Schema): readonly Schema[] | undefined => anyOf ?? oneOf;

/** The type in words. A shape that has a name is a link to it. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return shapeLink(shapeName(schema.$ref));
  const variants = variantsOf(schema);
  if (variants !== undefined) return [...new Set(variants.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(' | ');
  if (schema.items !== undefined) return `array of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object' && schema.properties === undefined)
    return `object with any names, each ${typeOf(schema.additionalProperties)}`;
  if (schema.type === undefined) return 'any value';
  return plain([schema.type].flat().join(' or ')) + (schema.format === undefined ? '' : ` (${plain(schema.format)})`);
}

/** The limits of a value, beyond its type. */
function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const limits = [
    between(minimum, maximum, ''),
    between(minLength || undefined, maxLength, ' characters'),
    between(minItems || undefined, maxItems, ' entries'),
    pattern === undefined ? '' : `matches ${code(pattern)}`,
    schema.default === undefined ? '' : `default ${code(JSON.stringify(schema.default))}`,
  ].filter((limit) => limit !== '');
  return limits.length === 0 ? '' : ` <span class="limits">${limits.join(', ')}</span>`;
}

/** The widest whole number that JSON has: a limit of no interest. */
const isLimit = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) !== Number.MAX_SAFE_INTEGER;

const ENGLISH = new Intl.NumberFormat('en');

function between(least: number | undefined, most: number | undefined, of: string): string {
  const figure = (value: number) => ENGLISH.format(value);
  if (isLimit(least) && isLimit(most)) return `${figure(least)} to ${figure(most)}${of}`;
  if (isLimit(most)) return `at most ${figure(most)}${of}`;
  return isLimit(least) ? `at least ${figure(least)}${of}` : '';
}

/** The fields of an object, or of the objects that it is a list or a choice of. Nothing for what has no fields. */
export function fieldsOf(schema: Schema): string {
  const variants = variantsOf(schema);
  if (variants !== undefined) return variants.map(fieldsOf).join('');
  if (schema.items !== undefined) return fieldsOf(schema.items);
  if (schema.properties === undefined)
    return typeof schema.additionalProperties === 'object' ? fieldsOf(schema.additionalProperties) : '';
  const fields = Object.entries(schema.properties).map(([name, field]) =>
    fieldOf(name, field, schema.required?.includes(name) === true),
  );
  return fields.length === 0 ? '' : `<ul class="fields">${fields.join('')}</ul>`;
}

export const fieldOf = (name: string, schema: Schema, isRequired: boolean): string =>
  `<li>${code(name)} <span class="type">${typeOf(schema)}</span>${isRequired ? ' <span class="need">required</span>' : ''}${limitsOf(schema)}${schema.description === undefined ? '' : prose(schema.description)}${fieldsOf(schema)}</li>`;
