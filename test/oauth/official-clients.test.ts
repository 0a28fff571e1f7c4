/** The protocol's own clients connect by the address alone: discovery, registration or document, consent, tokens. */
import { createHash } from 'node:crypto';
import {
  auth,
  Client,
  IssuerMismatchError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { type OAuthClientProvider as OlderProvider, auth as olderAuth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { documentOf, LOCAL_NAMES, startDocumentHost } from './documents.ts';
import { type Served, serve } from './served.ts';

const INFO = { name: 'sluice-tests', version: '1.0.0' };
const CALLBACK = 'http://127.0.0.1:3111/callback';

/** A program that keeps in memory what it gets. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'Official client', redirect_uris: [CALLBACK] };
  readonly clientMetadataUrl?: string;
  readonly sentTo: URL[] = [];
  private readonly kept = new Map<string, unknown>();

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  private get<T>(name: string): T | undefined {
    return this.kept.get(name) as T | undefined;
  }
  state = () => 'a-state';
  clientInformation = () => this.get<{ client_id: string }>('client');
  saveClientInformation = (client: unknown) => void this.kept.set('client', client);
  tokens = () => this.get<{ access_token: string; token_type: string; refresh_token?: string }>('tokens');
  saveTokens = (tokens: unknown) => void this.kept.set('tokens', tokens);
  redirectToAuthorization = (url: URL) => void this.sentTo.push(url);
  saveDiscoveryState = (state: unknown) => void this.kept.set('discovery', state);
  discoveryState = () => this.get<OAuthDiscoveryState>('discovery');
  saveCodeVerifier = (verifier: string) => void this.kept.set('verifier', verifier);
  codeVerifier = () => this.get<string>('verifier')!;
}

async function connect(served: Served, program: Program, scopes?: readonly string[]): Promise<void> {
  const serverUrl = `${served.url}/mcp`;
  const transport = new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: program });
  await expect(new Client(INFO).connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
  const answer = await served.allow(program.sentTo.at(-1)!, scopes);
  expect(answer.href.startsWith(CALLBACK)).toBe(true);
  expect(answer.searchParams.get('state')).toBe('a-state');
  const [authorizationCode, iss] = [answer.searchParams.get('code')!, answer.searchParams.get('iss')!];
  expect(await auth(program, { serverUrl, authorizationCode, iss })).toBe('AUTHORIZED');
}

async function toolsOf(served: Served, program: Program): Promise<string[]> {
  const client = new Client(INFO);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), { authProvider: program }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

describe('the official client', () => {
  it('registers, is allowed, calls tools, and refreshes its token by itself after an hour', async () => {
    await using served = await serve();
    const program = new Program();
    await connect(served, program);
    const asked = program.sentTo[0]!.searchParams;
    expect([asked.get('resource'), asked.get('code_challenge_method')]).toEqual([`${served.url}/mcp`, 'S256']);
    expect(asked.get('scope')!.split(' ')).toEqual(expect.arrayContaining(['read', 'full', 'events']));
    expect(await toolsOf(served, program)).toContain('create_rule');
    const first = program.tokens()!.access_token;
    served.app.clock.forward(60 * 60_000);
    expect(await toolsOf(served, program)).toContain('create_rule');
    expect(program.tokens()!.access_token).not.toBe(first);
    expect(program.sentTo).toHaveLength(1);
  });

  it('is known by the document on its own host, which is read over TLS', async () => {
    await using host = await startDocumentHost();
    await using served = await serve({ realTime: true, delivery: LOCAL_NAMES });
    const url = host.url('/official.json');
    host.answers.set('/official.json', { body: documentOf(url) });
    const program = new Program(url);
    await connect(served, program);
    expect(program.clientInformation()).toMatchObject({ client_id: url });
    expect(host.asked).toEqual(['/official.json']);
    expect(await toolsOf(served, program)).toContain('list_matches');
  });

  it('asks the person again when a tool needs more than it was allowed', async () => {
    await using served = await serve();
    const program = new Program();
    await connect(served, program, ['read']);
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), { authProvider: program }));
    await expect(client.callTool({ name: 'create_rule', arguments: {} })).rejects.toBeInstanceOf(UnauthorizedError);
    const again = program.sentTo.at(-1)!;
    expect([program.sentTo.length, again.searchParams.get('scope')!.split(' ').includes('full')]).toEqual([2, true]);
    const answer = await served.allow(again);
    const iss = answer.searchParams.get('iss')!;
    await auth(program, { serverUrl: `${served.url}/mcp`, authorizationCode: answer.searchParams.get('code')!, iss });
    expect(await toolsOf(served, program)).toContain('create_rule');
    await client.close();
  });

  it('refuses an answer that another server gave', async () => {
    await using served = await serve();
    const program = new Program();
    const serverUrl = `${served.url}/mcp`;
    expect(await auth(program, { serverUrl })).toBe('REDIRECT');
    const answer = await served.allow(program.sentTo.at(-1)!);
    const authorizationCode = answer.searchParams.get('code')!;
    await expect(auth(program, { serverUrl, authorizationCode, iss: 'https://evil.example' })).rejects.toBeInstanceOf(
      IssuerMismatchError,
    );
  });
});

describe('the client of the generation before', () => {
  it('registers, is allowed and calls tools', async () => {
    await using served = await serve();
    const serverUrl = `${served.url}/mcp`;
    const program = new Program();
    const provider = program as unknown as OlderProvider;
    expect(await olderAuth(provider, { serverUrl })).toBe('REDIRECT');
    const challenge = createHash('sha256').update(program.codeVerifier()).digest('base64url');
    expect(program.sentTo[0]!.searchParams.get('code_challenge')).toBe(challenge);
    const answer = await served.allow(program.sentTo[0]!);
    expect(await olderAuth(provider, { serverUrl, authorizationCode: answer.searchParams.get('code')! })).toBe(
      'AUTHORIZED',
    );
    const client = new OlderClient(INFO);
    await client.connect(new OlderTransport(new URL(serverUrl), { authProvider: provider }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_rule');
    await client.close();
  });
});
