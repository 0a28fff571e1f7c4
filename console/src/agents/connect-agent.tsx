/** The text to paste into an agent program so that it finds this server. */
import { type ReactNode, useState } from 'react';
import { SERVER } from '../data/client.ts';
import { useGrants } from '../data/queries.ts';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Field } from '../ui/field.tsx';
import { Select } from '../ui/input.tsx';
import { agentSnippets } from './snippets.ts';

const KEY = 'sk_…';
const PROGRAM = '/path/to/sluice/bin/sluice.mjs';

/** With a key that was created in place, the texts are whole. */
export function ConnectAgent({ apiKey = KEY, children }: { apiKey?: string | undefined; children?: ReactNode }) {
  const { data } = useGrants();
  const url = data?.connect_url ?? new URL('mcp', SERVER).href;
  const snippets = agentSnippets({ url, key: apiKey, program: PROGRAM });
  const [agent, setAgent] = useState(snippets[1]!.agent);
  const chosen = snippets.find((one) => one.agent === agent)!;
  return (
    <Card title="Give an agent the tools of Sluice">
      <div className="grid gap-3">
        {children}
        <Field label="Agent program" hint={chosen.where}>
          {(control) => (
            <Select {...control} value={agent} onChange={({ target }) => setAgent(target.value)}>
              {snippets.map((one) => (
                <option key={one.agent}>{one.agent}</option>
              ))}
            </Select>
          )}
        </Field>
        <pre className="rounded-md border border-line-strong bg-sunken p-2.5 font-mono text-xs break-all whitespace-pre-wrap">
          <code>{chosen.text}</code>
        </pre>
        <div>
          <CopyButton text={chosen.text} label="Copy snippet" />
        </div>
        {chosen.text.includes(KEY) && <p className="text-xs text-soft">Put a key of this account in place of {KEY}</p>}
        {chosen.text.includes(PROGRAM) && (
          <p className="text-xs text-soft">Put the path of your copy of Sluice in place of {PROGRAM}</p>
        )}
      </div>
    </Card>
  );
}
