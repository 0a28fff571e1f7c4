/**
 * Documents that are known here, for networks that the hosts of these documents do not answer. A program that poses as one
 * of these gains nothing: the answer goes to that host, or to a program on the person's own computer.
 */
import type { OAuthClient } from './client-document.ts';

const LOCAL_CALLBACKS = ['http://localhost/callback', 'http://127.0.0.1/callback'];

const known = (id: string, name: string, redirectUris: readonly string[]): [string, OAuthClient] => [
  id,
  { id, name, redirectUris, secretDigest: undefined, isVerified: true },
];

export const KNOWN_CLIENTS: ReadonlyMap<string, OAuthClient> = new Map([
  known('https://chatgpt.com/oauth/client.json', 'ChatGPT', ['https://chatgpt.com/connector_platform_oauth_redirect']),
  known('https://chatgpt.com/oauth/codex/client.json', 'Codex', LOCAL_CALLBACKS),
  known('https://claude.ai/oauth/mcp-oauth-client-metadata', 'Claude', [
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
  ]),
  known('https://claude.ai/oauth/claude-code-client-metadata', 'Claude Code', LOCAL_CALLBACKS),
  known('https://vscode.dev/oauth/client-metadata.json', 'Visual Studio Code', [
    'http://127.0.0.1/',
    'http://127.0.0.1:33418/',
    'https://vscode.dev/redirect',
    'https://insiders.vscode.dev/redirect',
  ]),
]);
