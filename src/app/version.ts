import { readFileSync } from 'node:fs';

/** The program's own version, from the package it came in. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
