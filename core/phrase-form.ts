/**
 * How a phrase stands in a program:
 *
 *     node | form | number of terms | the terms, as nodes | then offsets, or lead, length and bytes of a literal
 */
export const PHRASE_FORM: u32 = 4;
export const PHRASE_COUNT: u32 = 8;
export const PHRASE_TERMS: u32 = 12;

// @inline
export function termOf(phrase: u32, index: u32): u32 {
  return load<u32>(phrase + PHRASE_TERMS + (index << 2)) >> 4;
}
