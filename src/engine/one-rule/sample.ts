/**
 * Whether an event belongs to a sample is decided by its id alone, so that it falls on the same side every time: a
 * 64-bit FNV-1a hash of the id, modulo 100. Kept in four 16-bit limbs, as products of those stay exact.
 */
export const isSampled = (id: string, percent: number): boolean => bucketOf(id) < percent;

/** 0 to 99. */
export function bucketOf(id: string): number {
  let a = 0x2325;
  let b = 0x8422;
  let c = 0x9ce4;
  let d = 0xcbf2;
  for (let at = 0; at < id.length; at++) {
    a ^= id.charCodeAt(at);
    // The prime is 2^40 + 0x1b3: a small product, and the low limbs moved up by 40 bits.
    const low = a * 0x1b3;
    const next = b * 0x1b3 + (low >>> 16);
    const third = c * 0x1b3 + a * 0x100 + (next >>> 16);
    const high = d * 0x1b3 + b * 0x100 + (third >>> 16);
    a = low & 0xffff;
    b = next & 0xffff;
    c = third & 0xffff;
    d = high & 0xffff;
  }
  // 2^16, 2^32 and 2^48 leave 36, 96 and 56 when divided by 100.
  return (a + b * 36 + c * 96 + d * 56) % 100;
}
