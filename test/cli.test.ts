/** The command line as a script calls it: the real program against a real server, with nobody at a terminal. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './black-box/cli.ts';
import { PROGRAM } from './black-box/program.ts';
import { environment, KEY, type Started, startServer } from './black-box/server.ts';

let server: Started;
let folder: string;
let settings: Record<string, string>;
beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  settings = { HOME: folder, SLUICE_URL: server.url, SLUICE_API_KEY: KEY };
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const sluice = (...args: string[]) => run(args, settings);
async function json<Value>(...args: string[]): Promise<Value> {
  const ran = await sluice(...args, '--json');
  if (ran.code !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout) as Value;
}
interface Rules {
  readonly rules: readonly { id: string; name: string; paused: boolean; version: number; platforms: object }[];
}
/** The rules that the server has, however it was told. */
const rules = async () => ((await server.call('GET', '/api.ListRules')).body as unknown as Rules).rules;
const addRule = async (name: string, x: string): Promise<string> => {
  const rule = { name, intent: '', platforms: ['x'], overrides: { x } };
  return (await server.call('POST', '/api.CreateRule', rule)).body['rule_id'] as string;
};
const deleteRule = (rule_id: string) => server.call('POST', '/api.DeleteRule', { rule_id });

describe('sluice rules', () => {
  it('creates from flags, shows by id and by name, and deletes all or none', async () => {
    const made = await json<{ rule_id: string }>(
      'rules',
      'create',
      '--name',
      'Etna',
      '--intent',
      'Why',
      '--x',
      'etna',
      '--firehose',
      'title:etna',
      '--quality',
    );
    const shown = await json('rules', 'show', made.rule_id);
    expect(shown).toMatchObject({
      id: made.rule_id,
      intent: 'Why',
      platforms: { x: { translated_value: 'etna' }, firehose: { options: { quality: true } } },
    });
    expect(await json('rules', 'show', 'Etna')).toEqual(shown);
    expect((await sluice('rules', 'show', 'Etna')).stdout).toMatch(/intent +Why\n.*rule +title:etna/s);
    expect((await sluice('rules', 'delete', 'Etna', 'Vesuvius')).stderr).toContain('There is no rule "Vesuvius"');
    expect(await rules()).toHaveLength(1);
    expect(await json('rules', 'delete', 'Etna')).toEqual({ deleted: [made.rule_id] });
    expect(await json('rules', 'list', '--deleted')).toMatchObject({ rules: [{ id: made.rule_id, name: 'Etna' }] });
    expect((await sluice('rules', 'restore', 'Etna', 'Vesuvius')).stderr).toContain('No deleted rule "Vesuvius"');
    expect(await json('rules', 'restore', 'Etna')).toEqual({ restored: [made.rule_id] });
    await deleteRule(made.rule_id);
    expect((await sluice('rules', 'list')).stdout).toContain('There are no rules yet');
  });

  it('puts carets under what the server refuses', async () => {
    const ran = await sluice('rules', 'create', '--name', 'n', '--x', 'lava AND magma');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('invalid_argument');
    expect(ran.stderr).toContain('  lava AND magma\n       ^^^\n');
    expect(ran.stderr).toContain('try  lava magma');
    const refused = await sluice('rules', 'create', '--name', 'n', '--x', 'lava AND magma', '--json');
    expect(JSON.parse(refused.stderr)).toMatchObject({
      code: 'failed',
      details: { issues: [{ path: 'overrides.x', position: { start: 5, end: 8 } }] },
    });
  });
});

describe('rules in a file', () => {
  const file = () => join(folder, 'rules.yaml');

  it('are tested by their samples without a server, and not applied while one fails', async () => {
    const sampled = join(folder, 'sampled.yaml');
    const text = (sample: string) =>
      `rules:\n  - name: Sampled\n    overrides: { x: lava erupting }\n    must_match:\n      - ${sample}\n`;
    writeFileSync(sampled, text('lava erupts'));
    const alone = await run(['rules', 'test', sampled], { HOME: folder });
    expect(alone).toMatchObject({ code: 1, stderr: '' });
    expect(alone.stdout).toContain(`${sampled}:5:9: Sampled, x, must_match: It does not match`);
    const refused = await sluice('rules', 'apply', sampled);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('nothing was changed');
    expect(await rules()).toEqual([]);
    expect((await sluice('rules', 'export', sampled)).code).toBe(2);
    expect(await json('rules', 'plan', sampled)).toMatchObject({
      samples: { failed: 1 },
      changes: [{ name: 'Sampled' }],
    });
    expect(await json('rules', 'apply', sampled, '--skip-tests')).toMatchObject({ applied: [{ action: 'create' }] });

    writeFileSync(sampled, text('lava is erupting'));
    expect((await run(['rules', 'test', sampled], { HOME: folder })).code).toBe(0);
    expect(await json('rules', 'apply', sampled)).toEqual({ applied: [], unchanged: 1 });
  });

  it('are planned with what the change adds and removes, or with why that is not known', async () => {
    const changed = join(folder, 'changed.yaml');
    writeFileSync(changed, 'rules:\n  - name: Sampled\n    overrides: { x: magma }\n');
    const plan = async (...args: string[]) => (await sluice('rules', 'plan', changed, ...args)).stdout;
    expect(await plan()).toContain('    x: not known: the server has no recent events');
    const posts = ['lava erupting', 'magma', 'more magma', 'calm'].map((text, at) => ({
      data: { id: `9${at}`, text },
    }));
    const pushed = await fetch(`${server.url}/events?platform=x`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-ndjson' },
      body: posts.map((post) => JSON.stringify(post)).join('\n'),
    });
    expect(pushed.status).toBe(200);
    const measured = await plan();
    expect(measured).toMatch(
      / {4}x: \+2 \/ -1 of 4 recent events of too short a time, or in a few bursts; the number a day is not known/,
    );
    expect(measured).toContain('      + more magma\n      + magma\n      - lava erupting\n');
    expect(await plan('--no-measure')).not.toContain('recent events');
    for (const { id } of await rules()) await deleteRule(id);
  });

  it('are planned, applied, and exported as they were', async () => {
    await addRule('Old', 'old');
    await addRule('Both', 'lava');
    writeFileSync(
      file(),
      `rules:
  - name: Both
    overrides: { x: magma }
    paused: true
  - name: New
    intent: Something new
    overrides:
      x: (new OR fresh)
      firehose: title:new
`,
    );
    const plan = await sluice('rules', 'plan', file());
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain('- delete   Old');
    expect(plan.stdout).toContain('    - overrides.x: lava\n    + overrides.x: magma');
    expect(plan.stdout).toContain('1 to create, 1 to update, 0 to replace, 1 to delete, 0 unchanged.');
    expect((await sluice('rules', 'plan', file(), '--exit-code')).code).toBe(3);
    expect(await rules()).toHaveLength(2);

    expect(await json('rules', 'apply', file())).toMatchObject({
      applied: [{ action: 'delete' }, { action: 'update' }, { action: 'create' }],
    });
    expect((await json<Rules>('rules', 'list')).rules).toMatchObject([
      { name: 'Both', paused: true, version: 2 },
      { name: 'New', paused: false },
    ]);
    expect(await json('rules', 'apply', file())).toEqual({ applied: [], unchanged: 2 });
    expect((await sluice('rules', 'plan', file(), '--exit-code')).code).toBe(0);

    const exported = join(folder, 'exported.yaml');
    expect((await sluice('rules', 'export', exported)).code).toBe(0);
    expect((await sluice('rules', 'export')).stdout).toBe(readFileSync(exported, 'utf8'));
    expect(await json('rules', 'plan', exported)).toEqual({ changes: [], unchanged: 2 });
  });

  it('may be added to what is there, and are made anew only where that is asked for by name', async () => {
    writeFileSync(file(), 'rules:\n  - name: Both\n    overrides: { firehose: magma }\n');
    const [before] = await rules();
    const ids = async () => (await rules()).map(({ id }) => id);
    expect(await json('rules', 'apply', file(), '--keep')).toMatchObject({
      applied: [{ action: 'update', name: 'Both', rule_id: before!.id }],
    });
    expect(await ids()).toContain(before!.id);
    expect(await json('rules', 'apply', file(), '--keep', '--replace', 'Both')).toMatchObject({
      applied: [{ action: 'replace', name: 'Both' }],
    });
    expect((await rules()).map(({ name }) => name).toSorted()).toEqual(['Both', 'New']);
    expect(await ids()).not.toContain(before!.id);
    expect(await sluice('rules', 'plan', file(), '--replace', 'Nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The file has no rule named "Nobody" to replace.') as string,
    });
    const piped = await run(['rules', 'apply', '-', '--json'], settings, 'rules: []\n');
    expect(JSON.parse(piped.stdout)).toMatchObject({ applied: [{ action: 'delete' }, { action: 'delete' }] });
    expect(await rules()).toEqual([]);
  });

  it('change nothing at all when something is wrong with one of them', async () => {
    writeFileSync(
      file(),
      'rules:\n  - name: Good\n    overrides: { x: lava }\n  - name: Bad\n    overrides:\n      x: lava AND magma\n',
    );
    for (const command of ['plan', 'apply']) {
      const ran = await sluice('rules', command, file());
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain(`${file()}:6:10: Bad, x`);
      expect(ran.stderr).toContain('  lava AND magma\n       ^^^\n');
    }
    expect(await rules()).toEqual([]);
    writeFileSync(file(), 'rules:\n  - nam: Good\n');
    expect(await sluice('rules', 'apply', file())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nam: There is no such field') as string,
    });
    expect((await sluice('rules', 'plan', join(folder, 'nothing.yaml'))).code).toBe(2);
  });
});

describe('sluice tail', () => {
  it('prints what comes in, and goes on when the server comes back', async () => {
    await using first = await startServer();
    const port = new URL(first.url).port;
    await first.call('POST', '/api.CreateRule', { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
    const post = (at: Started, id: string) => at.push('x', [{ data: { id, text: 'lava' } }]);
    await post(first, '1');
    const tail = follow(['tail', '--json', '--last', '5'], { ...settings, SLUICE_URL: first.url });
    expect(await tail.next()).toBe('1');
    await post(first, '2');
    expect(await tail.next()).toBe('2');
    await first.end('SIGTERM');
    await using again = await startServer({ SLUICE_PORT: port }, first.dataDir);
    await post(again, '3');
    expect(await tail.next()).toBe('3');
    expect(await tail.end()).toBe(0);
  });

  it('prints no colours and asks nothing where nobody watches', async () => {
    const ruleId = await addRule('Lava', 'lava');
    const tail = follow(['tail', '--rule', 'Lava', '--last', '1'], { ...settings, CI: '1' }, (line) => line);
    await server.push('x', [{ data: { id: '1', text: 'lava' } }]);
    expect(await tail.next()).toMatch(/^[-\d]{10} [:\d]{8} {2}x {9}Lava$/);
    expect(await tail.next()).toBe('  lava');
    expect(await tail.end()).toBe(0);
    await deleteRule(ruleId);
    expect(await sluice('tail', '--rule', 'Lava')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no rule') as string,
    });
  });
});

/** A command that goes on until it is told to end, line by line. */
function follow(args: string[], env: Record<string, string>, read: (line: string) => string = postId) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return {
    next: async (): Promise<string> => read((await lines.next()).value as string),
    end(): Promise<number | null> {
      child.kill('SIGINT');
      return ended;
    },
  };
}

const postId = (line: string): string => (JSON.parse(line) as { platform_post_id: string }).platform_post_id;

describe('sluice login', () => {
  const path = () => join(folder, '.config', 'sluice', 'credentials.json');

  it('takes the key from standard input, tries it, and stores it for its owner alone', async () => {
    const anywhere = { HOME: folder };
    expect(await run(['status'], anywhere)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('sluice login') as string,
    });
    const wrong = await run(['login', '--url', server.url], anywhere, 'this-is-a-wrong-key\n');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('unauthenticated')]);
    expect(existsSync(path())).toBe(false);
    mkdirSync(join(folder, '.config', 'sluice'), { recursive: true });
    writeFileSync(path(), '{}', { mode: 0o644 });
    const ran = await run(['login', '--url', `${server.url}/`], anywhere, `${KEY}\n`);
    expect(ran.code).toBe(0);
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect((await run(['status'], anywhere)).stdout).toContain(server.url);
  });

  it('gives the stored key to no other server, and lets the environment go before it', async () => {
    const elsewhere = await run(['status'], { HOME: folder, SLUICE_URL: 'http://127.0.0.1:9' });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('no key for http://127.0.0.1:9')]);
    const other = await run(['status'], { HOME: folder, SLUICE_API_KEY: 'this-is-a-wrong-key' });
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('unauthenticated')]);
    expect((await run(['logout'], { HOME: folder })).code).toBe(0);
    expect(existsSync(path())).toBe(false);
  });
});

describe('sluice why', () => {
  const post = (id: string, text: string) => JSON.stringify({ data: { id, text } });
  const why = (...args: string[]) => sluice('why', 'Whirlwinds', ...args);

  it('shows the events that fail by one clause alone, or explains one event', async () => {
    const ruleId = await addRule('Whirlwinds', 'whirlwind ashore -film');
    const body = [post('901', 'whirlwind at sea'), post('902', 'whirlwind ashore, a film')].join('\n');
    const pushed = await fetch(`${server.url}/events?platform=x`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-ndjson' },
      body,
    });
    expect(pushed.status).toBe(200);
    const { stdout, stderr } = await why();
    expect(stderr).toBe('');
    expect(stdout).toContain('It matches 0 of ');
    expect(stdout).toMatch(/1 event fails by ashore alone\n +\S+ +whirlwind at sea\n/);
    expect(stdout).toMatch(/1 event fails by -film alone\n +\S+ +whirlwind ashore, a film\n/);
    expect(await json('why', 'Whirlwinds')).toMatchObject({ platform: 'x', matched: 0 });

    const event = join(folder, 'event.json');
    writeFileSync(event, post('903', 'whirlwind'));
    expect((await why('--event', event)).stdout).toMatch(
      /^It does not match\.\nno {2}all of\nyes {3}text has "whirlwind"\nno {4}text has "ashore"\n/,
    );
    await deleteRule(ruleId);
  });

  it('says what it was asked for wrongly', async () => {
    const ran = await why('--event', join(folder, 'missing.json'));
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('cannot read an event from ')]);
    expect((await why()).stderr).toContain('There is no rule "Whirlwinds"');
  });
});

describe('sluice stories', () => {
  it('prints each story once, with its first title and how many matches it has', async () => {
    await addRule('Harbour', 'harbour');
    const texts = ['Fire at Northline harbour warehouse, two hurt', 'Northline harbour: warehouse fire injures two'];
    const lines = texts.map((text, index) => JSON.stringify({ data: { id: `77${index}`, text } }));
    await fetch(`${server.url}/events?platform=x`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    const { stories } = await json<{ stories: { id: string; size: number }[] }>('stories', '--rule', 'Harbour');
    expect(stories).toMatchObject([{ size: 2, title: texts[0] }]);
    const { stdout } = await sluice('stories', '--rule', 'Harbour', '--platform', 'x');
    expect(stdout).toMatch(new RegExp(`LAST .*\n.*  x   2        ${stories[0]!.id}  ${texts[0]}`));
    expect((await sluice('stories', '--platform', 'firehose')).stdout).toBe('No stories.\n');
  });
});

describe('sluice status and completion', () => {
  it('shows how things are', async () => {
    expect(await json('status')).toMatchObject({ ready: true, platforms: { x: { state: 'ready' } } });
    expect((await sluice('status')).stdout).toMatch(/PLATFORM +SHAPE +STATE/);
  });

  it('completes in bash what there is', async () => {
    const script = (await sluice('completion', 'bash')).stdout;
    const complete = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _sluice; echo "\${COMPREPLY[@]}"`,
          'bash',
          ...words,
        ],
        { encoding: 'utf8' },
      ).trim();
    expect(complete('sluice', 'ru')).toBe('rules');
    expect(complete('sluice', 'rules', 'ex')).toBe('export');
    expect(complete('sluice', 'rules', 'apply', '--k')).toBe('--keep --key');
    expect(complete('sluice', 'matches', '--limit', '3', '--platform', '')).toBe('x firehose');
    expect(complete('sluice', 'completion', 'f')).toBe('fish');
  });

  it.each(['zsh', 'fish'])('knows every command in %s', async (shell) => {
    const script = (await sluice('completion', shell)).stdout;
    for (const word of ['serve', 'rules', 'apply', 'tail', 'keep', 'firehose']) expect(script).toContain(word);
    expect((await sluice('completion', 'tcsh')).code).toBe(2);
  });
});

describe('a failure', () => {
  it('is JSON where JSON was asked for', async () => {
    const ran = await sluice('rules', 'show', 'rule_nothing', '--json');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe('');
    expect(JSON.parse(ran.stderr)).toEqual({ code: 'not_found', message: 'There is no such rule.', details: {} });
  });

  it('is told at once when nobody answers', async () => {
    const ran = await run(['status'], { ...settings, SLUICE_URL: 'http://127.0.0.1:1' });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('is the server running?')]);
  });
});

describe('sluice rate, suggest and draft', () => {
  it('rates a match, suggests from ratings, and drafts a rule from files', async () => {
    const rule_id = await addRule('Ratings', 'northline');
    const lines = (word: string, from: number) =>
      Array.from({ length: 8 }, (_, at) => ({
        data: { id: String(from + at), text: `northline ${word} w${from + at}` },
      }));
    const [wanted, unwanted] = [join(folder, 'wanted.ndjson'), join(folder, 'unwanted.ndjson')];
    const ndjson = (events: readonly object[]) => events.map((event) => JSON.stringify(event)).join('\n');
    writeFileSync(wanted, ndjson(lines('outage', 700)));
    writeFileSync(unwanted, ndjson(lines('hiring', 800)));
    for (const file of [wanted, unwanted]) await sluice('replay', file, '--platform', 'x');
    const drafted = await json<{ value: string }>(
      'draft',
      '--platform',
      'x',
      '--wanted',
      wanted,
      '--unwanted',
      unwanted,
    );
    expect(drafted.value).toBe('outage');
    const { stdout } = await sluice('matches', '--rule', rule_id, '--json');
    const [match] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    expect((await sluice('rate', match!.id, 'irrelevant')).stdout).toBe('Rated irrelevant.\n');
    expect(await json('suggest', 'Ratings')).toMatchObject({ suggestions: [], basis: { rated: 1, recent: 16 } });
    const suggested = (await sluice('suggest', rule_id)).stdout;
    expect(suggested).toMatch(
      /^Nothing that is safe to suggest from 1 rating\. Rate matches with `sluice rate`\.\nThese ratings would decide most/,
    );
    expect(suggested.match(/^match_/gm)).toHaveLength(3);
    expect((await sluice('rate', match!.id, 'none')).stdout).toBe('The rating is taken back.\n');
    expect((await sluice('rate', match!.id, 'maybe')).code).toBe(2);
    await deleteRule(rule_id);
  });
});
