/** One request and its answer. */
import type { IncomingMessage } from 'node:http';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  /** The bearer token; undefined if there is none. */
  readonly token: string | undefined;
  readonly text: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON; undefined sends no body. */
  readonly body?: unknown;
}

/** A stream took over the socket. */
export const TAKEN = 'taken';
/** The answer is lost: the socket is destroyed. */
export const LOST = 'lost';

export type Outcome = Answer | typeof TAKEN | typeof LOST;

const MAX_BODY = 64 * 1024 * 1024;

/** The whole body; undefined if it is longer than 64 MiB. */
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

/** The text as JSON; undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
