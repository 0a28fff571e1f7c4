/** The keys of a page that matter, in the manner of `names.ts`, and the two kinds of change. */

export const DIFF: u64 = 0x0000000066666964;
export const CHUNKS: u64 = 0x0000736b6e756863;
export const TYP: u64 = 0x0000000000707974;
export const ADDED: u64 = 0x0000006465646461;
export const REMOVED: u64 = 0x006465766f6d6572;
export const ADDED_ANCHOR: u64 = 0x6e615f6465646461;
export const ADDED_ANCHOR_END: u64 = 0x726f68636e615f64;
export const REMOVED_ANCHOR: u64 = 0x5f6465766f6d6572;
export const REMOVED_ANCHOR_END: u64 = 0x726f68636e615f64;
export const DOMAIN: u64 = 0x00006e69616d6f64;
export const PUBLISH_TIME: u64 = 0x5f6873696c627570;
export const PUBLISH_TIME_END: u64 = 0x656d69745f687369;
export const PAGE_CATEGORY: u64 = 0x7461635f65676170;
export const PAGE_CATEGORY_END: u64 = 0x79726f6765746163;
export const PAGE_TYPES: u64 = 0x7079745f65676170;
export const PAGE_TYPES_END: u64 = 0x73657079745f6567;
export const PAGE_TYPE: u64 = 0x7079745f65676170;
export const PAGE_TYPE_END: u64 = 0x657079745f656761;
export const LANGUAGE: u64 = 0x65676175676e616c;
export const INS: u64 = 0x0000000000736e69;
export const DEL: u64 = 0x00000000006c6564;
