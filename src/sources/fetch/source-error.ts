/** A source cannot go on. The message is for the operator. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** Seconds that the other side asked us to stay away. */
  readonly retryAfter: number | undefined;
  /** The connection stood, and nothing came. */
  readonly isSilence: boolean;

  constructor(
    message: string,
    options: { retryAfter?: number | undefined; isSilence?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
    this.isSilence = options.isSilence ?? false;
  }
}

/** An address that no longer exists; it is asked for once a day. */
export class GoneError extends SourceError {}

/** A server answered instead of opening a WebSocket. */
export class RefusedError extends SourceError {
  readonly status: number;
  /** The server's word for it, such as `CursorTooOld`; undefined when it gave none. */
  readonly code: string | undefined;

  constructor(url: string, status: number, body: string, retryAfter: number | undefined) {
    const { error, message } = envelopeOf(body);
    const words = (message ?? error ?? '').slice(0, 200);
    super(`${hostOf(url)} answered ${status}${words === '' ? '.' : `: ${words}`}`, { retryAfter });
    this.status = status;
    this.code = error;
  }
}

function envelopeOf(body: string): { error?: string; message?: string } {
  try {
    const { error, message } = JSON.parse(body) as Record<string, unknown>;
    return {
      ...(typeof error === 'string' && { error }),
      ...(typeof message === 'string' && { message }),
    };
  } catch {
    return { message: body };
  }
}

export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'broke the connection',
  ENOTFOUND: 'was not found',
  EAI_AGAIN: 'could not be resolved',
  ABORT_ERR: 'was left before it answered',
  ENOANSWER: 'sent interim answers and no final one',
};

/** A failed connection in words. */
export function connectionError(error: unknown, url: string): SourceError {
  if (error instanceof SourceError) return error;
  const { code = 'no code' } = error as NodeJS.ErrnoException;
  return new SourceError(`${hostOf(url)} ${WORDS[code] ?? `failed (${code})`}.`, { cause: error });
}
