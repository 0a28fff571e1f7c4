/** The tools, and which operation of the service an agent reaches how. */
import type { z } from 'zod';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import type { OperationName } from '../service/operations.ts';
import type { Operation } from '../service/perform/operation.ts';
import { checkTool } from './check-tool.ts';
import { explainPostTool, nearMissesTool } from './explain-post-tool.ts';
import { explainTool, listMatchesTool, rateTool, waitTool } from './match-tools.ts';
import { draftTool, suggestTool } from './mend-tools.ts';
import { isRuleId, namedRuleId } from './rule-names.ts';
import { createTool, deleteTool, listTool, updateTool } from './rule-tools.ts';
import { addSourceTool, listSourcesTool } from './source-tools.ts';
import { statusTool } from './status-tool.ts';
import { syntaxTool } from './syntax-tool.ts';
import { coverageNow, exampleCoverage, toldCoverage } from './told-coverage.ts';
import type { Tool } from './tool.ts';

/**
 * Only the hints that differ from the protocol's defaults: a tool changes things, may destroy them, and sees an open
 * world.
 */
const READS = { readOnlyHint: true, openWorldHint: false };
/** Tools that show text by strangers. */
const READS_STRANGERS = { readOnlyHint: true };

const CHANGES = { destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const TOOLS: readonly Tool[] = [
  { operation: asTool(syntaxTool), annotations: READS },
  { operation: asTool(checkTool), annotations: READS_STRANGERS },
  { operation: asTool(createTool), annotations: { destructiveHint: false, openWorldHint: false } },
  { operation: asTool(listTool), annotations: READS },
  { operation: asTool(updateTool), annotations: CHANGES },
  { operation: asTool(deleteTool), annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false } },
  { operation: asTool(listMatchesTool), annotations: READS_STRANGERS },
  { operation: asTool(waitTool), annotations: READS_STRANGERS },
  { operation: asTool(explainTool), annotations: READS_STRANGERS },
  { operation: asTool(rateTool), annotations: CHANGES },
  { operation: asTool(nearMissesTool), annotations: READS_STRANGERS },
  { operation: asTool(explainPostTool), annotations: READS_STRANGERS },
  { operation: asTool(suggestTool), annotations: READS_STRANGERS },
  { operation: asTool(draftTool), annotations: READS_STRANGERS },
  { operation: asTool(addSourceTool), annotations: { ...CHANGES, idempotentHint: false, openWorldHint: true } },
  { operation: asTool(listSourcesTool), annotations: READS_STRANGERS },
  { operation: asTool(statusTool), annotations: READS },
];

export const toolNamed = (name: string): Operation => TOOLS.find(({ operation }) => operation.name === name)!.operation;

/** A caller sees the tools it may use and no others. */
export const toolsFor = (may: (operation: Operation) => boolean): readonly Tool[] =>
  TOOLS.filter(({ operation }) => may(operation));

type Reach = { readonly by: string } | { readonly not: string };

const CREDENTIALS = 'Keys and sessions are for people: an agent that can make them can hand them out.';

const WEBHOOKS =
  'A webhook carries matches to an address: an agent that could set one could be talked into sending them away.';

const ACCOUNTS = 'Who may use the server, and how much, is the operator’s decision.';
const SOURCES = 'What is watched is changed and taken away by people.';
const SILENCES = 'What people are not woken by is decided by people.';
const VIEWS = 'Saved views are for people in the console.';

const SUBSCRIPTIONS =
  'An agent has `events/subscribe` and `events/unsubscribe`; what others subscribed to is not its own.';

/** Every operation is reachable by an agent, or deliberately not. One without a line here does not compile. */
export const REACH = {
  createRule: { by: 'create_rule' },
  listRules: { by: 'list_rules' },
  deleteRule: { by: 'delete_rule' },
  listMatches: { by: 'list_matches' },
  restoreRule: { not: 'Taking a deleted rule back is the decision of the person who deleted it.' },
  listStories: { not: 'Matches say which story they tell.' },
  platformSyntax: { by: 'platform_syntax' },
  platformValues: { by: 'platform_syntax' },
  getRule: { by: 'list_rules' },
  validateRule: { by: 'check_rule' },
  previewRule: { by: 'check_rule' },
  nearMisses: { by: 'near_misses' },
  translateRule: { by: 'check_rule' },
  rehearseRule: { not: 'check_rule tries a rule on recent events; months of history are a job for a person to start.' },
  getRehearsal: { not: 'It belongs to Rehearse Rule, which a person starts.' },
  listRehearsals: { not: 'It belongs to Rehearse Rule, which a person starts.' },
  cancelRehearsal: { not: 'It belongs to Rehearse Rule, which a person starts.' },
  certify: { not: 'A certificate is a file for third parties; status and coverage say the same to an agent.' },
  explainMatch: { by: 'explain_match' },
  explainEvent: { by: 'explain_post' },
  rateMatch: { by: 'rate_match' },
  status: { by: 'status' },
  updateRule: { by: 'update_rule' },
  matchCounts: { not: 'It is for charts; list_rules has the counts that an agent needs.' },
  matchFacets: { not: 'It is for people who look around; list_matches has what an agent reads.' },
  ruleOverlap: { not: 'It is for charts; list_matches says which rules an event matched.' },
  deleteMatches: { not: 'Erasing a post on demand is a person’s decision, and a post must never bring it about.' },
  suspendAccount: { not: ACCOUNTS },
  resumeAccount: { not: ACCOUNTS },
  setAccountLimits: { not: ACCOUNTS },
  listUsage: { not: ACCOUNTS },
  setDemo: { not: 'What the whole server plays is the operator’s decision.' },
  listChanges: { not: 'Who changed what is for the people who answer for the account.' },
  listAlerts: { not: 'Alerts are for those who watch the rules; list_matches has what an agent reads.' },
  createKey: { not: CREDENTIALS },
  listKeys: { not: CREDENTIALS },
  revokeKey: { not: CREDENTIALS },
  listGrants: { not: CREDENTIALS },
  revokeGrant: { not: CREDENTIALS },
  createSession: { not: CREDENTIALS },
  createStreamTicket: { not: CREDENTIALS },
  createEntryTicket: { not: CREDENTIALS },
  createWebhook: { not: WEBHOOKS },
  listWebhooks: { not: WEBHOOKS },
  updateWebhook: { not: WEBHOOKS },
  deleteWebhook: { not: WEBHOOKS },
  testWebhook: { not: WEBHOOKS },
  listDeliveries: { not: WEBHOOKS },
  redeliverWebhook: { not: WEBHOOKS },
  webhookStats: { not: WEBHOOKS },
  sendMatch: { not: WEBHOOKS },
  previewMessage: { not: WEBHOOKS },
  suggestChanges: { by: 'suggest_changes' },
  draftRule: { by: 'draft_rule' },
  listSubscriptions: { not: SUBSCRIPTIONS },
  listWakes: { not: 'What woke whom is for the people who answer for the account.' },
  nextWake: { not: 'It wakes the program of an agent; within a turn, wait_for_matches waits.' },
  acknowledgeWake: { by: 'wait_for_matches' },
  endSubscription: { not: SUBSCRIPTIONS },
  createFeed: { not: CREDENTIALS },
  listFeeds: { not: CREDENTIALS },
  deleteFeed: { not: CREDENTIALS },
  createView: { not: VIEWS },
  listViews: { not: VIEWS },
  deleteView: { not: VIEWS },
  createSilence: { not: SILENCES },
  listSilences: { not: SILENCES },
  rehearseWake: { not: 'It tries the contract of a webhook, which people set.' },
  endSilence: { not: SILENCES },
  discoverSource: { by: 'add_source' },
  createSource: { by: 'add_source' },
  listSources: { by: 'list_sources' },
  getSource: { by: 'list_sources' },
  updateSource: { not: SOURCES },
  deleteSource: { not: SOURCES },
  testSource: { not: 'add_source tries what it adds.' },
  pushEvents: { not: 'An agent reads events; one that also writes them could feed its own watch.' },
} satisfies Record<OperationName, Reach>;

/** The operations that each tool calls. Those that serve two tools are in the table with the one that is nearest. */
const CALLED = new Map<string, OperationName[]>([
  ['check_rule', ['nearMisses']],
  ['create_rule', ['listRules']],
]);
for (const [name, reach] of Object.entries(REACH) as [OperationName, Reach][])
  if ('by' in reach) CALLED.set(reach.by, [...(CALLED.get(reach.by) ?? []), name]);

/** The operations behind a message, or behind each message of a batch, with the input of the tool. */
export function operationsIn(message: unknown): { name: OperationName; input: unknown }[] {
  if (Array.isArray(message)) return message.flatMap(operationsIn);
  if (typeof message !== 'object' || message === null || !('params' in message)) return [];
  const { name, arguments: input } = (message.params ?? {}) as { name?: unknown; arguments?: unknown };
  if (typeof name !== 'string' || !('method' in message) || message.method !== 'tools/call') return [];
  const called: readonly OperationName[] = [...(CALLED.get(name) ?? []), ...(isByName(input) ? LOOKED_UP : [])];
  return called.map((operation) => ({ name: operation, input }));
}

/** A rule that is named is looked for among all of them. */
const LOOKED_UP: readonly OperationName[] = ['listRules'];

const isByName = (input: unknown): boolean =>
  typeof input === 'object' &&
  input !== null &&
  'rule_id' in input &&
  typeof input.rule_id === 'string' &&
  !isRuleId(input.rule_id);

type ToolOperation = Operation<z.ZodObject, z.ZodObject>;

/** Gives every tool what all have in common: a rule may be named, and every answer says how far it can be relied on. */
function asTool(operation: ToolOperation): Operation {
  return {
    ...operation,
    output: operation.output.extend({ coverage: toldCoverage }),
    example: {
      input: operation.example.input,
      output: { coverage: exampleCoverage, ...operation.example.output },
    },
    async run(context, caller, input, request) {
      const asked = input as Asked & Record<string, unknown>;
      const ruleId = asked.rule_id === undefined ? undefined : await namedRuleId(context, caller, asked.rule_id);
      const named = ruleId === undefined ? asked : { ...asked, rule_id: ruleId };
      const answer = await operation.run(context, caller, named, request);
      if (answer['coverage'] !== undefined) return answer;
      const scope = { ruleId, platform: asked.platform, platforms: platformsOf(asked) };
      return { ...answer, coverage: await coverageNow(context, caller, scope) };
    },
  };
}

/** The fields that several tools have. */
interface Asked {
  readonly rule_id?: string;
  readonly platform?: Platform;
  readonly overrides?: Partial<Record<Platform, string>>;
}

const platformsOf = ({ rule_id, overrides }: Asked): Platform[] | undefined =>
  rule_id !== undefined || overrides === undefined
    ? undefined
    : PLATFORMS.filter((name) => overrides[name] !== undefined);
