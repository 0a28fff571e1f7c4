import { describe, expect, it } from 'vitest';
import { entryHash, type NodePlace } from '../../base/merkle.ts';
import { createChainSigner } from '../../base/signed-chain.ts';
import type { Store } from '../../store/store.ts';
import { headAt, newestHeads } from '../outlets/certificate-heads.ts';
import { logCertificate, logProof } from './certificate-log.ts';

const MILLION = 1_000_000;

/** A log of a million certificates that counts what it is asked. */
function largeLog() {
  const asked: string[] = [];
  const hash = entryHash('any').toString('base64url');
  const store: Partial<Store> = {
    logCertificate: async () => MILLION - 1,
    certificateLogEnd: async () => ({ size: MILLION, at: new Date(0) }),
    loggedCertificates: async (_, limit) => Array.from({ length: limit }, () => ({ hash, at: new Date(0) })),
    certificateIndex: async () => 777_777,
    async certificateNodes(places: readonly NodePlace[]) {
      asked.push(`${places.length} nodes`);
      return places.map(() => entryHash('any'));
    },
  };
  // A method that is not here is not asked for: it would throw.
  return { asked, parts: { store: store as Store, signer: createChainSigner(Buffer.alloc(32), 'a test') } };
}

describe('a log of a million certificates', () => {
  it.each([
    ['an inclusion proof', { leaf: '123456', size: '999999' }],
    ['an inclusion proof by hash', { leaf: 'A'.repeat(43) }],
    ['a consistency proof', { from: '524289', to: '999999' }],
    ['a consistency proof of one', { from: '1' }],
  ])('has %s of at most 2 kB, with one read of at most 42 nodes', async (_, query) => {
    const { asked, parts } = largeLog();
    const answer = await logProof(parts, query);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(2_000);
    expect(asked).toHaveLength(1);
    expect(Number.parseInt(asked[0]!, 10)).toBeLessThanOrEqual(42);
  });

  it('has heads that take one read each, and one read for all of a feed', async () => {
    const { asked, parts } = largeLog();
    expect(JSON.stringify(await headAt(parts)).length).toBeLessThan(400);
    expect(asked).toHaveLength(1);
    expect(await newestHeads(parts)).toHaveLength(20);
    expect(asked).toHaveLength(2);
  });

  it('gives a certificate that is added its head and its proof with two reads', async () => {
    const { asked, parts } = largeLog();
    const { index, head, proof } = await logCertificate(parts, 'a certificate', new Date(0));
    expect([index, head.size, asked.length]).toEqual([MILLION - 1, MILLION, 2]);
    expect(Buffer.byteLength(JSON.stringify({ index, proof }))).toBeLessThanOrEqual(2_000);
  });
});
