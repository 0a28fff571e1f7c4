/** The fields that the walk of a line knows, as bits of `WANTED`. Their numbers stand in the same order in `WALK_FIELDS`. */
import { WALK_FIELDS, WANTED } from './memory';

export const TEXT_FIELD: u32 = 0;
export const HASHTAG: u32 = 1;
export const MENTION: u32 = 2;
export const CASHTAG: u32 = 3;
export const URL: u32 = 4;
export const URL_TITLE: u32 = 5;
export const URL_DESCRIPTION: u32 = 6;
export const LANGUAGE: u32 = 7;
export const FROM: u32 = 8;
export const HAS: u32 = 9;
// The walk does not make these: a line that may have one of them is left to TypeScript where a rule names it.
export const IS: u32 = 10;
export const ENTITY: u32 = 11;
export const CONTEXT: u32 = 12;
export const AFFILIATE: u32 = 13;
export const BIO: u32 = 14;
export const BIO_NAME: u32 = 15;
export const BIO_LOCATION: u32 = 16;
export const TO: u32 = 17;
export const TO_AFFILIATE: u32 = 18;
export const CONVERSATION: u32 = 19;
export const SOURCE_FIELD: u32 = 20;
export const PLACE_ID: u32 = 21;
export const PLACE_COUNTRY: u32 = 22;
export const PLACE_NAME: u32 = 23;

// @inline
export function isWanted(field: u32): bool {
  return ((load<u32>(WANTED) >> field) & 1) !== 0;
}

// @inline
export function numberOf(field: u32): u32 {
  return load<u32>(WALK_FIELDS + (field << 2));
}
