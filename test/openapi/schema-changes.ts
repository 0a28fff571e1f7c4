/** The changes of a schema that break who relies on it. Requests may accept more, answers may hold more; never less. */

export type Schema = Readonly<Record<string, unknown>>;

/** Finds a schema by its `$ref`, in the document that it is from. */
export type Resolve = (ref: string) => Schema;

export interface Side {
  readonly schema: Schema;
  readonly resolve: Resolve;
}

export interface Comparison {
  readonly direction: 'request' | 'answer';
  /** Takes a change that breaks: the place in the value, and what happened there. */
  tell(place: string, what: string): void;
}

/** Every change at a place and below it. A pair of named schemas is looked at once, so that recursion ends. */
export function compareSchemas(
  comparison: Comparison,
  before: Side,
  after: Side,
  place = '',
  seen = new Set<string>(),
): void {
  const pair = `${String(before.schema['$ref'])} ${String(after.schema['$ref'])}`;
  if (before.schema['$ref'] !== undefined && after.schema['$ref'] !== undefined) {
    if (seen.has(pair)) return;
    seen.add(pair);
  }
  const [olds, news] = [variantsOf(before), variantsOf(after)];
  compareTypes(comparison, olds, news, place);
  for (const old of olds) {
    if (news.some(({ schema }) => isAny(schema))) continue;
    const alike = news.filter(({ schema }) => typeOf(schema) === typeOf(old.schema));
    const told = alike.map((now) => changesWithin(comparison, old, now, place, seen));
    // The one that differs least of several alternatives of one type is the same one as before.
    const [least = []] = told.toSorted((one, other) => one.length - other.length);
    for (const [at, what] of least) comparison.tell(at, what);
  }
}

type Told = [place: string, what: string];

function changesWithin({ direction }: Comparison, old: Side, now: Side, place: string, seen: Set<string>): Told[] {
  const told: Told[] = [];
  const inside: Comparison = { direction, tell: (at, what) => void told.push([at, what]) };
  if (direction === 'request') compareLimits(inside, old.schema, now.schema, place);
  compareFields(inside, old, now, place, seen);
  const [before, after] = [old.schema['items'], now.schema['items']];
  if (isSchema(before) && isSchema(after))
    compareSchemas(inside, { ...old, schema: before }, { ...now, schema: after }, `${place}[]`, seen);
  return told;
}

/** The alternatives that a schema allows, one for each type. */
function variantsOf({ schema, resolve }: Side): Side[] {
  const { $ref, anyOf, oneOf, type } = schema;
  if (typeof $ref === 'string') return variantsOf({ schema: resolve($ref), resolve });
  const options = (anyOf ?? oneOf) as Schema[] | undefined;
  if (options !== undefined) return options.flatMap((option) => variantsOf({ schema: option, resolve }));
  const types = Array.isArray(type) ? (type as string[]) : [type];
  return types.map((one) => ({ schema: { ...schema, type: one }, resolve }));
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const typeOf = ({ type, const: value }: Schema): unknown => type ?? (value === undefined ? undefined : typeof value);
const isAny = (schema: Schema): boolean => typeOf(schema) === undefined;

/** A sender must still be understood; a reader must meet no type that was never there. */
function compareTypes(
  { direction, tell }: Comparison,
  olds: readonly Side[],
  news: readonly Side[],
  place: string,
): void {
  const [given, expected] = direction === 'request' ? [olds, news] : [news, olds];
  const takes = new Set(expected.map(({ schema }) => typeOf(schema)));
  for (const { schema } of given) {
    const type = typeOf(schema);
    if (takes.has(type) || takes.has(undefined) || (type === 'integer' && takes.has('number'))) continue;
    tell(place, direction === 'request' ? `no longer takes ${String(type)}` : `may now be ${String(type)}`);
  }
}

function compareFields(comparison: Comparison, old: Side, now: Side, place: string, seen: Set<string>): void {
  const { direction, tell } = comparison;
  const [before, after] = [fieldsOf(old.schema), fieldsOf(now.schema)];
  const at = (name: string): string => (place === '' ? name : `${place}.${name}`);
  for (const [name, schema] of Object.entries(before.fields)) {
    const field = after.fields[name] ?? after.others;
    if (field === undefined) tell(at(name), 'was removed');
    else compareSchemas(comparison, { ...old, schema }, { ...now, schema: field }, at(name), seen);
  }
  if (before.others !== undefined && after.others !== undefined)
    compareSchemas(comparison, { ...old, schema: before.others }, { ...now, schema: after.others }, at('*'), seen);
  const [fewer, more] = direction === 'request' ? [before, after] : [after, before];
  for (const name of more.required) {
    if (fewer.required.includes(name) || (direction === 'answer' && after.fields[name] === undefined)) continue;
    tell(at(name), direction === 'request' ? 'is now required' : 'is no longer always there');
  }
}

function fieldsOf({ properties, additionalProperties, required }: Schema) {
  return {
    fields: (properties ?? {}) as Readonly<Record<string, Schema>>,
    others: isSchema(additionalProperties) ? additionalProperties : undefined,
    required: (required ?? []) as readonly string[],
  };
}

const LEAST = ['minimum', 'minLength', 'minItems'];
const MOST = ['maximum', 'maxLength', 'maxItems'];

function compareLimits({ tell }: Comparison, old: Schema, now: Schema, place: string): void {
  const valuesOf = (schema: Schema) =>
    (schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']])) as unknown[] | undefined;
  const values = valuesOf(now);
  if (values !== undefined) {
    const gone = valuesOf(old)?.filter((value) => !values.includes(value)) ?? ['other values'];
    for (const value of gone) tell(place, `no longer takes ${String(value)}`);
  }
  for (const limit of LEAST) {
    const least = isNumber(old[limit]) ? old[limit] : limit === 'minimum' ? Number.NEGATIVE_INFINITY : 0;
    if (isNumber(now[limit]) && now[limit] > least) tell(place, `has the ${limit} ${now[limit]} now`);
  }
  for (const limit of MOST)
    if (isNumber(now[limit]) && now[limit] < (isNumber(old[limit]) ? old[limit] : Number.POSITIVE_INFINITY))
      tell(place, `has the ${limit} ${now[limit]} now`);
  if (now['pattern'] !== undefined && now['pattern'] !== old['pattern']) tell(place, 'has another pattern now');
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
