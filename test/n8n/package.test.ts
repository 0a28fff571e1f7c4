/** The package with the n8n nodes: what n8n reads of it, and what n8n's own linters say. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltNodes, buildNodes, PACKAGE } from './built-nodes.ts';

const ROOT = resolve(PACKAGE, '../..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: object;
  readonly n8n: { readonly nodes: string[]; readonly credentials: string[] };
}
const read = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T;
const manifest = read<Manifest>(PACKAGE, 'package.json');

describe('the package', () => {
  let nodes: BuiltNodes;
  beforeAll(() => {
    nodes = buildNodes();
  });
  afterAll(() => nodes[Symbol.dispose]());

  it('packs what it names, each node with its codex file and its icons, and no sources', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: nodes.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining([...manifest.n8n.nodes, ...manifest.n8n.credentials]));
    expect(paths.filter((path) => !/^(package\.json|dist\/.*\.(js|node\.json|svg))$/.test(path))).toEqual([]);
    for (const path of manifest.n8n.nodes) {
      const name = basename(path, '.node.js') as 'Sluice';
      const { description } = nodes.node(name);
      const folder = join(nodes.folder, path, '..');
      const codex = read<{ node: string }>(folder, `${name}.node.json`);
      expect(codex.node).toBe(`${manifest.name}.${String(description['name'])}`);
      const { light, dark } = description['icon'] as { light: string; dark: string };
      for (const icon of [light, dark])
        expect(readFileSync(join(folder, icon.slice('file:'.length)), 'utf8')).toContain('<svg');
    }
  });

  it('needs nothing but n8n, and has the version of the server', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.version).toBe(read<Manifest>(ROOT, 'package.json').version);
    const scripts = readdirSync(join(nodes.folder, 'dist'), { recursive: true, encoding: 'utf8' });
    const required = scripts
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => [
        ...readFileSync(join(nodes.folder, 'dist', name), 'utf8').matchAll(/\brequire\("([^".][^"]*)"\)/g),
      ])
      .map(([, specifier]) => specifier!);
    expect([...new Set(required)].toSorted()).toEqual(['n8n-workflow', 'node:crypto']);
  });

  it('adds nothing to an installation without development packages', () => {
    const { packages } = read<{ packages: Record<string, { dev?: boolean; link?: boolean }> }>(
      ROOT,
      'package-lock.json',
    );
    const kept = Object.entries(packages).filter(([, { dev, link }]) => dev !== true && link !== true);
    expect(kept.map(([path]) => path).filter((path) => /n8n|eslint|typescript/.test(path))).toEqual([
      'packages/n8n-nodes-sluice',
    ]);
  });
});

describe('the linters of n8n', () => {
  const lint = (cwd: string) => {
    const eslint = join(ROOT, 'node_modules/eslint/bin/eslint.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [eslint, '--max-warnings', '0', '.'], {
      cwd,
      encoding: 'utf8',
      // One of the plugins judges otherwise where it takes itself to be under test.
      env: { ...process.env, NODE_ENV: 'production' },
    });
    return { status, output: stdout + stderr };
  };

  it('find no error and no warning', () => {
    expect(lint(PACKAGE)).toEqual({ status: 0, output: '' });
  });

  it('do look: each finds what is wrong in nodes, credentials and the manifest of a copy', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-n8n-lint-'));
    try {
      const copy = join(folder, 'packages', 'copy');
      cpSync(PACKAGE, copy, { recursive: true, filter: (from) => !/[\\/](dist|node_modules)$/.test(from) });
      symlinkSync(join(PACKAGE, 'node_modules'), join(copy, 'node_modules'));
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      symlinkSync(join(ROOT, 'packages/generators'), join(folder, 'packages/generators'));
      const change = (path: string, from: string, to: string) => {
        const text = readFileSync(join(copy, path), 'utf8');
        expect(text).toContain(from);
        writeFileSync(join(copy, path), text.replace(from, to));
      };
      change('package.json', '"license": "MIT"', '"dependencies": { "axios": "1" }, "license": "ISC"');
      change('credentials/SluiceApi.credentials.ts', 'typeOptions: { password: true },', '');
      change('nodes/Sluice/match-fields.ts', "'Max number of results to return'", "'How many'");
      change('nodes/Sluice/Sluice.node.ts', 'usableAsTool: true,', '');
      const { status, output } = lint(copy);
      expect(status).toBe(1);
      for (const rule of [
        '@n8n/community-nodes/no-runtime-dependencies',
        '@n8n/community-nodes/credential-password-field',
        '@n8n/community-nodes/node-usable-as-tool',
        'n8n-nodes-base/community-package-json-license-not-default',
        'n8n-nodes-base/cred-class-field-type-options-password-missing',
        'n8n-nodes-base/node-param-description-wrong-for-limit',
      ])
        expect(output).toContain(rule);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
