/** How agents and programs connect, filled in with this server's address and a key. Pure. */
export interface Snippet {
  readonly label: string;
  readonly text: string;
}

/** Shown where the key goes, until one is created. */
export const NO_KEY = 'sk_…';

/** `server` ends with a slash. */
const base = (server: string): string => server.replace(/\/$/, '');

export const agentSnippets = (server: string, key: string): Snippet[] => [
  {
    label: 'Claude Code',
    text: `claude mcp add --transport http sluice ${server}mcp --header "Authorization: Bearer ${key}"`,
  },
  {
    label: 'Claude Desktop, Cursor, Windsurf and others that read mcpServers',
    text: JSON.stringify(
      {
        mcpServers: {
          sluice: { command: 'npx', args: ['sluice', 'mcp'], env: { SLUICE_URL: base(server), SLUICE_API_KEY: key } },
        },
      },
      null,
      2,
    ),
  },
];

export const programSnippets = (server: string, key: string): Snippet[] => [
  {
    label: 'curl: the newest matches',
    text: `curl -s ${server}matches \\\n  -H "Authorization: Bearer ${key}" \\\n  -H 'Content-Type: application/json' \\\n  -d '{"limit":5}'`,
  },
  {
    label: 'TypeScript: matches as they come',
    text: [
      `import { createClient } from 'sluice/client';`,
      '',
      `const client = createClient({ url: '${base(server)}', key: '${key}' });`,
      'for await (const match of client.matches.stream()) console.log(match.rule_name, match.payload);',
    ].join('\n'),
  },
  {
    label: 'Push events of your own',
    text: `curl -s "${server}events?platform=x" \\\n  -H "Authorization: Bearer ${key}" \\\n  -H 'Content-Type: application/x-ndjson' \\\n  --data-binary '{"data":{"id":"1","text":"The volcano is erupting."}}'`,
  },
];
