/** A disk that is really full: a small file system of its own in memory, where the kernel lets this user have one. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../stages/receiver.ts';
import { startServer } from './server.ts';

const ON_SMALL_DISK = [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs -o size=12m tmpfs "$SLUICE_DATA_DIR" && exec "$@"',
  'sh',
];
const canMount =
  spawnSync('unshare', ['--map-root-user', '--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

const KILOBYTE = 1024;
/** Longer than the pauses between the first tries. */
const WATCHED_MS = 1_500;

describe.runIf(canMount)('a disk that is full', () => {
  it('is not ready until a commit has succeeded, without a moment in between, and loses nothing', async () => {
    await using server = await startServer({ SLUICE_LOG_LEVEL: 'info' }, undefined, ON_SMALL_DISK);
    const logged: string[] = [];
    server.process.stderr!.on('data', (chunk: Buffer) => logged.push(chunk.toString()));
    await server.call('POST', '/api.CreateRule', {
      name: 'r',
      intent: 'i',
      platforms: ['x'],
      overrides: { x: 'lava' },
    });
    let acknowledged = 0;
    let sent = 0;
    const text = `lava ${'x'.repeat(20 * KILOBYTE)}`;
    const push = async (): Promise<number> => {
      const ids = Array.from({ length: 25 }, () => `${++sent}`);
      const { status, body } = await server.push(
        'x',
        ids.map((id) => ({ data: { id, text } })),
      );
      if (status === 200) acknowledged += Number(body['matches']);
      return status;
    };
    expect(await push()).toBe(200);
    // The mount is the server's own; the way to it leads through its process.
    const filler = `/proc/${server.process.pid}/root${server.dataDir}/filler`;
    // A little is left, as on every full disk: a row fits, a commit does not.
    writeFileSync(`${filler}-spare`, Buffer.alloc(96 * KILOBYTE));
    fill(filler);
    rmSync(`${filler}-spare`);
    while ((await push()) === 200);

    for (const end = performance.now() + WATCHED_MS; performance.now() < end; ) {
      const ready = await server.call('GET', '/readyz');
      expect([ready.status, ready.body['details']]).toEqual([503, { reasons: ['disk_full'] }]);
      expect(await push()).toBe(503);
    }
    expect(logged.join('')).not.toContain('"the store can be written again"');
    expect((await server.call('POST', '/matches', { limit: 1 })).status).toBe(200);

    rmSync(filler);
    await until(async () => (await server.call('GET', '/readyz')).status === 200);
    expect(await push()).toBe(200);
    const counted = await server.call('POST', '/matches', { limit: 1_000 });
    expect((counted.body['matches'] as unknown[]).length).toBeGreaterThanOrEqual(Math.min(1_000, acknowledged));
  });
});

/** Leaves not a byte. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = 64 * KILOBYTE; size >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}
