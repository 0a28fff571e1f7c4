/**
 * Lines that vouch for one another: each begins with a hash of itself and of everything before it, and the last hash is
 * signed with Ed25519. The text is checked byte for byte, so that no change of it passes.
 */
import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';

export interface ChainSigner {
  /** The public key, in hexadecimal. */
  readonly publicKey: string;
  sign(title: string, entries: readonly object[]): string;
  /** The signature of a text, in hexadecimal. */
  signText(text: string): string;
}

/** The DER bytes before the 32 bytes of a key. */
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Every node that has the secret makes the same key for a purpose. */
export function createChainSigner(secret: Uint8Array, purpose: string): ChainSigner {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(key);
  const signText = (text: string): string => sign(null, Buffer.from(text), key).toString('hex');
  return {
    publicKey,
    signText,
    sign(title, entries) {
      const lines = [title];
      let hash = hashOf(title);
      for (const entry of entries) {
        const json = JSON.stringify(entry).toWellFormed();
        hash = hashOf(`${hash} ${json}`);
        lines.push(`${hash} ${json}`);
      }
      const signature = signText(`${title}\n${hash}\n`);
      return `${[...lines, `key ${publicKey}`, `signature ${signature}`].join('\n')}\n`;
    },
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const rawPublicKey = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_HEAD.length).toString('hex');
