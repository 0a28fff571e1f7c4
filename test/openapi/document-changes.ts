/** The changes of a description of the interface that break programs which were written for the one before. */
import { compareSchemas, type Resolve, type Schema } from './schema-changes.ts';

interface Content {
  readonly schema?: Schema;
}
interface Bodies {
  readonly content?: Readonly<Record<string, Content>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Bodies & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Bodies | undefined>>;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
}

/** One line for each change: where, and what breaks. */
export function openApiChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const found: string[] = [];
  for (const [path, methods] of Object.entries(before.paths))
    for (const [method, old] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method];
      if (now === undefined) found.push(`${name} was removed`);
      else compareOperations({ name, found, old: resolver(before), now: resolver(after) }, old!, now);
    }
  return found;
}

interface Work {
  readonly name: string;
  readonly found: string[];
  readonly old: Resolve;
  readonly now: Resolve;
}

function compareOperations(work: Work, old: Operation, now: Operation): void {
  const { name, found } = work;
  compareParameters(work, old.parameters ?? [], now.parameters ?? []);
  if (now.requestBody?.required === true && old.requestBody?.required !== true)
    found.push(`${name}: the body is now required`);
  compareBodies(work, 'request', `${name}: body`, old.requestBody, now.requestBody);
  for (const status of Object.keys(old.responses).filter((code) => code.startsWith('2'))) {
    const answer = now.responses[status];
    if (answer === undefined) found.push(`${name}: the status ${status} was removed`);
    else compareBodies(work, 'answer', `${name}: answer`, old.responses[status], answer);
  }
}

function compareParameters(work: Work, olds: readonly Parameter[], news: readonly Parameter[]): void {
  const { name, found } = work;
  const same = (one: Parameter) => (other: Parameter) => one.name === other.name && one.in === other.in;
  for (const old of olds) {
    const now = news.find(same(old));
    if (now === undefined) found.push(`${name}: the parameter ${old.name} was removed`);
    else compareAt(work, 'request', `${name}: parameter ${old.name}`, old.schema, now.schema);
  }
  for (const now of news.filter(({ required }) => required === true))
    if (olds.find(same(now))?.required !== true) found.push(`${name}: the parameter ${now.name} is now required`);
}

function compareBodies(
  work: Work,
  direction: 'request' | 'answer',
  label: string,
  before: Bodies | undefined,
  after: Bodies | undefined,
): void {
  for (const [type, { schema }] of Object.entries(before?.content ?? {})) {
    const now = after?.content?.[type];
    if (now === undefined) work.found.push(`${label} ${type} was removed`);
    else if (schema !== undefined && now.schema !== undefined) compareAt(work, direction, label, schema, now.schema);
  }
}

function compareAt(work: Work, direction: 'request' | 'answer', label: string, before: Schema, after: Schema): void {
  compareSchemas(
    {
      direction,
      tell: (place, what) => void work.found.push(`${label}${place === '' ? '' : ` ${place}`} ${what}`),
    },
    { schema: before, resolve: work.old },
    { schema: after, resolve: work.now },
  );
}

interface Message {
  readonly payload: Schema;
  readonly headers?: Schema;
}
interface Channel {
  readonly address?: string;
  readonly messages: Readonly<Record<string, Schema>>;
}
export interface AsyncApiDocument {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, { readonly bindings: { readonly http: { readonly query?: Schema } } }>>;
}

export function asyncApiChanges(before: AsyncApiDocument, after: AsyncApiDocument): string[] {
  const found: string[] = [];
  const work = { found, old: resolver(before), now: resolver(after) };
  for (const [name, old] of Object.entries(before.channels)) {
    const now = after.channels[name];
    if (now === undefined) found.push(`the channel ${name} was removed`);
    else compareChannels({ ...work, name }, old, now);
  }
  for (const [name, { bindings }] of Object.entries(before.operations)) {
    const now = after.operations[name];
    if (now === undefined) found.push(`the operation ${name} was removed`);
    else if (bindings.http.query !== undefined)
      compareAt({ ...work, name }, 'request', `${name}: query`, bindings.http.query, now.bindings.http.query ?? {});
  }
  return found;
}

function compareChannels(work: Work, old: Channel, now: Channel): void {
  if (old.address !== now.address) work.found.push(`${work.name}: the address was changed`);
  for (const [message, ref] of Object.entries(old.messages)) {
    const changed = now.messages[message];
    if (changed === undefined) {
      work.found.push(`${work.name}: the message ${message} was removed`);
      continue;
    }
    const [before, after] = [messageAt(work.old, ref), messageAt(work.now, changed)];
    compareAt(work, 'answer', `${work.name}: ${message}`, before.payload, after.payload);
    compareAt(work, 'answer', `${work.name}: ${message} header`, before.headers ?? {}, after.headers ?? {});
  }
}

const messageAt = (resolve: Resolve, { $ref }: Schema): Message => resolve(String($ref)) as unknown as Message;

/** Looks up `#/components/schemas/Rule` and the like. */
const resolver =
  (document: object): Resolve =>
  (ref) =>
    ref
      .slice('#/'.length)
      .split('/')
      .reduce((at: unknown, key) => (at as Record<string, unknown>)[key], document) as Schema;
