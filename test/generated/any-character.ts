/** Any code point but halves of pairs, for properties: the library's own unit for them first makes a table of all, for a second of CPU. */
import * as fc from 'fast-check';

const FIRST_HALF = 0xd800;
const HALVES = 0x800;

export const ANY_CHARACTER = fc
  .integer({ min: 0, max: 0x10_ffff - HALVES })
  .map((number) => String.fromCodePoint(number < FIRST_HALF ? number : number + HALVES), numberOf);

/** With it the library can write its dangerous strings, such as `__proto__`, in these characters. */
function numberOf(text: unknown): number {
  const point = typeof text === 'string' && /^[^\ud800-\udfff]$/u.test(text) ? text.codePointAt(0) : undefined;
  if (point === undefined) throw new Error('It is not one character.');
  return point < FIRST_HALF ? point : point - HALVES;
}
