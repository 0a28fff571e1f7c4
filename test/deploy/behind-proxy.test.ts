/** What nearly every installation has to set, in each of the ways to install it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './settings.ts';

const ADDRESSES = ['SLUICE_PUBLIC_URL', 'SLUICE_TRUST_PROXY'];
const NO_DEMO = ['SLUICE_DEMO'];
/** A proxy on another machine reaches nothing without it. */
const OPEN = ['SLUICE_HOST'];

it.each([
  ['deploy/kubernetes/settings.yaml', [...ADDRESSES, ...NO_DEMO]],
  ['deploy/helm/sluice/values.yaml', [...ADDRESSES, ...NO_DEMO]],
  ['deploy/compose.yaml', [...ADDRESSES, ...NO_DEMO]],
  ['deploy/compose.single.yaml', [...ADDRESSES, ...NO_DEMO]],
  // The image listens on all addresses.
  ['deploy/Dockerfile', OPEN],
  ['deploy/systemd/sluice.service', [...ADDRESSES, ...NO_DEMO, ...OPEN]],
  // On PostgreSQL the demo never plays.
  ['deploy/systemd/sluice@.service', [...ADDRESSES, ...OPEN]],
  ['docs/running.md', [...ADDRESSES, ...OPEN]],
  ['docs/guides/run-in-production.md', [...ADDRESSES, ...NO_DEMO, ...OPEN]],
  ['docs/guides/public-installation.md', [...ADDRESSES, ...OPEN]],
  ['docs/guides/several-machines.md', [...ADDRESSES, ...OPEN]],
])('%s names what a server behind a proxy needs', (path, names) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  for (const name of names) expect(text).toContain(name);
});
