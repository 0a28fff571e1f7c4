/** The action as GitHub runs it: the script of action.yml, a real server, and a stand-in for GitHub's REST interface. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PROGRAM } from '../black-box/program.ts';
import { environment, KEY, type Started, startServer } from '../black-box/server.ts';

const ACTION = resolve(import.meta.dirname, '../../deploy/github-action');
const AUTHOR = 'github-actions[bot]';

interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  body: string;
}

describe('the action that comments a plan', () => {
  let comments: Comment[];
  let failures: number;
  let requests: string[];
  let github: Server;
  let server: Started;
  let folder: string;
  beforeAll(async () => {
    github = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on('end', () => {
        requests.push(`${request.method} ${request.url}`);
        const [status, body] = answer(`${request.method}`, `${request.url}`, request.headers, text);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((done) => github.listen(0, '127.0.0.1', done));
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), 'sluice-action-'));
    writeFileSync(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }));
    writeFileSync(join(folder, 'push.json'), '{}');
  });
  afterAll(async () => {
    github.close();
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    comments = [];
    requests = [];
    failures = 0;
  });

  /** GitHub enforces these: the token, a user agent, and the length of a comment. */
  function answer(
    method: string,
    url: string,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    text: string,
  ): [number, unknown] {
    if (headers['authorization'] !== 'Bearer token-of-github') return [401, { message: 'Bad credentials' }];
    if (headers['user-agent'] === undefined) return [403, { message: 'no user agent' }];
    const { pathname, searchParams } = new URL(url, 'http://github.test');
    if (method === 'GET' && pathname === '/repos/own/rules/issues/7/comments') {
      const size = Math.min(Number(searchParams.get('per_page') ?? 30), 100);
      const from = (Number(searchParams.get('page') ?? 1) - 1) * size;
      return [200, comments.slice(from, from + size)];
    }
    const { body } = JSON.parse(text) as { body: string };
    if (body.length > 65_536) return [422, { message: 'body is too long' }];
    if (method === 'POST' && pathname === '/repos/own/rules/issues/7/comments') {
      const made = { id: comments.length + 1, user: { login: AUTHOR }, body };
      comments.push(made);
      // The comment is made, and its answer is lost.
      return failures-- > 0 ? [502, {}] : [201, made];
    }
    const held = comments.find(({ id }) => pathname === `/repos/own/rules/issues/comments/${id}`);
    if (method !== 'PATCH' || held === undefined) return [404, { message: 'Not Found' }];
    held.body = body;
    return [200, held];
  }

  async function act(rules: string, settings: Record<string, string> = {}) {
    const file = join(folder, 'rules.yaml');
    writeFileSync(file, rules);
    const child = spawn(process.execPath, [join(ACTION, 'comment-plan.mjs')], {
      cwd: folder,
      env: environment({
        PLAN_FILE: 'rules.yaml',
        PLAN_COMMAND: `${process.execPath} ${PROGRAM}`,
        PLAN_AUTHOR: AUTHOR,
        SLUICE_URL: server.url,
        SLUICE_API_KEY: KEY,
        GITHUB_TOKEN: 'token-of-github',
        GITHUB_API_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
        GITHUB_REPOSITORY: 'own/rules',
        GITHUB_EVENT_PATH: join(folder, 'event.json'),
        ...settings,
      }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const code = await new Promise<number | null>((done) => child.once('close', done));
    return { code, output };
  }

  const rule = (name: string, x: string) =>
    `rules:\n  - name: ${JSON.stringify(name)}\n    overrides: { x: ${JSON.stringify(x)} }\n`;
  /** The markdown without what stands in fences. */
  const bare = (body: string) => body.replace(/^(`{3,})\w*\n.*?\n\1$/gms, '');

  it('writes one comment, and updates it', async () => {
    await server.push('x', [{ data: { id: '1', text: 'lava for @everyone' } }]);
    expect(await act(rule('Volcano', 'lava'))).toEqual({ code: 0, output: '' });
    expect(comments).toHaveLength(1);
    expect(comments[0]!.body).toContain('### Sluice: 1 change, 0 rules unchanged');
    expect(comments[0]!.body).toContain('+   x: lava\n  x: +1 / -0 of 1 recent event (of less than ten minutes');
    expect(comments[0]!.body).toContain('+     lava for @everyone');
    expect(bare(comments[0]!.body)).not.toContain('@');
    expect((await act(rule('Volcano', 'magma'))).code).toBe(0);
    expect((await act('rules: []\n')).code).toBe(0);
    expect(comments).toHaveLength(1);
    expect(comments[0]!.body).toContain('### Sluice: nothing to change');
  });

  it('keeps names and texts from pinging people or breaking out of their block', async () => {
    const name = '@octocat ````\n````\n<!-- --> [a](https://a.test) \u202e';
    expect((await act(rule(name, '"@octocat ``` #1"'))).code).toBe(0);
    const outside = bare(comments[0]!.body);
    expect(comments[0]!.body).toContain('@octocat');
    expect(comments[0]!.body).not.toContain('\u202e');
    expect(outside.replace(/^<!-- [^>]* -->/, '').trim()).toBe('### Sluice: 1 change, 0 rules unchanged');
  });

  it('finds its comment behind a page of others, and leaves a copy of its first line by someone else alone', async () => {
    await act(rule('Volcano', 'lava'));
    const own = comments[0]!;
    const copy = { id: 1_000, user: { login: 'mallory' }, body: own.body };
    const others = Array.from({ length: 120 }, (_, at) => ({ id: 2_000 + at, user: { login: 'ann' }, body: 'hello' }));
    comments = [copy, ...others, own];
    await act(rule('Volcano', 'magma'));
    expect(comments).toHaveLength(122);
    expect(own.body).toContain('magma');
    expect(copy.body).not.toContain('magma');
  });

  it('does not write a second comment when the answer to the first was lost', async () => {
    failures = 1;
    expect((await act(rule('Volcano', 'lava'))).code).toBe(0);
    expect(comments).toHaveLength(1);
    expect(requests.map((one) => one.split(' ')[0])).toEqual(['GET', 'POST', 'GET', 'PATCH']);
  });

  it('fails, and says why in the comment, for a wrong file and for a sample that fails', async () => {
    expect((await act(rule('Volcano', 'lava AND magma'))).code).toBe(1);
    expect(comments[0]!.body).toContain('### Sluice: the file cannot be applied');
    expect(comments[0]!.body).toContain('rules.yaml:3:');
    expect((await act(`${rule('Volcano', 'lava')}    must_match: [calm]\n`)).code).toBe(1);
    expect(comments[0]!.body).toContain('1 sample: 0 passed, 1 failed.');
  });

  it('fits a plan of very many changes into one comment', async () => {
    const many = Array.from(
      { length: 300 },
      (_, at) => `  - name: Rule ${at}\n    overrides: { x: ${'lava '.repeat(60)} }\n`,
    );
    expect((await act(`rules:\n${many.join('')}`, { PLAN_OPTIONS: '--no-measure' })).code).toBe(0);
    expect(comments[0]!.body).toMatch(/\d+ further changes did not fit\.$/);
  });

  it('asks GitHub for nothing outside of a pull request, and says so where a fork has no key', async () => {
    const summary = join(folder, 'summary.md');
    const settings = { GITHUB_EVENT_PATH: join(folder, 'push.json'), GITHUB_STEP_SUMMARY: summary };
    expect((await act(rule('Volcano', 'lava'), settings)).code).toBe(0);
    expect(readFileSync(summary, 'utf8')).toContain('### Sluice: 1 change');
    const refused = await act(rule('Volcano', 'lava'), { SLUICE_API_KEY: '' });
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('forks') as string });
    expect(requests).toEqual([]);
  });

  it('takes its inputs from the environment alone', () => {
    const { runs, inputs } = parse(readFileSync(join(ACTION, 'action.yml'), 'utf8')) as {
      runs: { steps: { run: string; env: Record<string, string> }[] };
      inputs: Record<string, unknown>;
    };
    expect(runs.steps.map(({ run }) => run)).toEqual(['node "$GITHUB_ACTION_PATH/comment-plan.mjs"']);
    const passed = Object.values(runs.steps[0]!.env).map((value) => /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1]);
    expect(new Set(passed)).toEqual(new Set(Object.keys(inputs)));
  });
});
