/**
 * Asking for what changed: a server is told what it said of its last answer, so that it sends nothing when nothing is
 * new. What it said is remembered with whatever else a source remembers of an address.
 */
import { z } from 'zod';
import { type Desk, SourceError } from '../source.ts';
import type { Answer } from './fetch-url.ts';
import type { Polite } from './polite.ts';
import { hostOf } from './redirects.ts';
import { GoneError } from './rounds.ts';

/** What a server says of an answer. */
export const validators = z.object({ etag: z.string().optional(), modified: z.string().optional() });
export type Validators = z.output<typeof validators>;

export interface Question {
  readonly url: string;
  readonly accept: string;
  readonly maxBytes: number;
  readonly known: Validators | undefined;
}

/** The answer, and what the server says of it; undefined when nothing is new. */
export async function getIfNew(
  polite: Polite,
  { signal }: Pick<Desk, 'signal'>,
  { url, accept, maxBytes, known }: Question,
): Promise<(Answer & { readonly validators: Validators }) | undefined> {
  const answer = await polite.get({ url, headers: { accept, ...headersOf(known) }, maxBytes, signal });
  const { status, headers, retryAfter } = answer;
  if (status === 304) return undefined;
  if (status === 410) throw new GoneError(`${url} is gone; it is not asked for again.`);
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
