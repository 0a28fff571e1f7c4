/**
 * Cursors as callers see them: a position in the order of matches, encrypted and bound to its account and its use. A
 * made-up cursor, one of another account, or one for another use is refused. Positions are counted over all accounts, so
 * a cursor must not tell them: it is keyed with a secret of the installation.
 */
import { createHmac, createSecretKey, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Position } from '../../store/store.ts';
import { invalidArgument } from '../errors.ts';

/**
 * `older` pages back through matches, `story` through stories, `delivery` through deliveries, `change` through the audit log,
 * `alert` through alerts; `newer` is where a stream goes on, `event` a subscription.
 */
type Use = 'older' | 'newer' | 'story' | 'delivery' | 'change' | 'alert' | 'event';

export interface Cursors {
  /** The cursor of a match of the account: always the same one. */
  write(accountId: string, use: Use, position: Position): string;
  /**
   * The cursor of a place that other accounts may have moved, such as the newest position of all. No two are equal, so
   * that an account cannot see by its own cursors whether others have new matches.
   */
  writePlace(accountId: string, use: Use, position: Position): string;
  /** Throws `invalid_argument` at the path when it is not a cursor of this account for this use. */
  read(accountId: string, use: Use, path: string, cursor: string): Position;
}

const NONCE_BYTES = 6;
const POSITION_BYTES = 6;
const CHECK_BYTES = 8;
const BYTES = NONCE_BYTES + POSITION_BYTES + CHECK_BYTES;

/** `secret` is the same on every node of the installation, and stays the same over restarts. */
export function createCursors(secret: Uint8Array): Cursors {
  // A key object, since Node prepares plain bytes anew for each digest, which takes five times as long.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'sluice cursors', 32)));
  const digest = (...parts: (string | Uint8Array)[]): Buffer => {
    const hmac = createHmac('sha256', key);
    for (const part of parts) hmac.update(part).update('\n');
    return hmac.digest();
  };
  const masked = (accountId: string, nonce: Uint8Array, bytes: Uint8Array): Buffer => {
    const mask = digest('mask', accountId, nonce);
    return Buffer.from(bytes.map((byte, at) => byte ^ mask[at]!));
  };
  const checkOf = (accountId: string, use: Use, nonce: Uint8Array, hidden: Uint8Array): Buffer =>
    digest('check', accountId, use, nonce, hidden).subarray(0, CHECK_BYTES);
  const written = (accountId: string, use: Use, position: Position, nonce: Uint8Array): string => {
    const bytes = Buffer.alloc(POSITION_BYTES);
    bytes.writeUIntBE(position, 0, POSITION_BYTES);
    const hidden = masked(accountId, nonce, bytes);
    return Buffer.concat([nonce, hidden, checkOf(accountId, use, nonce, hidden)]).toString('base64url');
  };
  return {
    write: (accountId, use, position) =>
      written(accountId, use, position, digest('nonce', accountId, use, String(position)).subarray(0, NONCE_BYTES)),
    writePlace: (accountId, use, position) => written(accountId, use, position, randomBytes(NONCE_BYTES)),
    read(accountId, use, path, cursor) {
      const bytes = cursor.length > 2 * BYTES ? Buffer.alloc(0) : Buffer.from(cursor, 'base64url');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const hidden = bytes.subarray(NONCE_BYTES, NONCE_BYTES + POSITION_BYTES);
      const check = bytes.subarray(NONCE_BYTES + POSITION_BYTES);
      const isOurs = bytes.length === BYTES && bytes.toString('base64url') === cursor;
      if (isOurs && timingSafeEqual(check, checkOf(accountId, use, nonce, hidden)))
        return masked(accountId, nonce, hidden).readUIntBE(0, POSITION_BYTES);
      throw invalidArgument([{ path, message: 'This is not a cursor that this operation gave to this account.' }]);
    },
  };
}
