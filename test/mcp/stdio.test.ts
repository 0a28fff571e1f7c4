/** `sluice mcp` as a program: its output is the protocol and nothing else, and it ends when its input does. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { userDataFolder } from '../../src/app/mcp-stdio.ts';
import { PROGRAM } from '../black-box/program.ts';
import { environment } from '../black-box/server.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly complaints: string;
}

/** Sends the lines, and ends the input once as many lines have come back. */
function converse(settings: Record<string, string>, lines: readonly string[], answers: number): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env: environment(settings), stdio: 'pipe' });
  let [output, complaints] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.split('\n').length > answers) child.stdin.end();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  child.stdin.write(lines.map((line) => `${line}\n`).join(''));
  if (answers === 0) child.stdin.end();
  return new Promise((done) => child.once('close', (code) => done({ code, output, complaints })));
}

describe('sluice mcp', () => {
  it('writes the protocol and nothing else, logs beside it, and ends with its input', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-mcp-'));
    const settings = { HOME: folder, XDG_DATA_HOME: join(folder, 'share'), SLUICE_LOG_LEVEL: 'debug' };
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const { code, output } = await converse(settings, [JSON.stringify(INITIALIZE), JSON.stringify(ping)], 2);
    const messages = output.trimEnd().split('\n');
    expect(messages.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'share', 'sluice', 'sluice.db'))).toBe(true);
    rmSync(folder, { recursive: true });
  });

  it('answers what is no JSON, relayed, as the protocol wants it', async () => {
    const settings = { SLUICE_URL: 'http://127.0.0.1:1', SLUICE_API_KEY: 'a-key-of-nobody-at-all' };
    const { output, code } = await converse(settings, ['{"jsonrpc":', '', JSON.stringify(INITIALIZE)], 2);
    const [first, second] = output.trimEnd().split('\n');
    expect(JSON.parse(first!)).toMatchObject({ id: null, error: { code: -32_700 } });
    expect(JSON.parse(second!)).toMatchObject({ id: 1, error: { message: expect.stringContaining('no answer') } });
    expect(code).toBe(0);
  });

  it('says what it lacks on standard error, and ends with 2', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-mcp-'));
    const settings = { HOME: folder, SLUICE_URL: 'http://127.0.0.1:1' };
    const { code, output, complaints } = await converse(settings, [], 0);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(complaints).toContain('SLUICE_API_KEY');
    rmSync(folder, { recursive: true });
  });
});

describe('the data folder of the user', () => {
  it.each([
    [{ HOME: '/home/ada' }, 'linux', '/home/ada/.local/share/sluice'],
    [{ HOME: '/home/ada', XDG_DATA_HOME: '/data/ada' }, 'linux', '/data/ada/sluice'],
    [{ HOME: '/Users/ada' }, 'darwin', '/Users/ada/Library/Application Support/sluice'],
    [{ HOME: 'C:\\Users\\ada', LOCALAPPDATA: 'D:\\Local' }, 'win32', 'D:\\Local\\sluice'],
    [{ HOME: 'C:\\Users\\ada' }, 'win32', 'C:\\Users\\ada\\AppData\\Local\\sluice'],
  ] as const)('%j on %s is %s', (env, platform, folder) => {
    expect(userDataFolder(env, platform)).toBe(folder);
  });
});
