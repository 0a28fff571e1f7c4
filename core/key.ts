/**
 * The key of a word in a field: 16 bytes. Up to 15 bytes are the key themselves, padded with zeros, so that equal keys mean
 * equal words. A longer word, one that holds a NUL and one of a field with a large number is hashed, and its text and field
 * are compared when found. The top byte is the field's number and one; where the word was hashed, its top bit is set.
 */
import { SEED } from './memory';

const LONGEST: u32 = 15;
const HASHED: u64 = 0x8000000000000000;
const FIRST: u64 = 0x9e3779b97f4a7c15;
const SECOND: u64 = 0xc2b2ae3d27d4eb4f;

// @inline
export function isHashed(high: u64): bool {
  return <i64>high < 0;
}

/** The field's number, and whether the word holds a NUL. */
export const FIELD: u32 = 0x7fff;
export const HOLDS_NUL: u32 = 0x8000;
const MOST_FIELDS: u32 = 126;

/** Whether the word must be hashed. `field` may have `HOLDS_NUL` set. */
// @inline
export function mustHash(length: u32, field: u32): bool {
  return length > LONGEST || field >= MOST_FIELDS;
}

// @inline
export function lowOf(at: u32, length: u32): u64 {
  const bytes = load<u64>(at);
  return length >= 8 ? bytes : bytes & (((<u64>1) << ((<u64>length) << 3)) - 1);
}

// @inline
export function highOf(at: u32, length: u32, field: u32): u64 {
  const mark = (<u64>(field + 1)) << 56;
  if (length <= 8) return mark;
  return (load<u64>(at, 8) & (((<u64>1) << ((<u64>(length - 8)) << 3)) - 1)) | mark;
}

/** Both halves of a hashed word: the high one depends on the low one. */
export function hashedLow(at: u32, length: u32, field: u32): u64 {
  let hash = (<u64>load<u32>(SEED) ^ length ^ ((<u64>field) << 32)) * FIRST;
  const end = at + length;
  for (let place = at; place < end; place += 8) {
    const left = end - place;
    let bytes = load<u64>(place);
    if (left < 8) bytes &= ((<u64>1) << ((<u64>left) << 3)) - 1;
    hash = (hash ^ bytes) * SECOND;
    hash ^= hash >> 29;
  }
  return hash;
}

// @inline
export function hashedHigh(low: u64): u64 {
  return ((low ^ (low >> 31)) * FIRST) | HASHED;
}

// @inline
export function hashOf(low: u64, high: u64): u32 {
  return hashWith(load<u32>(SEED), low, high);
}

// @inline
export function hashWith(seed: u32, low: u64, high: u64): u32 {
  let hash = (low ^ seed) * FIRST;
  // Turned, so that the field, which stands at the top, reaches every bit of the product.
  hash = (hash ^ (hash >> 32) ^ rotl<u64>(high, 24)) * SECOND;
  return <u32>((hash ^ (hash >> 29)) >> 32);
}
