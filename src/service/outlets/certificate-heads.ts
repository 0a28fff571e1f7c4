/** Signed heads of the log of certificates. The head of a size is a function of the log: the same bytes on every node, at any time. */

import { type NodeAt, treeRoot, withNodes } from '../../base/merkle.ts';
import type { ChainSigner } from '../../base/signed-chain.ts';
import { type CertificateHead, HEAD_TITLE } from '../../domain/certificate.ts';
import type { CertificateLogStore } from '../../store/store.ts';

export interface LogParts {
  readonly store: CertificateLogStore;
  readonly signer: ChainSigner;
}

/** How many heads a feed has. */
const FEED_HEADS = 20;

/** The head of a size that the log has or had; of the present without one. */
export async function headAt(parts: LogParts, size?: number): Promise<CertificateHead> {
  const asked = size ?? (await parts.store.certificateLogEnd()).size;
  return (await headsAt(parts, asked, 1))[0]!;
}

/** The heads after each of the last certificates, newest first. */
export async function newestHeads(parts: LogParts): Promise<CertificateHead[]> {
  const { size } = await parts.store.certificateLogEnd();
  return headsAt(parts, size, Math.min(size, FEED_HEADS));
}

/** Heads of so many sizes up to one, with one read of the nodes of all. */
async function headsAt({ store, signer }: LogParts, last: number, many: number): Promise<CertificateHead[]> {
  const sizes = Array.from({ length: many }, (_, at) => last - at);
  const first = Math.max(0, last - many);
  const added = await store.loggedCertificates(first, last - first);
  const roots = await readLog(store, async (node) => {
    const found: Buffer[] = [];
    for (const size of sizes) found.push(await treeRoot(size, node));
    return found;
  });
  return sizes.map((size, at) => {
    const root = roots[at]!.toString('base64url');
    const time = added[size - 1 - first]?.at.toISOString() ?? null;
    const signature = signer.signText(`${HEAD_TITLE}\n${size}\n${root}\n${time ?? ''}\n`);
    return { size, root, at: time, public_key: signer.publicKey, signature };
  });
}

/** Work on the tree with one statement, however large the log is. */
export const readLog = <T>(
  store: Pick<CertificateLogStore, 'certificateNodes'>,
  work: (node: NodeAt) => Promise<T>,
): Promise<T> => withNodes((places) => store.certificateNodes(places), work);
