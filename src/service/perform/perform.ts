/**
 * The only way to call an operation: checks that the caller is allowed and the input is valid, then runs it. Interfaces
 * pass a caller and an input of any shape, and return the answer or the error.
 */
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { isOperator } from '../access/keys.ts';
import type { ComputeWish, Job } from '../compute.ts';
import type { Context, ReadContext } from '../context.ts';
import { asServiceError, type Issue, invalidArgument, ServiceError } from '../errors.ts';
import type { Access, ComputedOperation, Operation, RequestInfo } from './operation.ts';

type Performed = Pick<Operation, 'access' | 'grants' | 'input' | 'problems' | 'run'>;

export async function perform(
  context: Context,
  operation: Performed | ComputedOperation,
  caller: Caller,
  input: unknown,
  request: RequestInfo,
): Promise<unknown> {
  allow(operation, caller);
  if (!isComputed(operation)) {
    const parsed = await readInput(context, operation, caller, input, request);
    return inOurWords(operation.run(context, caller, parsed, request));
  }
  const { finish } = operation;
  const answer = await inOurWords(
    isHandedOver(operation, input)
      ? context.compute.run(jobOf(operation), { caller, input }, wishOf(context, caller, request))
      : jobOf(operation).run(context, { caller, input }),
  );
  if (finish === undefined) return answer;
  return inOurWords(finish(context, caller, accepted(checked(operation.input, input)), answer));
}

/** Like `perform`, with types, for interfaces that make an answer of their own of it. */
export const performComputed = async <Input extends z.ZodType, Output extends z.ZodType>(
  context: Context,
  operation: ComputedOperation<Input, Output>,
  caller: Caller,
  input: z.input<Input>,
  request: RequestInfo,
): Promise<z.input<Output>> =>
  // `run` and `finish` of the operation answer this type.
  (await perform(context, operation, caller, input, request)) as z.input<Output>;

/** The answer as JSON text. That of a compute thread is written there. */
export async function performAsText(
  context: Context,
  operation: Performed | ComputedOperation,
  caller: Caller,
  input: unknown,
  request: RequestInfo,
): Promise<string | Buffer> {
  if (!isComputed(operation) || operation.finish !== undefined || !isHandedOver(operation, input))
    return JSON.stringify(await perform(context, operation, caller, input, request));
  allow(operation, caller);
  const wish = wishOf(context, caller, request);
  const text = await inOurWords(context.compute.run(textJobOf(operation), { caller, input }, wish));
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength);
}

const isComputed = (operation: Performed | ComputedOperation): operation is ComputedOperation =>
  'runs' in operation && operation.runs === 'compute';

const isHandedOver = ({ isLong }: ComputedOperation, input: unknown): boolean => isLong === undefined || isLong(input);

/** The caller of a request waits for the job, and is charged for it. */
export const wishOf = (
  { cpuUse }: Pick<Context, 'cpuUse'>,
  caller: Caller,
  { signal }: Pick<RequestInfo, 'signal'>,
): ComputeWish => ({
  accountId: caller.account.id,
  signal,
  onCpu: (milliseconds) => cpuUse.note(caller, milliseconds),
});

interface Asked {
  readonly caller: Caller;
  /** As it came: it is checked where the operation runs. */
  readonly input: unknown;
}

/** A computed operation as a job. */
export const jobOf = (operation: ComputedOperation): Job<ReadContext, Asked, unknown> => ({
  name: operation.name,
  run: async (context, asked) => operation.run(context, asked.caller, inputOf(operation, context, asked.input)),
});

/** A computed operation as a job that answers JSON text in UTF-8. */
export const textJobOf = (operation: ComputedOperation): Job<ReadContext, Asked, Uint8Array> => ({
  name: `${operation.name} as text`,
  async run(context, { caller, input: raw }) {
    const input = inputOf(operation, context, raw);
    const text = await (operation.text?.(context, caller, input) ??
      JSON.stringify(await operation.run(context, caller, input)));
    return new TextEncoder().encode(text);
  },
});

function inputOf({ input: schema, problems }: ComputedOperation, context: ReadContext, raw: unknown): unknown {
  const { input, ...read } = checked(schema, raw);
  return accepted(read, problems?.(context, input));
}

async function inOurWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asServiceError(error);
  }
}

/**
 * Performs an operation that answers in slices. Errors of the caller or the input are thrown before the first slice.
 */
export async function* performStream(
  context: Context,
  operation: Operation & { readonly stream: NonNullable<Operation['stream']> },
  caller: Caller,
  input: unknown,
  request: RequestInfo,
): AsyncIterable<readonly unknown[]> {
  allow(operation, caller);
  const parsed = await readInput(context, operation, caller, input, request);
  try {
    yield* operation.stream.slices(context, caller, parsed);
  } catch (error) {
    throw asServiceError(error);
  }
}

const NEEDED: Record<Access, (caller: Caller) => boolean> = {
  read: ({ key }) => key.scope !== 'ingest',
  full: ({ key }) => key.scope === 'full',
  ingest: ({ key }) => key.scope !== 'read',
  operator: isOperator,
};

type Guarded = Pick<Operation, 'access' | 'grants'>;

/** Scopes are enforced here and nowhere else. */
export const mayUse = ({ access, grants }: Guarded, caller: Caller): boolean =>
  NEEDED[access](caller) && grantProblem(grants, caller) === undefined;

export function allow({ access, grants }: Guarded, caller: Caller): void {
  const problem = grantProblem(grants, caller);
  if (problem !== undefined) throw new ServiceError('permission_denied', problem);
  if (NEEDED[access](caller)) return;
  const need = access === 'operator' ? "a full key of the operator's account" : `a key of scope \`${access}\``;
  throw new ServiceError('permission_denied', `This needs ${need}.`, { details: { scope: caller.key.scope } });
}

function grantProblem(grants: Operation['grants'], { grant }: Caller): string | undefined {
  if (grant === undefined) return undefined;
  if (grants === undefined) return 'An agent cannot do this. Use an API key.';
  if (grants === 'account' && grant.ruleIds !== undefined)
    return 'This agent is limited to some rules of the account, and this needs all of them.';
  return undefined;
}

/** Validates input of requests that are not operations, with the same rules and messages. */
export function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(withoutAbsentNulls(schema, input));
  if (!parsed.success)
    throw invalidArgument(withNames(parsed.error.issues.flatMap((issue) => issuesOf(issue, schema))));
  return parsed.data;
}

/** Reads the input of an operation of the main thread, which may have its problems found in a compute thread. */
async function readInput(
  context: Context,
  operation: Pick<Operation, 'input' | 'problems'>,
  caller: Caller,
  raw: unknown,
  request: RequestInfo,
): Promise<unknown> {
  const { input, ...read } = checked(operation.input, raw);
  const found = operation.problems?.(context, input, wishOf(context, caller, request));
  return accepted(read, found instanceof Promise ? await inOurWords(found) : found);
}

interface Checked {
  readonly data: unknown;
  readonly issues: readonly Issue[];
}

/** Compares an input, without its absent nulls, with the schema. */
function checked(schema: z.ZodType, raw: unknown): Checked & { readonly input: unknown } {
  const input = withoutAbsentNulls(schema, raw);
  const { success, data, error } = schema.safeParse(input);
  return { input, data, issues: success ? [] : narrowest(error.issues).flatMap((issue) => issuesOf(issue, schema)) };
}

/** The data, unless the schema or the operation found a problem. */
function accepted({ data, issues }: Checked, found: readonly Issue[] = []): unknown {
  if (issues.length + found.length > 0) throw invalidArgument(withNames([...issues, ...found]));
  return data;
}

/** Zod reports both the bound of whole numbers and our own bound. This keeps only ours, which comes second. */
const narrowest = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] =>
  issues.filter(({ code, path }, at) => {
    const next = issues[at + 1];
    return !(code.startsWith('too_') && next?.code === code && isSamePath(next.path, path));
  });

const isSamePath = (one: readonly PropertyKey[], other: readonly PropertyKey[]): boolean =>
  one.length === other.length && one.every((step, at) => step === other[at]);

/** One issue for each field. An unknown field is named by its own path, with the fields that there are. */
function issuesOf(issue: z.core.$ZodIssue, schema: z.ZodType): Issue[] {
  const path = issue.path.join('.');
  const inside = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (issue.code === 'unrecognized_keys') {
    const message = `There is no such field.${fieldsThatExist(schema, issue.path)}`;
    return issue.keys.map((key) => ({ path: inside(key.slice(0, 100)), message }));
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') return [{ path, message: outOfRange(issue) }];
  if (issue.code !== 'invalid_type') return [{ path, message: issue.message }];
  const isMissing = issue.message.includes('received undefined');
  return [{ path, message: isMissing ? 'It is required.' : `It must be ${article(issue.expected)}.` }];
}

/** The fields at a place of the input, as a sentence. */
function fieldsThatExist(schema: z.ZodType, path: readonly PropertyKey[]): string {
  let at: z.core.$ZodType = schema;
  for (const step of [...path, undefined]) {
    while (at instanceof z.ZodOptional || at instanceof z.ZodDefault) at = at.unwrap();
    if (!(at instanceof z.ZodObject)) return '';
    if (step !== undefined) at = (at.shape as Record<PropertyKey, z.core.$ZodType>)[step]!;
    else if (Object.keys(at.shape).length === 0) return ' It takes none.';
    else return ` There are: ${Object.keys(at.shape).join(', ')}.`;
  }
  return '';
}

function outOfRange(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const [bound, words] =
    issue.code === 'too_small' ? [issue.minimum, ['at least', 'or more']] : [issue.maximum, ['at most', 'or fewer']];
  if (issue.origin === 'array' || issue.origin === 'set') return `It must have ${bound} ${words[1]} values.`;
  if (issue.origin === 'string') return `It must have ${bound} ${words[1]} characters.`;
  return `It must be ${words[0]} ${bound}.`;
}

function article(type: string): string {
  const word = type === 'int' ? 'whole number' : type;
  return `${/^[aeio]/.test(word) ? 'an' : 'a'} ${word}`;
}

/** Names the field in the message, because readers may see it without its path. Messages of a rule language stay as they are. */
const withNames = (issues: readonly Issue[]): Issue[] =>
  issues.map((issue) =>
    issue.path === '' || issue.position !== undefined
      ? issue
      : { ...issue, message: `\`${issue.path}\`: ${issue.message}` },
  );

/**
 * Clients in many languages write `null` for an optional field that was not set. Such a field is taken as absent, unless
 * its schema gives `null` a meaning. The walk follows the schema, so it is no deeper than the schema, and payloads of
 * events, whose fields no schema lists, stay as they are.
 */
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
    // `z.preprocess` makes a function, then the schema of its result.
    else if (of instanceof z.ZodPipe && of.in instanceof z.ZodTransform) {
      of = of.out;
      continue;
    } else return { of, mayBeAbsent, mayBeNull };
    of = of.unwrap();
  }
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
