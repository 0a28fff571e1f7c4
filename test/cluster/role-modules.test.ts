/** The modules that a process of each role loads: the engine comes with the rules, and the operations with requests. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Role } from '../../src/domain/role.ts';
import { startServer } from '../black-box/server.ts';
import { startNats } from '../stages/nats.ts';
import { startPostgres } from '../stages/postgres.ts';

/** In a bundle, modules have no names. */
const SOURCES = resolve(import.meta.dirname, '../../src/cli/main.ts');

/**
 * The engine's `events`, `one-rule` and `explain` are for who reads matches: a delivery has highlights. The budget of a match is
 * a few numbers beside the slices of long events.
 */
const ENGINE = /^engine\/(?:core\/(?!match-budget\.)|compile\/|threads\/)/;
const OPERATIONS = /^(?:service\/operations|http\/(?:api|routes)|mcp\/(?:server|tools))\./;

/** The modules of ours that a process has loaded by the time it is ready, as paths in its folder of sources. */
async function loadedBy(settings: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [list, hook] = [join(folder, 'list'), join(folder, 'hook.mjs')];
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); } });`,
  );
  const options = { ...settings, NODE_OPTIONS: `--import ${pathToFileURL(hook).href}` };
  await using server = await startServer(options, join(folder, 'data'), [], SOURCES);
  await vi.waitFor(async () => expect((await server.call('GET', '/readyz')).status).toBe(200), { timeout: 60_000 });
  return readFileSync(list, 'utf8')
    .split('\n')
    .flatMap((url) => /\/src\/(.*)$/.exec(url)?.[1] ?? []);
}

it('loads the engine where rules are held, and the operations where requests are answered', async () => {
  await using postgres = await startPostgres();
  await using nats = await startNats();
  const shared = {
    SLUICE_STORE_URL: await postgres.newDatabase(),
    SLUICE_NATS_URL: nats.url,
    SLUICE_SEALING_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const loaded: Partial<Record<Role, { engine: boolean; operations: boolean }>> = {};
  for (const role of ['api', 'matcher', 'connector', 'delivery'] as const) {
    const modules = await loadedBy({ ...shared, SLUICE_ROLES: role });
    const has = (which: RegExp) => modules.some((path) => which.test(path));
    loaded[role] = { engine: has(ENGINE), operations: has(OPERATIONS) };
  }
  expect(loaded).toEqual({
    api: { engine: true, operations: true },
    matcher: { engine: true, operations: false },
    connector: { engine: false, operations: false },
    delivery: { engine: false, operations: false },
  });
});
