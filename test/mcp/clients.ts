/** Official clients of the protocol, of every revision that is served, over both transports. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PROGRAM } from '../black-box/program.ts';
import { environment, KEY } from '../black-box/server.ts';

export const NEWEST = '2026-07-28';
export const REVISIONS = [NEWEST, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export interface ToolResult {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

/** The answer of a tool that did not fail. */
export const answered = <T = Readonly<Record<string, unknown>>>({ content }: ToolResult): T =>
  JSON.parse(content[0]!.text) as T;

export interface Agent extends AsyncDisposable {
  readonly client: Client | OlderClient;
  call(name: string, input?: object): Promise<ToolResult>;
}

const INFO = { name: 'sluice-tests', version: '1.0.0' };
const key = (secret: string) => ({ requestInit: { headers: { authorization: `Bearer ${secret}` } } });

/** A client that speaks this revision and no other. */
export function clientOf(revision: string): Client {
  if (revision === NEWEST) return new Client(INFO, { versionNegotiation: { mode: { pin: NEWEST } } });
  return new Client(INFO, { supportedProtocolVersions: [revision] });
}

export async function overHttp(url: string, revision = NEWEST, secret = KEY): Promise<Agent> {
  const client = clientOf(revision);
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), key(secret)));
  return agentOf(client);
}

/** The client package of the generation before. */
export async function olderOverHttp(url: string, secret = KEY): Promise<Agent> {
  const client = new OlderClient(INFO);
  await client.connect(new OlderTransport(new URL('/mcp', url), key(secret)));
  return agentOf(client);
}

/** `sluice mcp` as a child: relayed where the settings have SLUICE_URL, else embedded with a data folder of its own. */
export async function overStdio(
  revision: string,
  settings: Record<string, string>,
  args: readonly string[] = [],
): Promise<Agent> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mcp-'));
  const client = clientOf(revision);
  const env = environment({ HOME: folder, XDG_DATA_HOME: folder, SLUICE_LOG_LEVEL: 'error', ...settings });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', ...args], env, stderr: 'inherit' }),
  );
  return agentOf(client, () => rmSync(folder, { recursive: true, force: true }));
}

function agentOf(client: Client | OlderClient, clean = () => {}): Agent {
  return {
    client,
    async call(name, input = {}) {
      return (await client.callTool({ name, arguments: { ...input } })) as unknown as ToolResult;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      clean();
    },
  };
}
