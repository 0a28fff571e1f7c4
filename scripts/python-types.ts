/** JSON Schemas of ours as Python's typed dictionaries, for Python 3.10 without any package beside it. */

type Schema = Readonly<Record<string, unknown>>;

/** Names that cannot be those of fields or parameters. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'from',
  'in',
  'is',
  'not',
  'and',
  'or',
  'class',
  'def',
  'global',
  'import',
  'lambda',
  'pass',
  'with',
]);

const PLAIN: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
  null: 'None',
};

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const capital = (name: string): string =>
  name
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
const literal = (value: unknown): string =>
  value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);

export const parameterName = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);

/** The declarations of a schema and of the objects inside it, which get names of their own. */
export function printPythonType(name: string, schema: Schema): string[] {
  const declared: string[] = [];
  if (isSchema(schema['properties']) && Object.keys(schema['properties']).length > 0) declare(name, schema, declared);
  else declared.push(`${name}: TypeAlias = ${JSON.stringify(pythonType(schema, `${name}Value`, declared))}\n`);
  return declared;
}

/** The type of a schema; what it needs is added to `declared`. */
export function pythonType(schema: Schema, name: string, declared: string[]): string {
  const { $ref, anyOf, oneOf, enum: values, const: value, type } = schema;
  if (typeof $ref === 'string') return $ref.split('/').at(-1)!;
  const options = anyOf ?? oneOf;
  if (Array.isArray(options))
    return union((options as Schema[]).map((one, at) => pythonType(one, `${name}${at === 0 ? '' : at + 1}`, declared)));
  if (Array.isArray(values)) return `Literal[${values.map(literal).join(', ')}]`;
  if (value !== undefined) return `Literal[${literal(value)}]`;
  if (Array.isArray(type))
    return union((type as string[]).map((one) => pythonType({ ...schema, type: one }, name, declared)));
  if (type === 'array') {
    const { items } = schema;
    return `List[${isSchema(items) ? pythonType(items, `${name}Item`, declared) : 'Any'}]`;
  }
  if (type === 'object') return objectType(schema, name, declared);
  return PLAIN[String(type)] ?? 'Any';
}

const union = (texts: readonly string[]): string => {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? distinct[0]! : `Union[${distinct.join(', ')}]`;
};

function objectType(schema: Schema, name: string, declared: string[]): string {
  const { properties, additionalProperties } = schema;
  if (isSchema(properties) && Object.keys(properties).length > 0) {
    declare(name, schema, declared);
    return name;
  }
  if (!isSchema(additionalProperties) || Object.keys(additionalProperties).length === 0) return 'Dict[str, Any]';
  return `Dict[str, ${pythonType(additionalProperties, `${name}Value`, declared)}]`;
}

/** Python 3.10 knows no optional field of its own: the required ones stand in a class that the whole extends. */
function declare(name: string, schema: Schema, declared: string[]): void {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries(schema['properties'] as Record<string, Schema>).map(([field, inside]) => ({
    field,
    isRequired: required.includes(field),
    text: pythonType(inside, `${name}${capital(field)}`, declared),
    comment: typeof inside['description'] === 'string' ? inside['description'] : undefined,
  }));
  const [given, optional] = [fields.filter((one) => one.isRequired), fields.filter((one) => !one.isRequired)];
  if (given.length === 0 || optional.length === 0) {
    declared.push(dictionary(name, fields, given.length > 0, 'TypedDict'));
    return;
  }
  declared.push(dictionary(`_${name}Required`, given, true, 'TypedDict'));
  if (!optional.some(({ field }) => KEYWORDS.has(field))) {
    declared.push(dictionary(name, optional, false, `_${name}Required`));
    return;
  }
  declared.push(dictionary(`_${name}Optional`, optional, false, 'TypedDict'));
  declared.push(`class ${name}(_${name}Required, _${name}Optional):\n    pass\n`);
}

interface Field {
  readonly field: string;
  readonly text: string;
  readonly comment: string | undefined;
}

function dictionary(name: string, fields: readonly Field[], total: boolean, base: string): string {
  const remark = ({ comment }: Field) => (comment === undefined ? '' : `    # ${comment.replaceAll('\n', ' ')}\n`);
  if (fields.some(({ field }) => KEYWORDS.has(field))) {
    const lines = fields.map((one) => `${remark(one)}    ${JSON.stringify(one.field)}: ${JSON.stringify(one.text)},\n`);
    return `${name} = TypedDict("${name}", {\n${lines.join('')}}, total=${total ? 'True' : 'False'})\n`;
  }
  const lines = fields.map((one) => `${remark(one)}    ${one.field}: ${one.text}\n`);
  return `class ${name}(${base}${total ? '' : ', total=False'}):\n${lines.join('')}`;
}
