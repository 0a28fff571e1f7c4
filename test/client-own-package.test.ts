/** The client as a package of its own: packed, unpacked where there is nothing else, compiled against and run. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Answer, Input, OperationName } from '../packages/client/src/index.ts';
import type { operations } from '../src/service/operations.ts';
import { OPERATOR_KEY, startApp } from './stages/http-app.ts';

const ROOT = resolve(import.meta.dirname, '..');
const NAME = '@example/sluice-client';
let folder: string;
let installed: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-client-'));
  const checkout = join(folder, 'checkout');
  const source = join(checkout, 'packages/client');
  for (const path of ['tsconfig.json', 'packages/client'])
    cpSync(join(ROOT, path), join(checkout, path), {
      recursive: true,
      filter: (from) => !/[\\/](dist|node_modules)$/.test(from),
    });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: source,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf('[\n'))) as [{ filename: string }];
  installed = join(folder, 'user/node_modules', NAME);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (command: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: join(folder, 'user'), encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

/** As a user compiles who trusts no one: every declaration is checked, and nothing of Node is known. */
function compiled(name: string, program: string) {
  writeFileSync(join(folder, 'user', name), program);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck', 'false'];
  return inFolder(join(ROOT, 'node_modules/.bin/tsc'), ...options, '--types', '', '--lib', 'es2024,dom', name);
}

describe('the package of the client', () => {
  it('has no dependencies, and holds JavaScript and types alone', () => {
    const text = readFileSync(join(installed, 'package.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ name: NAME, type: 'module' });
    expect(text).not.toMatch(/dependencies/i);
    const files = readdirSync(join(installed, 'dist'));
    expect(files.filter((name) => !/^[a-z-]+\.(js|d\.ts)$/.test(name))).toEqual([]);
    for (const name of files) {
      const specifiers = [...readFileSync(join(installed, 'dist', name), 'utf8').matchAll(/\bfrom '([^']+)'/g)];
      expect(specifiers.filter(([, specifier]) => !/^\.\/[a-z-]+\.(js|ts)$/.test(specifier!))).toEqual([]);
    }
  });

  it('has types that need nothing: no Node, no other package, every declaration checked', () => {
    const program = `import { createClient, type Match, type Rule, SluiceError, verifyWebhook } from '${NAME}';
const client = createClient({ url: 'http://localhost', key: 'k' });
export async function texts(): Promise<Match[]> {
  const { rule_id } = await client.rules.create({ name: 'n', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
  // @ts-expect-error there is no such platform
  await client.matches.list({ rule_id, platform: 'mastodon' });
  const rule: Rule = await client.rules.get({ rule_id });
  // @ts-expect-error a rule has no such field
  console.log(rule.text);
  const found: Match[] = [];
  for await (const match of client.matches.stream({ rule_id, onGap: (gap) => console.log(gap.from) })) found.push(match);
  return (await client.status()).version === '' ? [] : found;
}
export const reason = (error: unknown) => (error instanceof SluiceError ? error.issues.map(({ fixes }) => fixes) : []);
export const verify = (headers: Headers, body: string) => verifyWebhook({ secret: 's', headers, body });
`;
    expect(compiled('user.mts', program)).toEqual({ status: 0, output: '' });
  });

  it('runs in a folder with nothing else, against a server', async () => {
    await using app = await startApp();
    const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
    const program = `import { createClient } from '${NAME}';
const client = createClient({ url: '${url}', key: '${OPERATOR_KEY}' });
const { rule_id } = await client.rules.create({ name: 'n', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
await client.events.push({ platform: 'x', lines: '{"data":{"id":"1","text":"Lava!"}}' });
console.log((await client.matches.list({ rule_id })).matches[0].platform_post_id);
`;
    writeFileSync(join(folder, 'user', 'run.mjs'), program);
    const { promise, resolve: done } = Promise.withResolvers<string>();
    execFile(process.execPath, ['run.mjs'], { cwd: join(folder, 'user') }, (_, stdout, stderr) =>
      done(stdout + stderr),
    );
    expect(await promise).toBe('1\n');
  });
});

type Schemas<Name extends OperationName> = (typeof operations)[Name];
/** The operations whose printed types differ from the schemas that the server validates with. */
type Differing = {
  [Name in OperationName]: [Answer<Name>, Input<Name>, z.output<Schemas<Name>['input']>] extends [
    z.output<Schemas<Name>['output']>,
    z.input<Schemas<Name>['input']>,
    Input<Name>,
  ]
    ? never
    : Name;
}[OperationName];

describe('the printed types', () => {
  it('are those of the schemas that the server validates with: if not, this does not compile', () => {
    const none: [Differing] extends [never] ? true : Differing = true;
    expect(none).toBe(true);
  });
});
