/** One request as the sandbox sees it, and the answer it gets. */
import type { IncomingMessage } from 'node:http';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  /** What stands behind `Bearer`; undefined when there is none. */
  readonly token: string | undefined;
  readonly text: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON; undefined is no body. */
  readonly body?: unknown;
}

/** Somebody took the socket: it is a stream now. */
export const TAKEN = 'taken';
/** The answer is lost on its way: the socket is destroyed. */
export const LOST = 'lost';

export type Outcome = Answer | typeof TAKEN | typeof LOST;

const MAX_BODY = 64 * 1024 * 1024;

/** The whole body; undefined when it is longer than any upstream would take. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

export const tokenOf = ({ headers }: IncomingMessage): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];

/** The body as JSON; undefined when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
