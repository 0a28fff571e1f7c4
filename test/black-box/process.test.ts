import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './cli.ts';
import { processSuite } from './process-suite.ts';
import { startServer } from './server.ts';

processSuite(startServer);

// On SQLite alone: settings are read before any store is opened, and several machines have no demo feed.
describe('one process', () => {
  it('refuses a misspelt setting with status 2 and says which was meant', async () => {
    const ran = await run(['serve'], { SLUICE_PROT: '0' });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('Did you mean SLUICE_PORT?')]);
  });

  it('plays the demo until a real event comes, and not again after', async () => {
    await using server = await startServer({ SLUICE_DEMO: 'on' });
    await server.call('POST', '/api.CreateRule', {
      name: 'all',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'volcano OR lava OR outage OR release OR storm' },
    });
    const matches = async () =>
      (await server.call('POST', '/matches', { limit: 1 })).body['matches'] as { payload: unknown }[];
    let found = await matches();
    while (found.length === 0) found = await matches();
    expect(JSON.stringify(found[0]!.payload)).toContain('"demo":true');
    await server.push('x', [{ data: { id: '1', text: 'real' } }]);
    while (!existsSync(join(server.dataDir, 'demo-ended'))) await server.call('GET', '/healthz');
  });
});
