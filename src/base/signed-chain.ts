/**
 * Lines that vouch for one another: each begins with a hash of itself and of everything before it, and the last hash is
 * signed with Ed25519. The text is checked byte for byte, so that no change of it passes.
 */
import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';

export interface ChainSigner {
  /** The public key, in hexadecimal. */
  readonly publicKey: string;
  sign(title: string, entries: readonly object[]): string;
}

export type ChainReading =
  | { readonly ok: true; readonly entries: readonly unknown[]; readonly publicKey: string }
  | { readonly ok: false; readonly problem: string };

/** What stands before the 32 bytes of a key, in DER. */
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** The same secret and purpose make the same key, on every node that has the secret. */
export function createChainSigner(secret: Uint8Array, purpose: string): ChainSigner {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(key);
  return {
    publicKey,
    sign(title, entries) {
      const lines = [title];
      let hash = hashOf(title);
      for (const entry of entries) {
        const json = JSON.stringify(entry).toWellFormed();
        hash = hashOf(`${hash} ${json}`);
        lines.push(`${hash} ${json}`);
      }
      const signature = sign(null, Buffer.from(signedText(title, hash)), key).toString('hex');
      return `${[...lines, `key ${publicKey}`, `signature ${signature}`].join('\n')}\n`;
    },
  };
}

/** Reads a signed chain with this title. */
export function readChain(title: string, bytes: Buffer): ChainReading {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return broken('it is not UTF-8');
  const lines = text.split('\n');
  const [end, signatureLine = '', keyLine = ''] = [lines.pop(), lines.pop(), lines.pop()];
  if (end !== '' || lines.shift() !== title) return broken('it does not begin and end as it must');
  const publicKey = /^key ([0-9a-f]{64})$/.exec(keyLine)?.[1];
  const signature = /^signature ([0-9a-f]{128})$/.exec(signatureLine)?.[1];
  if (publicKey === undefined || signature === undefined) return broken('it has no key and signature');
  let hash = hashOf(title);
  const entries: unknown[] = [];
  for (const [at, line] of lines.entries()) {
    const json = line.slice(65);
    hash = hashOf(`${hash} ${json}`);
    if (line !== `${hash} ${json}`) return broken(`line ${at + 2} is not what was signed`);
    try {
      entries.push(JSON.parse(json));
    } catch {
      return broken(`line ${at + 2} is not JSON`);
    }
  }
  return isSigned(signedText(title, hash), publicKey, signature)
    ? { ok: true, entries, publicKey }
    : broken('the signature is not of this key');
}

const broken = (problem: string): ChainReading => ({ ok: false, problem });

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const signedText = (title: string, hash: string): string => `${title}\n${hash}\n`;

const rawPublicKey = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_HEAD.length).toString('hex');

function isSigned(text: string, publicKey: string, signature: string): boolean {
  try {
    const der = Buffer.concat([PUBLIC_HEAD, Buffer.from(publicKey, 'hex')]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'));
  } catch {
    return false;
  }
}
