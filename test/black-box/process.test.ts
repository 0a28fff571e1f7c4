import { describe, expect, it } from 'vitest';
import { until } from '../stages/receiver.ts';
import { run } from './cli.ts';
import { processSuite } from './process-suite.ts';
import { KEY, startServer } from './server.ts';

processSuite(startServer);

// On SQLite alone: settings are read before any store is opened, and several machines have no demo feed.
describe('one process', () => {
  it('refuses a misspelt setting with status 2 and says which was meant', async () => {
    const ran = await run(['serve'], { SLUICE_PROT: '0' });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('Did you mean SLUICE_PORT?')]);
  });

  it('plays the demo also while real events come, until it is stopped', async () => {
    await using server = await startServer({ SLUICE_DEMO: 'on' });
    await server.call('POST', '/api.CreateRule', {
      name: 'all',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'volcano OR lava OR outage OR release OR storm' },
    });
    const matches = async () =>
      (await server.call('POST', '/matches', { limit: 1 })).body['matches'] as { id: string; demo?: true }[];
    await until(async () => (await matches()).length > 0);
    expect((await matches())[0]!.demo).toBe(true);
    await server.push('x', [{ data: { id: '1', text: 'real storm' } }]);
    const [real] = await matches();
    await until(async () => (await matches())[0]!.id !== real!.id);
    const env = { SLUICE_URL: server.url, SLUICE_API_KEY: KEY };
    expect((await run(['demo', 'stop'], env)).stdout).toBe('The demo feed does not play.\n');
    expect((await run(['demo', '--json'], env)).stdout).toContain('"playing": false');
  });
});
