/** How programs call this server, filled in with its address and a key. Pure. */
export interface ProgramSnippet {
  readonly label: string;
  readonly text: string;
}

/** `server` ends with a slash. */
const base = (server: string): string => server.replace(/\/$/, '');

export const programSnippets = (server: string, key = 'sk_…'): ProgramSnippet[] => [
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
    label: 'Send in events of your own',
    text: `curl -s "${server}events?platform=x" \\\n  -H "Authorization: Bearer ${key}" \\\n  -H 'Content-Type: application/x-ndjson' \\\n  --data-binary '{"data":{"id":"1","text":"The volcano is erupting."}}'`,
  },
];
