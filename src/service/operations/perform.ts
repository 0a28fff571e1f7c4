/**
 * The one way to an operation: is the caller allowed, is the input right, then run. Interfaces bring a caller and an
 * input of any shape, and carry the answer or the error away.
 */
import type { z } from 'zod';
import { StoreError } from '../../store/error.ts';
import type { Caller } from '../access/caller.ts';
import { isOperator } from '../access/keys.ts';
import type { Context } from '../context.ts';
import { type Issue, invalidArgument, ServiceError } from '../errors.ts';
import type { Access, Operation, RequestInfo } from './operation.ts';

export async function perform(
  context: Context,
  operation: Pick<Operation, 'access' | 'input' | 'problems' | 'run'>,
  caller: Caller,
  input: unknown,
  request: RequestInfo,
): Promise<unknown> {
  allow(operation.access, caller);
  const parsed = readInput(context, operation, input);
  try {
    return await operation.run(context, caller, parsed, request);
  } catch (error) {
    throw storeErrors(error);
  }
}

/** The same for an answer in slices: what is wrong with the caller or the input is thrown before the first. */
export async function* performStream(
  context: Context,
  operation: Operation & { readonly stream: NonNullable<Operation['stream']> },
  caller: Caller,
  input: unknown,
): AsyncIterable<readonly unknown[]> {
  allow(operation.access, caller);
  readInput(context, operation, input);
  try {
    yield* operation.stream.slices(context, caller);
  } catch (error) {
    throw storeErrors(error);
  }
}

const NEEDED: Record<Access, (caller: Caller) => boolean> = {
  read: ({ key }) => key.scope !== 'ingest',
  full: ({ key }) => key.scope === 'full',
  ingest: ({ key }) => key.scope !== 'read',
  operator: isOperator,
};

/** Scopes are enforced here and nowhere else. */
export const mayUse = (access: Access, caller: Caller): boolean => NEEDED[access](caller);

export function allow(access: Access, caller: Caller): void {
  if (mayUse(access, caller)) return;
  const need = access === 'operator' ? "a full key of the operator's account" : `a key of scope \`${access}\``;
  throw new ServiceError('permission_denied', `This needs ${need}.`, { details: { scope: caller.key.scope } });
}

/** For what is asked beside the operations: the same judgement, in the same words. */
export function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalidArgument(withNames(parsed.error.issues.flatMap(issuesOf)));
  return parsed.data;
}

function readInput(context: Context, operation: Pick<Operation, 'input' | 'problems'>, input: unknown): unknown {
  const parsed = operation.input.safeParse(input);
  const issues = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap(issuesOf)),
    ...(operation.problems?.(context, input) ?? []),
  ];
  if (issues.length > 0) throw invalidArgument(withNames(issues));
  return parsed.data;
}

/** One issue for each field: an unknown one is named by its own path. */
function issuesOf(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.join('.');
  const inside = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: inside(key.slice(0, 100)), message: 'There is no such field.' }));
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') return [{ path, message: outOfRange(issue) }];
  if (issue.code !== 'invalid_type') return [{ path, message: issue.message }];
  const isMissing = issue.message.includes('received undefined');
  return [{ path, message: isMissing ? 'It is required.' : `It must be ${article(issue.expected)}.` }];
}

function outOfRange(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const [bound, words] =
    issue.code === 'too_small' ? [issue.minimum, ['at least', 'or more']] : [issue.maximum, ['at most', 'or fewer']];
  if (issue.origin === 'array' || issue.origin === 'set') return `It must have ${bound} ${words[1]} values.`;
  if (issue.origin === 'string') return `It must have ${bound} ${words[1]} characters.`;
  return `It must be ${words[0]} ${bound}.`;
}

const article = (type: string): string =>
  `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type === 'int' ? 'whole number' : type}`;

/** A message is read without its path too, so it says what it is about. What a language says stays in its own words. */
const withNames = (issues: readonly Issue[]): Issue[] =>
  issues.map((issue) =>
    issue.path === '' || issue.position !== undefined
      ? issue
      : { ...issue, message: `\`${issue.path}\`: ${issue.message}` },
  );

/** A store that cannot be written now is the caller's to try again; any other failure of it is ours. */
export function storeErrors(error: unknown): unknown {
  if (!(error instanceof StoreError) || !error.retryable) return error;
  return new ServiceError('unavailable', 'The store cannot be reached now. Try again later.', {
    retryAfter: 1,
    cause: error,
  });
}
