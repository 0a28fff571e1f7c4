/**
 * Cursors as callers see them: a position in the order of matches, made opaque and bound to its account and its use.
 * A made-up cursor, one of another account, or one for another use is refused; none tells how many matches there are.
 */
import { createHash } from 'node:crypto';
import type { Position } from '../store/store.ts';
import { invalidArgument } from './errors.ts';

/** `older` pages back through a list of matches, `delivery` through one of deliveries; `newer` is where a stream goes on. */
type Use = 'older' | 'newer' | 'delivery';

const CHECK_BYTES = 6;
const POSITION_BYTES = 6;

export function writeCursor(accountId: string, use: Use, position: Position): string {
  const bytes = Buffer.alloc(POSITION_BYTES);
  bytes.writeUIntBE(position, 0, POSITION_BYTES);
  const check = digest(accountId, use, String(position)).subarray(0, CHECK_BYTES);
  return Buffer.concat([check, masked(bytes, accountId, check)]).toString('base64url');
}

export function readCursor(accountId: string, use: Use, path: string, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length === CHECK_BYTES + POSITION_BYTES) {
    const check = bytes.subarray(0, CHECK_BYTES);
    const position = masked(bytes.subarray(CHECK_BYTES), accountId, check).readUIntBE(0, POSITION_BYTES);
    if (writeCursor(accountId, use, position) === cursor) return position;
  }
  throw invalidArgument([{ path, message: 'It is not a cursor that this operation gave to this account.' }]);
}

function masked(bytes: Uint8Array, accountId: string, check: Uint8Array): Buffer {
  const mask = digest(accountId, 'mask', Buffer.from(check).toString('hex'));
  return Buffer.from(bytes.map((byte, at) => byte ^ mask[at]!));
}

const digest = (...parts: string[]): Buffer => createHash('sha256').update(parts.join('\n')).digest();
