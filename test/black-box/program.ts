/** The program that tests start as a process: the sources, or what `npm test` has bundled of them to start faster. */
import { resolve } from 'node:path';

export const PROGRAM = process.env['PROGRAM_UNDER_TEST'] ?? resolve(import.meta.dirname, '../../src/cli/main.ts');
