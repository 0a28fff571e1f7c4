/** The one shape of every failure: `{ code, message, details }`, whatever went wrong and wherever. */
import { asServiceError, type ErrorCode, type Issue, ServiceError } from '../service/errors.ts';

export const STATUS = {
  invalid_argument: 400,
  failed_precondition: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  unimplemented: 405,
  already_exists: 409,
  resource_exhausted: 429,
  internal: 500,
  unavailable: 503,
  deadline_exceeded: 504,
} satisfies Record<ErrorCode, number>;

/** A failure that belongs to HTTP itself: a status of its own, or headers that go with it. */
export class RequestError extends ServiceError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { status?: number; headers?: Record<string, string>; issues?: Issue[] } = {},
  ) {
    super(code, message, { details: options.issues === undefined ? {} : { issues: options.issues } });
    this.status = options.status ?? STATUS[code];
    this.headers = options.headers ?? {};
  }
}

/** A body that cannot be read at all; like every `invalid_argument` it lists its issues. */
export const unreadable = (message: string, status = 400): RequestError =>
  new RequestError('invalid_argument', message, { status, issues: [{ path: '', message }] });

export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

/** The answer to a failure. An error that is not for callers is a defect of ours: its message goes to the log alone. */
export function failureOf(thrown: unknown): Failure {
  const known = asServiceError(thrown);
  const error = known instanceof ServiceError ? known : (translated(thrown) ?? defect());
  return {
    status: error instanceof RequestError ? error.status : STATUS[error.code],
    headers: {
      ...(error.code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
      ...(error instanceof RequestError && error.headers),
      ...(error.retryAfter !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(error.retryAfter))) }),
    },
    body: { code: error.code, message: error.message, details: error.details },
  };
}

export const isDefect = (thrown: unknown): boolean =>
  !(asServiceError(thrown) instanceof ServiceError) && translated(thrown) === undefined;

/** The store could not be reached, in an operation or before it. */
export const isStoreAway = (thrown: unknown): boolean => {
  const error = asServiceError(thrown);
  return error instanceof ServiceError && error.code === 'unavailable' && error.cause !== undefined;
};

const defect = (): ServiceError =>
  new ServiceError('internal', 'Something went wrong on our side. The request id finds it in the log.');

/** The framework's own refusals, in our words. */
function translated(thrown: unknown): ServiceError | undefined {
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  if (typeof code !== 'string' || typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499)
    return undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return unreadable('The body is too large.', 413);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return unreadable(
        'The Content-Type is not one that this path takes: application/json (for /events: application/x-ndjson; for tokens of OAuth: application/x-www-form-urlencoded).',
        415,
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return unreadable('The body is not as long as Content-Length says.');
    case 'FST_ERR_BAD_URL':
      return unreadable('The path is not a valid URL.');
    default:
      return unreadable('The request cannot be read.', statusCode);
  }
}
