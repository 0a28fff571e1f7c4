/**
 * Seals the secrets that must be read again. The key is a file of its own, so that a copy of the database alone signs
 * nothing.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

export const SEALING_KEY_BYTES = 32;
/** The variable that sets it; the store has its check value by this name. */
export const SEALING_KEY_SETTING = 'SLUICE_SEALING_KEY';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Seal {
  seal(secret: string): string;
  /** Returns undefined when the secret was sealed with another key, or is damaged. */
  unseal(sealed: string): string | undefined;
}

/** A fingerprint: it shows that two keys are the same one, and nothing else of them. */
export const keyCheck = (key: Uint8Array): string =>
  createHmac('sha256', key).update('sluice sealing key').digest('hex').slice(0, 32);

export const createSeal = (key: Uint8Array): Seal => ({
  seal(secret) {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
  },
  unseal(sealed) {
    const bytes = Buffer.from(sealed, 'base64');
    const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
    try {
      // A nonce or a tag that is cut short throws too.
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(tag);
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  },
});
