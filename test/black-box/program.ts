/** The program that tests start as a process: the sources, or what `npm test` has bundled of them to start faster. */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const BUNDLED = process.env['PROGRAM_UNDER_TEST'];

export const PROGRAM = BUNDLED ?? resolve(import.meta.dirname, '../../src/cli/main.ts');

/** The program of the thread that writes to SQLite; undefined where that is the sources. */
export const WRITER_PROGRAM = BUNDLED === undefined ? undefined : pathToFileURL(join(BUNDLED, '../worker.js'));
