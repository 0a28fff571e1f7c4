/** The fields that the walk of a page knows, as bits of `WANTED`: see `fields.ts`. */
export const ADDED: u32 = 0;
export const REMOVED: u32 = 1;
export const ADDED_ANCHOR: u32 = 2;
export const REMOVED_ANCHOR: u32 = 3;
export const TITLE: u32 = 4;
export const URL: u32 = 5;
export const DOMAIN: u32 = 6;
export const PUBLISH_TIME: u32 = 7;
export const PAGE_CATEGORY: u32 = 8;
export const PAGE_TYPE: u32 = 9;
export const LANGUAGE: u32 = 10;
