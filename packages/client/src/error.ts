/** The one error of the client: what the server answered, or that it did not. */
import type { ErrorCode, Fix, Position } from './api.ts';

/** The server's own codes, and `no_answer` when it could not be reached or was cut off. */
export type SluiceErrorCode = ErrorCode | 'no_answer';

/** One problem with one part of a request. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  /** The place in a rule's text. */
  readonly position?: Position;
  /** The whole text with every error fixed in the most likely way. */
  readonly suggestion?: string;
  /** Whole texts without this problem, each with its meaning; several if several meanings are likely. */
  readonly fixes?: readonly Fix[];
}

export interface SluiceErrorParts {
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  readonly code: SluiceErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds after which trying again may help, when the server said so. */
  readonly retryAfter: number | undefined;
  /** Finds the request in the server's log. */
  readonly requestId: string | undefined;

  constructor(code: SluiceErrorCode, message: string, parts: SluiceErrorParts = {}) {
    super(message, { cause: parts.cause });
    this.code = code;
    this.status = parts.status ?? 0;
    this.details = parts.details ?? {};
    this.retryAfter = parts.retryAfter;
    this.requestId = parts.requestId;
  }

  /** Everything that is wrong with a request that was refused as `invalid_argument`. */
  get issues(): readonly Issue[] {
    const { issues } = this.details;
    return Array.isArray(issues) ? (issues as Issue[]) : [];
  }
}

/** The error in an answer with a bad status, also when a proxy answered in place of Sluice. */
export function errorOf(answer: Response, text: string): SluiceError {
  const { code, message, details } = readBody(text);
  return new SluiceError(
    typeof code === 'string' ? (code as ErrorCode) : codeOf(answer.status),
    typeof message === 'string' ? message : `The server answered with status ${answer.status}.`,
    {
      status: answer.status,
      details: typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {},
      retryAfter: readRetryAfter(answer.headers.get('retry-after'), Date.now()),
      requestId: answer.headers.get('x-request-id') ?? undefined,
    },
  );
}

function readBody(text: string): { code?: unknown; message?: unknown; details?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  429: 'resource_exhausted',
  502: 'unavailable',
  503: 'unavailable',
  504: 'deadline_exceeded',
};

const codeOf = (status: number): ErrorCode =>
  CODES[status] ?? (status >= 400 && status < 500 ? 'invalid_argument' : 'internal');

/** Seconds, or a date: proxies send both. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1_000);
}
