/** The snippets for agent programs, each tried as far as it can be without the program: what it says is done. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentSnippets, type Snippet } from '../../console/src/agents/snippets.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { environment, KEY, type Started, startServer } from '../black-box/server.ts';

const PROGRAM = resolve(import.meta.dirname, '../../bin/sluice.mjs');
const agents = agentSnippets({ url: '', key: '', program: '' }).map(({ agent }) => agent);

/** How a program would reach the server: by an address with headers, or by starting a command. */
type Way =
  | { readonly url: string; readonly headers: Record<string, string> }
  | { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };

describe('the snippet for', () => {
  let server: Started;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-snippets-'));
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(agents)('%s leads to the tools', async (agent) => {
    const place = { url: `${server.url}/mcp`, key: KEY, program: PROGRAM };
    const way = wayOf(agentSnippets(place).find((one) => one.agent === agent)!, folder);
    const client = new Client({ name: 'snippets', version: '1.0.0' }, { supportedProtocolVersions: ['2025-11-25'] });
    await client.connect(
      'url' in way
        ? new StreamableHTTPClientTransport(new URL(way.url), { requestInit: { headers: way.headers } })
        : new StdioClientTransport({ ...way, env: environment({ HOME: folder, ...way.env }), stderr: 'inherit' }),
    );
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(TOOLS.length);
    await client.close();
  });
});

function wayOf({ agent, language, text }: Snippet, folder: string): Way {
  if (language === 'sh') return wayOfCommand(text, folder);
  if (language === 'toml') return wayOfToml(text);
  // An address alone leads to a page that asks; test/oauth walks that way. Here a key stands in for the answer.
  if (language === 'text') return { url: text, headers: { Authorization: `Bearer ${KEY}` } };
  const file = JSON.parse(text) as { mcpServers?: { sluice: Entry }; servers?: { sluice: Entry } };
  const entry = (file.mcpServers ?? file.servers)!.sluice;
  if (entry.command !== undefined) return { command: entry.command, args: entry.args!, env: entry.env! };
  const url = entry.url ?? entry.httpUrl ?? entry.serverUrl;
  if (url === undefined) throw new Error(`${agent} is told of no address.`);
  const asked = entry.headers!['Authorization']!.replace(`\${input:sluice-key}`, KEY);
  return { url, headers: { Authorization: asked } };
}

interface Entry {
  readonly command?: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
  readonly url?: string;
  readonly httpUrl?: string;
  readonly serverUrl?: string;
  readonly headers?: Record<string, string>;
}

/** Types the line into a shell in which `claude` notes what it is called with. */
function wayOfCommand(line: string, folder: string): Way {
  const claude = join(folder, 'claude');
  writeFileSync(claude, '#!/bin/sh\nfor argument in "$@"; do printf "%s\\0" "$argument"; done\n');
  chmodSync(claude, 0o755);
  const PATH = `${folder}${delimiter}${process.env['PATH']}`;
  const args = execFileSync('sh', ['-c', line], { env: { PATH }, encoding: 'utf8' }).split('\0');
  expect(args.slice(0, 5)).toEqual(['mcp', 'add', '--transport', 'http', 'sluice']);
  const [name, value] = args[args.indexOf('--header') + 1]!.split(': ');
  return { url: args[5]!, headers: { [name!]: value! } };
}

/** The little of TOML that the snippet uses: strings, a list and a table on one line. */
function wayOfToml(text: string): Way {
  const value = (name: string): string => new RegExp(`^${name} = (.*)$`, 'm').exec(text)![1]!;
  expect(text).toMatch(/^\[mcp_servers\.sluice\]\n/);
  return {
    command: JSON.parse(value('command')) as string,
    args: JSON.parse(value('args')) as string[],
    env: JSON.parse(value('env').replaceAll(/(\w+) = /g, '"$1": ')) as Record<string, string>,
  };
}
