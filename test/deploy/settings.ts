/** What the files of `deploy/` tell the program, held to what it understands. */
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { SETTINGS } from '../../src/app/settings.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
export const DEPLOY = resolve(ROOT, 'deploy');

export function expectKnown(names: Iterable<string>): void {
  const known = Object.keys(SETTINGS);
  for (const name of names) if (name.startsWith('SLUICE_')) expect(known).toContain(name);
}
