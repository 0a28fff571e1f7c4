/**
 * How the common agent programs are told of Sluice: the one source of the console and of docs/agents.md. No snippet runs a
 * package by its name: a program is named by its path, and everything else goes over HTTP. Pure.
 */
export interface Snippet {
  readonly agent: string;
  /** The file that it belongs into, or the place where it is typed. */
  readonly where: string;
  readonly language: 'sh' | 'json' | 'toml' | 'text';
  readonly text: string;
}

export interface SnippetPlace {
  /** The address of the tool server. */
  readonly url: string;
  /** The address that the world sees, where that is another. */
  readonly publicUrl?: string | undefined;
  readonly key: string;
  /** The path of `bin/sluice.mjs`, in a clone or an installed package. */
  readonly program: string;
}

const json = (value: object): string => JSON.stringify(value, undefined, 2);
const quoted = (value: string): string => JSON.stringify(value);

export function agentSnippets({ url, publicUrl = url, key, program }: SnippetPlace): readonly Snippet[] {
  const headers = { Authorization: `Bearer ${key}` };
  const env = { SLUICE_URL: url.replace(/\/mcp$/, ''), SLUICE_API_KEY: key };
  const stdio = { command: 'node', args: [program, 'mcp'], env };
  return [
    {
      agent: 'ChatGPT and claude.ai',
      where: 'Settings, Connectors. The server needs a public address, and asks you on a page of its own.',
      language: 'text',
      text: publicUrl,
    },
    {
      agent: 'Claude Code',
      where: 'a terminal',
      language: 'sh',
      text: `claude mcp add --transport http sluice ${url} --header "Authorization: Bearer ${key}"`,
    },
    {
      agent: 'Claude Code, notified by a channel',
      where: '.mcp.json, then: claude --dangerously-load-development-channels server:sluice',
      language: 'json',
      text: json({ mcpServers: { sluice: { ...stdio, args: [program, 'mcp', '--channel'] } } }),
    },
    {
      agent: 'Claude Desktop',
      where: 'claude_desktop_config.json',
      language: 'json',
      text: json({ mcpServers: { sluice: stdio } }),
    },
    {
      agent: 'Cursor',
      where: '.cursor/mcp.json',
      language: 'json',
      text: json({ mcpServers: { sluice: { url, headers } } }),
    },
    {
      agent: 'Windsurf',
      where: '~/.codeium/windsurf/mcp_config.json',
      language: 'json',
      text: json({ mcpServers: { sluice: { serverUrl: url, headers } } }),
    },
    {
      agent: 'VS Code',
      where: '.vscode/mcp.json',
      language: 'json',
      text: json({
        servers: {
          sluice: { type: 'http', url, headers: { Authorization: `Bearer \${input:sluice-key}` } },
        },
        inputs: [{ id: 'sluice-key', type: 'promptString', description: 'Sluice API key', password: true }],
      }),
    },
    {
      agent: 'Codex',
      where: '~/.codex/config.toml',
      language: 'toml',
      text: [
        '[mcp_servers.sluice]',
        'command = "node"',
        `args = [${stdio.args.map(quoted).join(', ')}]`,
        `env = { SLUICE_URL = ${quoted(env.SLUICE_URL)}, SLUICE_API_KEY = ${quoted(key)} }`,
      ].join('\n'),
    },
    {
      agent: 'Gemini CLI',
      where: '~/.gemini/settings.json',
      language: 'json',
      text: json({ mcpServers: { sluice: { httpUrl: url, headers } } }),
    },
  ];
}
