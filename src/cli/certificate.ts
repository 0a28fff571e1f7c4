/** Reads a certificate without asking anyone: the signature first, then whether its lines say one thing. */
import { z } from 'zod';
import { readChain } from '../base/signed-chain.ts';
import { CERTIFICATE_TITLE, FIRST_CERTIFICATE_TITLE } from '../domain/certificate.ts';

const instant = z.iso.datetime();
const claimShape = z.object({
  kind: z.literal('claim'),
  rule_id: z.string(),
  rule_version: z.int(),
  from: instant,
  to: instant,
  issued_at: instant,
});
const sourceShape = z.object({
  kind: z.literal('source'),
  platform: z.string(),
  name: z.string(),
  reads_since: instant,
  complete_through: instant,
  events: z.int().min(0).nullable().default(null),
  first_cursor: z.string().nullable().default(null),
  last_cursor: z.string().nullable().default(null),
});
const gapShape = z.object({ kind: z.literal('gap'), recovered: z.literal(true) });
const matchShape = z.object({ kind: z.literal('match'), match_id: z.string() });
const endShape = z.object({ kind: z.literal('end'), sources: z.int(), gaps: z.int(), matches: z.int() });
const bodyShape = z.discriminatedUnion('kind', [sourceShape, gapShape, matchShape]);

export interface VerifiedCertificate {
  readonly publicKey: string;
  readonly claim: z.output<typeof claimShape>;
  readonly sources: readonly z.output<typeof sourceShape>[];
  readonly gaps: number;
  readonly matches: number;
}

/** A sentence when it is refused. */
export function verifyCertificate(bytes: Buffer): VerifiedCertificate | string {
  const isFirst = bytes.subarray(0, FIRST_CERTIFICATE_TITLE.length).equals(Buffer.from(FIRST_CERTIFICATE_TITLE));
  const chain = readChain(isFirst ? FIRST_CERTIFICATE_TITLE : CERTIFICATE_TITLE, bytes);
  if (!chain.ok) return chain.problem;
  const claim = claimShape.safeParse(chain.entries[0]).data;
  const end = endShape.safeParse(chain.entries.at(-1)).data;
  const body = z.array(bodyShape).safeParse(chain.entries.slice(1, -1)).data;
  if (claim === undefined || end === undefined || body === undefined) return 'its lines are not those of a certificate';
  const sources = body.filter((one) => one.kind === 'source');
  const gaps = body.filter(({ kind }) => kind === 'gap').length;
  const matches = body.filter(({ kind }) => kind === 'match').length;
  if (end.sources !== sources.length || end.gaps !== gaps || end.matches !== matches)
    return 'its lines are not complete';
  if (claim.from >= claim.to || claim.to > claim.issued_at) return 'its span is not in the past';
  const isCounted = ({ events, first_cursor, last_cursor }: z.output<typeof sourceShape>) =>
    (first_cursor === null) === (last_cursor === null) && (first_cursor !== null || !events);
  if (!sources.every(isCounted)) return 'a source has events and no cursors';
  const isCovered = ({ reads_since, complete_through }: z.output<typeof sourceShape>) =>
    reads_since <= claim.from && complete_through >= claim.to;
  if (sources.length === 0 || !sources.every(isCovered)) return 'its sources do not cover the span';
  return { publicKey: chain.publicKey, claim, sources, gaps, matches };
}
