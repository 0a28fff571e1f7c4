/** The settings that the files of `deploy/` tell the program, held to what it understands. */
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { loadConfig } from '../../src/app/config.ts';
import { SETTINGS } from '../../src/app/settings.ts';
import type { Role } from '../../src/domain/role.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
export const DEPLOY = resolve(ROOT, 'deploy');

export function expectKnown(names: Iterable<string>): void {
  const known = Object.keys(SETTINGS);
  for (const name of names) if (name.startsWith('SLUICE_')) expect(known).toContain(name);
}

/** The settings that an operator fills in. */
const FILLED_IN: Readonly<Record<string, string>> = {
  SLUICE_SEALING_KEY: Buffer.alloc(32).toString('base64'),
  SLUICE_API_KEY: 'a-key-of-sixteen-or-more',
};

/** The program starts with these settings, as a node of this role on PostgreSQL and NATS. */
export function expectNode(role: string, settings: Readonly<Record<string, string>>): void {
  const filled = Object.entries(settings)
    .filter(([name]) => name.startsWith('SLUICE_'))
    .map(([name, value]) => [name, FILLED_IN[name] ?? value]);
  expect(loadConfig(Object.fromEntries(filled))).toMatchObject({
    roles: [role as Role],
    storeUrl: expect.stringMatching(/^postgres:/),
    natsUrl: expect.stringMatching(/^nats:/),
    sealingKey: expect.anything(),
  });
}
