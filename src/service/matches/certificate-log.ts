/**
 * The public log of certificates: an append-only Merkle tree (RFC 9162) of the hashes of all certificates that the installation has
 * issued. Its signed heads, and proofs between them, show whether an operator told everybody the same. Who keeps one head finds
 * every change of what was in the log then.
 */
import { z } from 'zod';
import { consistencyProof, entryHash, inclusionProof } from '../../base/merkle.ts';
import type { FeedFormat } from '../../delivery/syndication/feed-document.ts';
import { type CertificateHead, HEAD_TITLE } from '../../domain/certificate.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { headAt, type LogParts, newestHeads, readLog } from '../outlets/certificate-heads.ts';
import { checkInput } from '../perform/perform.ts';
import { time } from '../shapes.ts';
import { urnOf, WRITERS } from './read-feed.ts';

const hash = z.string().describe('A SHA-256 hash, in base64url.');
const proof = z.array(hash).describe('Hashes of the tree, as RFC 9162 orders them.');

export const certificateHead = z
  .object({
    size: z.int().describe('How many certificates the log has.'),
    root: hash,
    at: time.nullable().describe('When the last of them was added. Null while there is none.'),
    public_key: z.string().describe('The key that signs certificates and heads, in hexadecimal. It names the log.'),
    signature: z
      .string()
      .describe(`Ed25519, in hexadecimal, of four lines: \`${HEAD_TITLE}\`, \`size\`, \`root\` and \`at\`.`),
  })
  .describe('The signed head of the log of certificates.');

export const loggedCertificate = z
  .object({ index: z.int().describe('The place of the certificate in the log, from 0.'), head: certificateHead, proof })
  .describe('Shows that the certificate is in the log whose head this is.');

const EXAMPLE_HASH = 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg';
export const exampleHead: CertificateHead = {
  size: 2,
  root: EXAMPLE_HASH,
  at: '2026-11-15T10:00:00.000Z',
  public_key: '3d4017c3…',
  signature: '92a009a9…',
};
export const exampleLogged = { index: 1, head: exampleHead, proof: [EXAMPLE_HASH] };

const MOST_LISTED = 1_000;

/** A number that stands in the address of a request. */
const count = z
  .string()
  .regex(/^\d{1,15}$/, 'It must be a whole number of at most 15 digits.')
  .transform(Number);

const leafQuery = z.string().regex(/^(?:\d{1,15}|[\w-]{43})$/, 'It must be an index, or a hash in base64url.');
const inclusionQuery = z.strictObject({ leaf: leafQuery, size: count.optional() });
const consistencyQuery = z.strictObject({ from: count, to: count.optional() });
const logQuery = z.strictObject({ from: count.optional(), limit: count.optional() });

/** The certificate is in the log for good once this resolves. One that is in the log already keeps its place. */
export async function logCertificate(
  parts: LogParts,
  certificate: string,
  at: Date,
): Promise<z.input<typeof loggedCertificate>> {
  const index = await parts.store.logCertificate(entryHash(certificate).toString('base64url'), at);
  return { index, head: await headAt(parts, index + 1), proof: await inclusion(parts, index, index + 1) };
}

/** `GET /certificates/proof`: that a certificate is in the log, or that the log begins with an earlier one. */
export async function logProof(parts: LogParts, query: object): Promise<object> {
  if ('leaf' in query) return inclusionAnswer(parts, checkInput(inclusionQuery, query));
  if ('from' in query) return consistencyAnswer(parts, checkInput(consistencyQuery, query));
  throw invalidArgument([{ path: 'leaf', message: 'Give `leaf` and `size`, or `from` and `to`.' }]);
}

async function inclusionAnswer(parts: LogParts, { leaf, size }: z.output<typeof inclusionQuery>): Promise<object> {
  const present = (await parts.store.certificateLogEnd()).size;
  const asked = size ?? present;
  checkSize('size', asked, present);
  const index = leaf.length === 43 ? await parts.store.certificateIndex(leaf) : Number(leaf);
  if (index === undefined || index >= asked)
    throw new ServiceError('not_found', `The log has no such certificate among its first ${asked}.`);
  return { index, size: asked, proof: await inclusion(parts, index, asked) };
}

async function consistencyAnswer(parts: LogParts, { from, to }: z.output<typeof consistencyQuery>): Promise<object> {
  const present = (await parts.store.certificateLogEnd()).size;
  const asked = to ?? present;
  checkSize('to', asked, present);
  checkSize('from', from, asked);
  const hashes = await readLog(parts.store, (node) => consistencyProof(from, asked, node));
  return { from, to: asked, proof: inText(hashes) };
}

function checkSize(path: string, size: number, most: number): void {
  if (size > most) throw invalidArgument([{ path, message: `It must be at most ${most}.` }]);
}

/** `GET /certificates/log`: the hashes of certificates by their index. */
export async function logPage({ store }: LogParts, query: object) {
  const { from = 0, limit = MOST_LISTED } = checkInput(logQuery, query);
  if (limit < 1 || limit > MOST_LISTED)
    throw invalidArgument([{ path: 'limit', message: `It must be from 1 to ${MOST_LISTED}.` }]);
  const { size } = await store.certificateLogEnd();
  const listed = await store.loggedCertificates(from, Math.min(limit, Math.max(0, size - from)));
  const next = from + listed.length;
  return { from, size, leaves: listed.map((one) => one.hash), next: next < size && listed.length > 0 ? next : null };
}

const inclusion = async (parts: LogParts, index: number, size: number): Promise<string[]> =>
  inText(await readLog(parts.store, (node) => inclusionProof(index, size, node)));

const inText = (hashes: readonly Buffer[]): string[] => hashes.map((one) => one.toString('base64url'));

// The heads of the log of certificates as a feed: whoever follows it, or keeps it, is a witness.

/** One that is empty was never updated. */
const NEVER = new Date(0);

export async function headsFeed(
  context: LogParts,
  format: FeedFormat,
  { self, hub }: { readonly self: string; readonly hub: string | undefined },
): Promise<string> {
  const heads = await newestHeads(context);
  const entries = heads.map((head) => {
    const at = new Date(head.at ?? NEVER);
    return {
      id: urnOf(`head ${head.signature}`),
      title: `Head of ${head.size} certificates`,
      text: JSON.stringify(head),
      link: undefined,
      author: undefined,
      published: at,
      updated: at,
      category: 'certificates',
    };
  });
  return WRITERS[format]({
    id: urnOf(`heads ${context.signer.publicKey}`),
    title: 'Log of certificates',
    self,
    next: undefined,
    hub,
    updated: entries[0]?.updated ?? NEVER,
    entries,
  });
}
