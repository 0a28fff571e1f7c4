/** The Python client: its own tests, the examples of its page, and its types, with the machine's Python and one server for all. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, KEY, type Started, startServer } from './black-box/server.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'clients', 'python');
const NOW = new Date('2026-11-15T08:30:00Z');
const SECRET = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
const BODY = JSON.stringify({ type: 'matches', webhook_id: 'hook_1', matches: [] });
const delivery = {
  secret: SECRET,
  body: BODY,
  now: NOW.getTime() / 1_000,
  headers: {
    'webhook-id': 'dlv_1',
    'webhook-timestamp': String(NOW.getTime() / 1_000),
    'webhook-signature': new Webhook(SECRET).sign('dlv_1', NOW, BODY),
  },
};
const examples = [...readFileSync(join(ROOT, 'docs/python.md'), 'utf8').matchAll(/^```python\n(.*?)^```/gms)].map(
  ([, code]) => code!,
);

function writeExamples(folder: string): string[] {
  return examples.map((code, index) => {
    const path = join(folder, `example_${index + 1}.py`);
    writeFileSync(path, code);
    return path;
  });
}

describe('python: the client', () => {
  let server: Started;
  let folder: string;
  beforeAll(async () => {
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), 'sluice-python-'));
    writeExamples(folder);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function run(program: string, ...args: string[]): Promise<string> {
    return new Promise((done, failed) => {
      const child = spawn(program, args, {
        cwd: FOLDER,
        env: environment({
          SLUICE_URL: server.url,
          SLUICE_API_KEY: KEY,
          SIGNED_DELIVERY: JSON.stringify(delivery),
          PYTHONPATH: FOLDER,
          PYTHONDONTWRITEBYTECODE: '1',
        }),
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString();
        });
      child.once('error', failed);
      child.once('close', (status) => done(`${status}\n${output}`));
    });
  }

  it('passes its own tests, with every warning an error', async () => {
    const ran = await run('python3', '-W', 'error', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests');
    expect(ran).toMatch(/^0\n.*^Ran \d\d tests .*^OK$/ms);
  });

  it.each(examples.map((_, index) => index + 1))('has an example %i in docs/python.md that runs', async (index) => {
    expect(await run('python3', join(folder, `example_${index}.py`))).toMatch(/^0\n./);
  });

  it('has the version of the server', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(readFileSync(join(FOLDER, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
  });
});

describe.runIf(spawnSync('mypy', ['--version']).status === 0)('mypy: the types of the Python client', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-mypy-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const judged = (...args: string[]): [status: number | null, said: string] => {
    const env = environment({ PYTHONPATH: FOLDER, MYPY_CACHE_DIR: join(folder, 'cache') });
    const { status, stdout } = spawnSync('mypy', ['--strict', ...args], { cwd: FOLDER, env, encoding: 'utf8' });
    return [status, stdout];
  };

  it('are accepted at the strictest, with those of the examples', () => {
    expect(judged('--python-version', '3.10', 'sluice', 'tests')).toEqual([0, expect.any(String)]);
    expect(judged('--scripts-are-modules', ...writeExamples(folder))).toEqual([0, expect.any(String)]);
  });
});
