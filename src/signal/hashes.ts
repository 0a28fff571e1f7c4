/** Numbers that stand for texts: the same in every process and on every machine. */

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const OTHER_BASIS = 0x9747b28c;
const OTHER_PRIME = 0x85ebca6b;
/** Numbers are exact up to 53 bits. */
const HIGH_BITS = 20;

/** 32 bits, with a sign. */
export function hash32(text: string): number {
  let hash = BASIS;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return mixed(hash);
}

/** The 32-bit number of a text given as the codes of its characters in a range. */
export function hashCodes(codes: Uint16Array, start: number, end: number): number {
  let hash = BASIS;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ codes[at]!, PRIME);
  return mixed(hash);
}

/** 52 bits: few enough texts share one that equal numbers count for equal texts. */
export function hash52(text: string): number {
  let other = OTHER_BASIS;
  for (let at = 0; at < text.length; at++) other = Math.imul(other ^ text.charCodeAt(at), OTHER_PRIME);
  return joined(mixed(other), hash32(text));
}

/** The 52-bit number of a list of numbers. */
export function hashNumbers(numbers: readonly number[]): number {
  let hash = BASIS;
  let other = OTHER_BASIS;
  for (const number of numbers) {
    hash = mixed(Math.imul(hash ^ number, PRIME));
    other = mixed(Math.imul(other ^ number, OTHER_PRIME));
  }
  return joined(other, hash);
}

const joined = (high: number, low: number): number => (high >>> (32 - HIGH_BITS)) * 2 ** 32 + (low >>> 0);

/** Spreads what differs in few bits over all of them. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return twice ^ (twice >>> 16);
}
