/**
 * Third-party suites are read from a folder beside the project, never copied into it. Where the folder is absent the
 * suite is left out by `describe.runIf`, and the end of `npm test` names what was not run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const root = resolve(process.env['SLUICE_TEST_DATA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'data'));

export const hasSharedData = existsSync(root);

export const sharedText = (path: string): string => {
  const bytes = readFileSync(join(root, path));
  return path.endsWith('.gz') ? gunzipSync(bytes).toString('utf8') : bytes.toString('utf8');
};

/** The caller states the shape; the files are fixed and described in their own README. */
export const sharedJson = <T>(path: string): T => JSON.parse(sharedText(path)) as T;

export const sharedLines = <T>(path: string): T[] =>
  sharedText(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
