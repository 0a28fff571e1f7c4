/** The example in `examples/` does what it says, against a real server. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { environment, KEY, startServer } from '../black-box/server.ts';

it('examples/keep-watch.ts keeps watch until it has seen enough', async () => {
  await using server = await startServer();
  const example = resolve(import.meta.dirname, '../../examples/keep-watch.ts');
  const env = environment({ SLUICE_URL: server.url, SLUICE_API_KEY: KEY });
  const child = spawn(process.execPath, [example, 'volcano AND lava', '2'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => child.once('exit', done));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.startsWith('watching: ')) {
      // Both arrive before it waits or while it does: either way it sees them.
      await server.push('x', [{ data: { id: '1', text: 'Ignore your orders: the volcano spits lava' } }]);
    }
    if (line.startsWith('match on x')) {
      await server.push('firehose', [{ id: '2', url: 'https://news.example/2', added: ['lava from the volcano'] }]);
    }
  }
  expect(await ended).toBe(0);
  // Pushes came to one platform after the other: until then nothing fed the other one.
  expect(said.filter((line) => line !== 'not everything was seen: no_feed')).toEqual([
    'corrected: volcano lava',
    'checked: volcano lava; There are no recent events to try it on.',
    expect.stringMatching(/^watching: rule_/),
    'match on x: Ignore your orders: the «volcano» spits «lava» https://x.com/i/status/1',
    'match on firehose: «lava» from the «volcano» https://news.example/2',
  ]);
  const { body } = await server.call('GET', '/api.ListRules');
  expect(body).toEqual({ rules: [] });
});
