/**
 * The program as somebody else installs it. It is built once, by the Dockerfile's own steps in empty folders; then it is
 * started as the image would be, and packed, unpacked into another folder, run and imported from there.
 * `npm run campaign -- image` installs the packages, too.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { buildImage, type Image } from './deploy/dockerfile.ts';
import { startImage } from './deploy/start-image.ts';
import { bytesOnDisk, runtimePackages } from './install/runtime-packages.ts';
import { serveOnce } from './install/serve-once.ts';

const ROOT = resolve(import.meta.dirname, '..');
const packages = runtimePackages(ROOT);
let folder: string;
let installed: string;
let image: Image;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-package-'));
  image = buildImage(join(folder, 'image'), 'linked');
  const built = join(folder, 'image', 'build', 'app');
  for (const name of [
    'package.json',
    'bin',
    'docs',
    'runtime',
    'skills',
    'server.json',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
  ])
    cpSync(join(ROOT, name), join(built, name), { recursive: true, filter: (from) => !/runtime.node-/.test(from) });
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: built,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  installed = join(folder, 'node_modules', 'sluice');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  linkPackages(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As npm would install them: those that the package needs, and no other. */
function linkPackages(at: string): void {
  for (const path of packages.filter((one) => one.lastIndexOf('node_modules/') === 0)) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(at, path));
  }
}

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

describe('the image', () => {
  const STARTED = { rules: { rules: [] }, console: 'text/html; charset=utf-8', code: 0 };

  it('starts, is healthy by its own check, shows the console and stops in order', async () => {
    expect(await startImage(image)).toEqual(STARTED);
  });

  it('starts with what the compose file of one process sets, by its own command and health check', async () => {
    const { services } = parse(readFileSync(join(ROOT, 'deploy/compose.single.yaml'), 'utf8')) as {
      services: Record<string, { environment: Record<string, string>; command?: unknown; healthcheck?: unknown }>;
    };
    const { environment, command, healthcheck } = services['sluice']!;
    expect([command, healthcheck]).toEqual([undefined, undefined]);
    const filledIn = Object.entries(environment).map(([name, value]) => [name, value.replace(/^\$\{\w+:-\}$/, '')]);
    expect(await startImage({ ...image, env: { ...image.env, ...Object.fromEntries(filledIn) } })).toEqual(STARTED);
  });
});

describe('the package', () => {
  it('is installed with at most 100 packages and 90 MB, and brings no Node', () => {
    const bytes = [installed, ...packages.map((path) => join(ROOT, path))].map(bytesOnDisk);
    const megabytes = bytes.reduce((sum, one) => sum + one) / 1024 ** 2;
    expect(packages.length + 1).toBeLessThanOrEqual(100);
    expect(Math.min(...bytes)).toBeGreaterThan(0);
    expect(megabytes).toBeLessThanOrEqual(90);
    expect(packages.filter((path) => /\/node-(linux|darwin|win)/.test(path))).toEqual([]);
  });

  it('carries what fetches a Node of an exact version, for machines without one', () => {
    const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    for (const name of ['bin/runtime.mjs', 'bin/steps.mjs', 'runtime/package.json', 'runtime/package-lock.json'])
      expect(names).toContain(join(...name.split('/')));
    expect(names.filter((name) => name.startsWith('runtime')).length).toBe(3);
  });

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
      stdout:
        'CertificateError LogForkError SluiceError WebhookError checkLog createClient explainReason findInLog readLogged verifyCertificate verifyConsistency verifyHead verifyLogged verifyWebhook\n',
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
    const { version, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      version: string;
      bin: { sluice: string };
    };
    expect(node(join(installed, bin.sluice), '--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
    expect(node(join(installed, bin.sluice), 'check', '-p', 'x', 'lava')).toMatchObject({ status: 0 });
    expect(node(join(installed, bin.sluice), 'doctor', '--json').stdout).toContain('"check": "store"');
  });

  it('says what to install for what is optional', () => {
    const { status, stdout } = spawnSync(process.execPath, [join(installed, 'bin/sluice.mjs'), 'doctor', '--json'], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: '/usr/bin:/bin',
        SLUICE_DATA_DIR: join(folder, 'none'),
        SLUICE_STORE_URL: 'postgres://127.0.0.1:1/none',
        SLUICE_NATS_URL: 'nats://127.0.0.1:1',
        SLUICE_SEALING_KEY: Buffer.alloc(32).toString('base64'),
      },
    });
    expect(status).toBe(1);
    expect(stdout).toContain(
      'This server has no PostgreSQL client. Its operator installs it beside Sluice: npm install pg@',
    );
    expect(stdout).toContain(
      'This server has no NATS client. Its operator installs it beside Sluice: npm install @nats-io/',
    );
  });

  it('starts by the command of a global installation, with what the systemd unit sets, on any Node that finds a newer one', async () => {
    const unit = readFileSync(join(ROOT, 'deploy/systemd/sluice.service'), 'utf8');
    const set = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line]) => line!.split(' '));
    const started = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(' ');
    // In its prefix npm leaves a link to the file that package.json names, which must be executable.
    mkdirSync(join(folder, 'global/bin'), { recursive: true });
    symlinkSync(join(installed, 'bin/sluice.mjs'), join(folder, 'global/bin', started[0]!));
    const path = [join(folder, 'global/bin'), '/usr/local/bin', '/usr/bin', '/bin', dirname(process.execPath)];
    const env = { ...Object.fromEntries(set.map((pair) => pair.split('='))), PATH: path.join(delimiter) };
    const served = await serveOnce(['/usr/bin/env', ...started], {
      cwd: folder,
      env: { ...env, HOME: folder, SLUICE_DATA_DIR: join(folder, 'global/data') },
    });
    expect(served).toEqual({ ready: 200, code: 0 });
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
