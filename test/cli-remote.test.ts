/** The commands that change rules, explain matches and manage keys on a server that flags name. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './black-box/cli.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';

let server: Started;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-remote-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Nothing in the environment says which server: the flags do. */
const bare = (...args: string[]) => run(args, { HOME: folder });
const sluice = (...args: string[]) => bare(...args, '--url', `${server.url}/`, '--key', KEY);
async function json<Value>(...args: string[]): Promise<Value> {
  const ran = await sluice(...args, '--json');
  if (ran.code !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout) as Value;
}

describe('sluice rules update, pause and resume', () => {
  it('change what is named and leave the rest', async () => {
    await json('rules', 'create', '--name', 'Etna', '--intent', 'Why', '--x', 'etna', '--firehose', 'title:etna');
    expect((await sluice('rules', 'update', 'Etna')).code).toBe(2);
    expect(await json('rules', 'update', 'Etna', '--x', 'etna lava', '--no-nsfw')).toMatchObject({
      name: 'Etna',
      intent: 'Why',
      version: 2,
      platforms: { x: { translated_value: 'etna lava' }, firehose: { options: { nsfw: false } } },
    });
    const { platforms } = await json<{ platforms: object }>('rules', 'update', 'Etna', '--no-firehose');
    expect(Object.keys(platforms)).toEqual(['x']);
    expect((await sluice('rules', 'update', 'Etna', '--x', 'lava AND magma')).stderr).toContain(
      '  lava AND magma\n       ^^^\n',
    );
  });

  it('say that a text can never match', async () => {
    const why = 'No post can match this rule: ash is both required and excluded.';
    expect((await sluice('rules', 'create', '--name', 'Dead', '--x', 'ash -ash')).stderr).toContain(`x: ${why}`);
    expect((await sluice('rules', 'show', 'Dead')).stdout).toContain(why);
    expect((await sluice('rules', 'list')).stdout).toContain('never matches');
    expect((await sluice('rules', 'update', 'Dead', '--x', 'ash')).stderr).toBe('');
    expect((await sluice('rules', 'update', 'Dead', '--x', 'ash -ash')).stderr).toContain(`x: ${why}`);
    await sluice('rules', 'delete', 'Dead', '--yes');
  });

  it('pause and resume all that are named, or none', async () => {
    const paused = async () => (await json<{ paused: boolean }>('rules', 'show', 'Etna')).paused;
    expect((await sluice('rules', 'pause', 'Etna', 'Vesuvius')).stderr).toContain('There is no rule "Vesuvius"');
    expect(await paused()).toBe(false);
    expect((await sluice('rules', 'pause', 'Etna')).stdout).toBe('1 rule paused: "Etna".\n');
    expect(await paused()).toBe(true);
    expect((await sluice('rules', 'resume', 'Etna')).stdout).toBe('1 rule resumed: "Etna".\n');
    expect(await paused()).toBe(false);
  });
});

describe('sluice explain', () => {
  it('shows each part of the rule, and says when the rule has changed since', async () => {
    await fetch(`${server.url}/events?platform=x`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ data: { id: '71', text: 'Etna: lava on the road' } }),
    });
    // One line for each match, and there is one.
    const match = await json<{ id: string }>('matches', '--rule', 'Etna');
    const explained = await sluice('explain', match.id);
    expect(explained.stdout).toMatch(/^etna lava\nyes all of\nyes {3}text has "etna"\nyes {3}text has "lava"\n/);
    expect(await json('explain', match.id)).toMatchObject({ match_id: match.id, explanation: { holds: true } });
    await json('rules', 'update', 'Etna', '--x', 'etna ash');
    expect((await sluice('explain', match.id)).stdout).toMatch(/no {4}text has "ash".*The rule has changed: version/s);
  });
});

describe('sluice keys on a server', () => {
  it('creates, lists and revokes keys of the account that asks', async () => {
    const made = await json<{ id: string; key: string }>('keys', 'create', '--name', 'laptop', '--scope', 'read');
    const listed = await json<{ id: string }[]>('keys', 'list');
    expect(listed.map(({ id }) => id)).toContain(made.id);
    expect((await bare('rules', 'list', '--url', server.url, '--key', made.key)).code).toBe(0);
    const refused = await bare('keys', 'create', '--url', server.url, '--key', made.key);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('permission_denied')]);
    expect((await sluice('keys', 'revoke', made.id)).stdout).toBe(`The key ${made.id} no longer works.\n`);
    expect((await bare('rules', 'list', '--url', server.url, '--key', made.key)).stderr).toContain('unauthenticated');
    expect((await sluice('keys', 'list', '--account', 'other')).code).toBe(2);
  });
});

describe('--url and --key', () => {
  it('are refused where they name nothing', async () => {
    expect(await bare('status', '--url', 'ftp://example.org', '--key', KEY)).toMatchObject({ code: 2 });
    expect(await bare('status', '--url', server.url, '--key', '')).toMatchObject({ code: 2 });
  });

  it('send the key of the environment to no other server', async () => {
    const settings = { HOME: folder, SLUICE_URL: 'https://elsewhere.example', SLUICE_API_KEY: KEY };
    const ran = await run(['status', '--url', server.url], settings);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(`There is no key for ${server.url}.`)]);
  });
});
