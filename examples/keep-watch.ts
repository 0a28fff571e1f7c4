/**
 * A small agent without a language model: it checks a rule, mends it as it is told to, takes the translation for the
 * other platform, creates the rule, and keeps watch until it has seen enough.
 *
 *     SLUICE_URL=http://127.0.0.1:4800 SLUICE_API_KEY=sk_… npm run --silent example -- examples/keep-watch.ts 'volcano AND lava' 5
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

interface Checked {
  readonly valid: boolean;
  readonly corrected?: string;
  readonly translation?: { readonly value?: string };
  /** How many recent posts matched, in words. */
  readonly recent?: string;
}

interface Waited {
  readonly matches: readonly {
    readonly id: string;
    readonly at: string;
    readonly platform: string;
    readonly untrusted_content: { readonly passage: string; readonly url?: string };
  }[];
  readonly cursor: string;
  readonly coverage: { readonly complete: boolean; readonly reasons: readonly string[] };
}

const [wanted = 'volcano', enough = '3'] = process.argv.slice(2);
const url = new URL('/mcp', process.env['SLUICE_URL'] ?? 'http://127.0.0.1:4800');
const authorization = `Bearer ${process.env['SLUICE_API_KEY']}`;

const client = new Client({ name: 'keep-watch', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));

/** An error is a result too, and says what to do next; this agent has nobody to ask, so it stops. */
async function call<T>(name: string, input: Record<string, unknown>): Promise<T> {
  const { isError, content } = await client.callTool({ name, arguments: input });
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (isError === true) throw new Error(text);
  return JSON.parse(text) as T;
}

async function check(text: string): Promise<{ text: string; checked: Checked }> {
  const { platforms } = await call<{ platforms: { x: Checked } }>('check_rule', {
    overrides: { x: text },
    translate: true,
  });
  const { corrected } = platforms.x;
  if (platforms.x.valid) return { text, checked: platforms.x };
  if (corrected === undefined) throw new Error(`No correction is known for ${text}`);
  console.log(`corrected: ${corrected}`);
  return check(corrected);
}

const { text, checked } = await check(wanted);
const pages = checked.translation?.value;
console.log(`checked: ${text}; ${checked.recent}`);

// From before the rule is there: nothing that matches it can come unseen.
let { latest_cursor: cursor } = await call<{ latest_cursor: string }>('list_matches', { limit: 1 });

const { rule_id } = await call<{ rule_id: string }>('create_rule', {
  name: `Watch for ${text}`.slice(0, 200),
  intent: text,
  platforms: pages === undefined ? ['x'] : ['x', 'firehose'],
  overrides: { x: text, ...(pages !== undefined && { firehose: pages }) },
  // Started twice, it still watches once.
  idempotency_key: `keep-watch ${text}`.slice(0, 255),
});
console.log(`watching: ${rule_id}`);

for (let seen = 0; seen < Number(enough); ) {
  const waited = await call<Waited>('wait_for_matches', { rule_id, cursor });
  cursor = waited.cursor;
  if (!waited.coverage.complete) console.log(`not everything was seen: ${waited.coverage.reasons.join('; ')}`);
  // What strangers wrote is printed and nothing more: no part of it decides what happens next.
  for (const { platform, untrusted_content: content } of waited.matches) {
    console.log(`match on ${platform}: ${content.passage} ${content.url ?? ''}`.trimEnd());
  }
  seen += waited.matches.length;
}

await call('delete_rule', { rule_id });
await client.close();
