/**
 * The program as somebody else installs it. It is built once, by the Dockerfile's own steps in empty folders; then it is
 * started as the image would be, and packed, unpacked into another folder, run and imported from there.
 * `npm run campaign -- image` installs the packages, too.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { buildImage, type Image } from './deploy/dockerfile.ts';
import { startImage } from './deploy/start-image.ts';

const ROOT = resolve(import.meta.dirname, '..');
let folder: string;
let installed: string;
let image: Image;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-package-'));
  image = buildImage(join(folder, 'image'), 'linked');
  const built = join(folder, 'image', 'build', 'app');
  for (const name of ['bin', 'docs', 'CHANGELOG.md', 'LICENSE', 'README.md'])
    cpSync(join(ROOT, name), join(built, name), { recursive: true });
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: built,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  installed = join(folder, 'node_modules', 'sluice');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

describe('the image', () => {
  it('starts, is healthy by its own check, shows the console and stops in order', async () => {
    expect(await startImage(image)).toEqual({ rules: { rules: [] }, console: 'text/html; charset=utf-8', code: 0 });
  });
});

describe('the package', () => {
  it('carries JavaScript with its types, the built console, and no sources or tests', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files).toContain(join('dist', 'client', 'index.d.ts'));
    expect(files).toContain(join('dist', 'console', 'index.html'));
    expect(files.filter((name) => /(^|[\\/])(src|test)([\\/]|$)|\.test\.|(?<!\.d)\.ts$/.test(name))).toEqual([]);
  });

  it('has a client that needs nothing else', () => {
    const script = `import * as client from 'sluice/client'; console.log(Object.keys(client).sort().join(' '))`;
    expect(node('--input-type=module', '--eval', script)).toMatchObject({
      status: 0,
      stdout: 'SluiceError WebhookError createClient explainReason verifyWebhook\n',
    });
    for (const part of ['client', 'packages/client'])
      for (const name of readdirSync(join(installed, 'dist', part)).filter((file) => file.endsWith('.js'))) {
        const text = readFileSync(join(installed, 'dist', part, name), 'utf8');
        const imported = [...text.matchAll(/\bfrom '([^']+)'/g)].map(([, specifier]) => specifier!);
        expect(imported.filter((specifier) => !/^\.(\.\/packages\/client)?\/[\w-]+\.js$/.test(specifier))).toEqual([]);
      }
  });

  it('has a client whose types hold for its users', () => {
    const program = `import { createClient, type Match } from 'sluice/client';
const client = createClient({ url: 'http://localhost', key: 'k' });
export async function texts(): Promise<Match[]> {
  const { rule_id } = await client.rules.create({ name: 'n', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
  // @ts-expect-error there is no such platform
  await client.matches.list({ rule_id, platform: 'mastodon' });
  const found: Match[] = [];
  for await (const match of client.matches.stream({ rule_id })) found.push(match);
  const version: string = (await client.status()).version;
  return version === '' ? [] : found;
}
`;
    writeFileSync(join(folder, 'user.mts'), program);
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--skipLibCheck',
      'false',
      '--types',
      '',
    ];
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    const checked = spawnSync(tsc, [...options, '--lib', 'es2024,dom', 'user.mts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(checked.stdout).toBe('');
    expect(checked.status).toBe(0);
  });

  it('has a command that runs', () => {
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (name !== 'sluice' && !name.startsWith('.'))
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    const { version, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      version: string;
      bin: { sluice: string };
    };
    expect(node(join(installed, bin.sluice), '--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
    expect(node(join(installed, bin.sluice), 'check', '-p', 'x', 'lava')).toMatchObject({ status: 0 });
    expect(node(join(installed, bin.sluice), 'doctor', '--json').stdout).toContain('"check": "store"');
  });

  it('has a sandbox, as a command and for the tests of others', async () => {
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { bin: { sluice: string } };
    const script = `import { startSandbox } from 'sluice/sandbox';
await using sandbox = await startSandbox();
const rule = sandbox.addForeignRule('x', 'lava');
console.log(sandbox.post('x', { data: { id: '1', text: 'Lava!' } }).ruleIds[0] === rule.id);`;
    expect(node('--input-type=module', '--eval', script)).toMatchObject({ status: 0, stdout: 'true\n', stderr: '' });
    const running = spawn(process.execPath, [join(installed, bin.sluice), 'sandbox', '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = (await once(running.stdout, 'data')) as [Buffer];
    running.kill('SIGKILL');
    expect(printed.toString()).toMatch(/^sluice sandbox: listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  });
});
