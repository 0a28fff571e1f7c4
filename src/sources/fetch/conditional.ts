/**
 * Conditional requests: the request has the validators of the server's last answer, and the server sends nothing if
 * nothing is new. A source stores the validators together with its other data about an address.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { HttpAnswer } from './fetch-url.ts';
import type { Polite } from './polite.ts';
import { GoneError, hostOf, SourceError } from './source-error.ts';

/** `ETag` and `Last-Modified` of an answer. */
export const validators = z.object({ etag: z.string().optional(), modified: z.string().optional() });
export type Validators = z.output<typeof validators>;

export interface ConditionalRequest {
  readonly url: string;
  readonly accept: string;
  readonly maxBytes: number;
  readonly known: Validators | undefined;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Told the headers of each answer, also where nothing is new. */
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void;
}

/** The answer with its validators; undefined when nothing is new. */
export async function getIfNew(
  polite: Polite,
  { url, accept, maxBytes, known, signal, headers: given, onHeaders }: ConditionalRequest,
): Promise<(HttpAnswer & { readonly validators: Validators }) | undefined> {
  const answer = await polite.get({ url, headers: { ...given, accept, ...headersOf(known) }, maxBytes, signal });
  const { status, headers, retryAfter } = answer;
  onHeaders?.(headers);
  if (status === 304) return undefined;
  if (status === 410) throw new GoneError(`${url} is gone. It is asked for again in a day.`);
  if (status !== 200) throw new SourceError(`${hostOf(url)} answered ${status} for ${url}.`, { retryAfter });
  return {
    ...answer,
    validators: {
      ...(headers.etag !== undefined && { etag: headers.etag }),
      ...(headers['last-modified'] !== undefined && { modified: headers['last-modified'] }),
    },
  };
}

const headersOf = (known: Validators | undefined): Record<string, string> => ({
  ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
  ...(known?.modified !== undefined && { 'if-modified-since': known.modified }),
});
