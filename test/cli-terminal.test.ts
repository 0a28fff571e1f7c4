/** The command line as a person at a terminal has it: questions, colours, and a stream to watch. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './black-box/cli.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';
import { hasPseudoTerminal, openTerminal } from './stages/pseudo-terminal.ts';

const ENTER = '\r';
const CTRL_C = '\u0003';
const DOWN = '\u001b[B';

describe.runIf(hasPseudoTerminal)('at a terminal', () => {
  let server: Started;
  let folder: string;
  let settings: Record<string, string>;
  beforeAll(async () => {
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), 'sluice-terminal-'));
    settings = { HOME: folder, SLUICE_URL: server.url, SLUICE_API_KEY: KEY };
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const rules = async () => (await server.call('GET', '/api.ListRules')).body['rules'] as Record<string, unknown>[];

  it('asks for a rule, says what is wrong with it with carets, tries it, and creates it', async () => {
    await server.push('x', [{ data: { id: '1', text: 'The volcano sleeps.' } }]);
    const terminal = openTerminal(['rules', 'create'], settings);
    await terminal.see('Name');
    terminal.type(`Volcanoes${ENTER}`);
    await terminal.see('What is it for?');
    terminal.type(`To see them.${ENTER}`);
    await terminal.see('Where should it look?');
    terminal.type(ENTER);
    await terminal.see('Rule for x');
    terminal.type(`volcano AND lava${ENTER}`);
    await terminal.see('^^^');
    await terminal.see('try  volcano lava');
    terminal.type(`${'\u007f'.repeat(9)}${ENTER}`);
    await terminal.see('1 of the last 1 event would have matched');
    await terminal.see('Create it?');
    terminal.type(ENTER);
    await terminal.see('Created rule_');
    expect(await terminal.ended).toBe(0);
    expect(await rules()).toMatchObject([
      { name: 'Volcanoes', intent: 'To see them.', platforms: { x: { translated_value: 'volcano' } } },
    ]);
  });

  it('asks before it deletes, and takes no for an answer', async () => {
    const no = openTerminal(['rules', 'delete', 'Volcanoes'], settings);
    await no.see('Delete "Volcanoes"');
    no.type(ENTER);
    await no.see('Nothing was done');
    expect(await no.ended).toBe(0);
    const interrupted = openTerminal(['rules', 'delete', 'Volcanoes'], settings);
    await interrupted.see('Delete "Volcanoes"');
    interrupted.type(CTRL_C);
    expect(await interrupted.ended).toBe(130);
    expect(await rules()).toHaveLength(1);
    const yes = openTerminal(['rules', 'delete', 'Volcanoes', '--yes'], settings);
    await yes.see('1 rule deleted');
    expect(await yes.ended).toBe(0);
    expect(await rules()).toHaveLength(0);
  });

  it('shows a plan and asks before it applies it', async () => {
    const file = join(folder, 'rules.yaml');
    writeFileSync(file, 'rules:\n  - name: Lava\n    overrides: { x: lava }\n');
    const terminal = openTerminal(['rules', 'apply', file], settings);
    await terminal.see('+ create');
    await terminal.see('Make these changes?');
    terminal.type(`y`);
    await terminal.see('✓ create Lava');
    expect(await terminal.ended).toBe(0);
    expect(await rules()).toMatchObject([{ name: 'Lava' }]);
  });

  it('logs in without showing the key, and keeps it to its owner', async () => {
    const home = join(folder, 'home');
    const terminal = openTerminal(['login'], { HOME: home });
    await terminal.see('Address of the server');
    terminal.type(`${'\u007f'.repeat(40)}${server.url}${ENTER}`);
    await terminal.see('API key');
    terminal.type(`${KEY}${ENTER}`);
    await terminal.see('Logged in');
    expect(await terminal.ended).toBe(0);
    expect(terminal.raw()).not.toContain(KEY);
    const path = join(home, '.config', 'sluice', 'credentials.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ url: server.url, key: KEY });
    expect((await run(['status'], { HOME: home })).code).toBe(0);
  });

  it('shows matches with what matched in colour, as they come in', async () => {
    const terminal = openTerminal(['tail', '--rule', 'Lava'], settings);
    await terminal.see('Waiting for matches');
    await server.push('x', [{ data: { id: '7', text: 'Hot \u001b lava\u0007 flows.' } }]);
    await terminal.see('flows.');
    expect(terminal.raw()).toContain('\u001b[33mlava\u001b[39m');
    expect(terminal.raw()).not.toContain('\u0007');
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(0);
    const listed = openTerminal(['matches'], settings);
    await listed.see('flows.');
    await listed.see('https://x.com/i/status/7');
    expect(await listed.ended).toBe(0);
  });

  it('neither asks nor colours where one end is no terminal, or a person does not want colours', async () => {
    const piped = openTerminal(['rules', 'list'], { ...settings, NO_COLOR: '1' });
    await piped.see('Lava');
    await piped.ended;
    expect(piped.raw()).not.toContain('\u001b[');
    const ran = await run(['rules', 'list'], { ...settings, NO_COLOR: '', CI: '1' });
    expect(ran.stdout).not.toContain('\u001b[');
    const create = await run(['rules', 'create', '--name', 'n'], settings);
    expect([create.code, create.stderr]).toEqual([2, expect.stringContaining('--x or --firehose')]);
  });

  it('asks for both platforms when both are chosen', async () => {
    const terminal = openTerminal(['rules', 'create', '--name', 'Both', '--intent', 'both'], settings);
    await terminal.see('Where should it look?');
    terminal.type(`${DOWN} `);
    terminal.type(ENTER);
    await terminal.see('Rule for x');
    terminal.type(`etna${ENTER}`);
    await terminal.see('Rule for firehose');
    terminal.type(`title:etna${ENTER}`);
    await terminal.see('Create it?');
    terminal.type(ENTER);
    expect(await terminal.ended).toBe(0);
    expect(await rules()).toContainEqual(
      expect.objectContaining({ platforms: { x: expect.anything(), firehose: expect.anything() } }),
    );
  });
});
