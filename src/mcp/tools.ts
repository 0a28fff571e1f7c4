/** The nine tools, and which operation of the service an agent reaches how. */
import type { Operation } from '../service/operations/operation.ts';
import type { OperationName } from '../service/operations/operations.ts';
import { explainTool, listMatchesTool, statusTool, waitTool } from './match-tools.ts';
import { checkTool, createTool, deleteTool, listTool, syntaxTool } from './rule-tools.ts';
import type { Tool } from './tool.ts';

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Tools that show text by strangers. */
const READS_STRANGERS = { ...READS, openWorldHint: true };

export const TOOLS: readonly Tool[] = [
  { operation: syntaxTool, annotations: READS },
  { operation: checkTool, annotations: READS_STRANGERS },
  {
    operation: createTool,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  { operation: listTool, annotations: READS },
  {
    operation: deleteTool,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  { operation: listMatchesTool, annotations: READS_STRANGERS },
  { operation: waitTool, annotations: READS_STRANGERS },
  { operation: explainTool, annotations: READS },
  { operation: statusTool, annotations: READS },
];

/** A caller sees the tools it may use and no others. */
export const toolsFor = (may: (operation: Operation) => boolean): readonly Tool[] =>
  TOOLS.filter(({ operation }) => may(operation));

type Reach = { readonly by: string } | { readonly not: string };

const CREDENTIALS = 'Keys and sessions are for people: an agent that can make them can hand them out.';

const WEBHOOKS =
  'A webhook carries matches to an address: an agent that could set one could be talked into sending them away.';

/** Every operation is reachable by an agent, or deliberately not. One without a line here does not compile. */
export const REACH = {
  createRule: { by: 'create_rule' },
  listRules: { by: 'list_rules' },
  deleteRule: { by: 'delete_rule' },
  listMatches: { by: 'list_matches' },
  platformSyntax: { by: 'platform_syntax' },
  platformValues: { by: 'platform_syntax' },
  getRule: { by: 'list_rules' },
  validateRule: { by: 'check_rule' },
  previewRule: { by: 'check_rule' },
  nearMisses: { by: 'check_rule' },
  translateRule: { by: 'check_rule' },
  explainMatch: { by: 'explain_match' },
  status: { by: 'status' },
  updateRule: { not: 'A new rule and the end of the old one are two decisions that a person can follow.' },
  matchCounts: { not: 'It is for charts; list_rules has the counts that an agent needs.' },
  deleteMatches: { not: 'Erasing a post on demand is a person’s decision, and a post must never bring it about.' },
  setDemo: { not: 'What the whole server plays is the operator’s decision.' },
  listChanges: { not: 'Who changed what is for the people who answer for the account.' },
  createKey: { not: CREDENTIALS },
  listKeys: { not: CREDENTIALS },
  revokeKey: { not: CREDENTIALS },
  listGrants: { not: CREDENTIALS },
  revokeGrant: { not: CREDENTIALS },
  createSession: { not: CREDENTIALS },
  createStreamTicket: { not: CREDENTIALS },
  createWebhook: { not: WEBHOOKS },
  listWebhooks: { not: WEBHOOKS },
  updateWebhook: { not: WEBHOOKS },
  deleteWebhook: { not: WEBHOOKS },
  testWebhook: { not: WEBHOOKS },
  listDeliveries: { not: WEBHOOKS },
  redeliverWebhook: { not: WEBHOOKS },
  suggestChanges: { not: 'An agent writes rules itself, and tries them with check_rule.' },
  draftRule: { not: 'An agent writes rules itself, and tries them with check_rule.' },
  rateMatch: { not: 'People rate in the console.' },
  pushEvents: { not: 'An agent reads events; one that also writes them could feed its own watch.' },
} satisfies Record<OperationName, Reach>;

/** The operations that each tool calls. */
const CALLED = new Map<string, OperationName[]>();
for (const [name, reach] of Object.entries(REACH) as [OperationName, Reach][])
  if ('by' in reach) CALLED.set(reach.by, [...(CALLED.get(reach.by) ?? []), name]);

/** The operations behind a message, or behind each message of a batch, with the input of the tool. */
export function operationsIn(message: unknown): { name: OperationName; input: unknown }[] {
  if (Array.isArray(message)) return message.flatMap(operationsIn);
  if (typeof message !== 'object' || message === null || !('params' in message)) return [];
  const { name, arguments: input } = (message.params ?? {}) as { name?: unknown; arguments?: unknown };
  if (typeof name !== 'string' || !('method' in message) || message.method !== 'tools/call') return [];
  return (CALLED.get(name) ?? []).map((operation) => ({ name: operation, input }));
}
