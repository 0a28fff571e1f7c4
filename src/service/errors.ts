import { StoreError } from '../store/error.ts';

/** An error that a caller can act on. Anything else that is thrown is a bug: a 500 and a log line with the cause. */
export const ERROR_CODES = [
  'invalid_argument',
  'failed_precondition',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'unimplemented',
  'already_exists',
  'resource_exhausted',
  'internal',
  'unavailable',
  'deadline_exceeded',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds after which trying again may help. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfter = options.retryAfter;
  }
}

/** One problem with one part of a request. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly position?: IssuePosition;
  /** The whole text with every error fixed in the most likely way. */
  readonly suggestion?: string;
  /** Whole texts without this problem, each with its meaning; several if several meanings are likely. */
  readonly fixes?: { readonly value: string; readonly meaning: string }[];
}

/** `start` and `end` count UTF-16 units; the other two count code points. */
export interface IssuePosition {
  readonly start: number;
  readonly end: number;
  readonly start_code_point?: number;
  readonly end_code_point?: number;
}

/** A caller mends what it is told of; a list of ten thousand wrong values helps nobody and takes megabytes. */
const MOST_ISSUES = 100;

/** Reports the problems at once, not only the first. */
export function invalidArgument(issues: readonly Issue[]): ServiceError {
  const more = issues.length - MOST_ISSUES;
  const told =
    more > 0 ? [...issues.slice(0, MOST_ISSUES), { path: '', message: `There are ${more} more problems.` }] : issues;
  return new ServiceError('invalid_argument', issues[0]?.message ?? 'The request is not valid.', {
    details: { issues: told },
  });
}

/** A store that cannot be reached now is `unavailable`, and the caller may try again. Any other failure of it is a defect. */
export function asServiceError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  if (error.reason === 'cold')
    return new ServiceError('unavailable', error.message, {
      details: { reason: 'old_matches_unreadable' },
      cause: error,
    });
  if (!error.retryable) return error;
  const trouble =
    error.reason === 'full'
      ? 'The disk of the store is full, so nothing can be stored.'
      : 'The store cannot be reached now.';
  return new ServiceError('unavailable', `${trouble} Try again later.`, { retryAfter: 1, cause: error });
}
