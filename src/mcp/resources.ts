/** Resources: the syntax help of each platform, the page for agents, and the newest matches of a rule. */
import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import { decodedPart } from '../base/parse-url.ts';
import { PLATFORMS } from '../domain/platform.ts';
import { perform } from '../service/perform/perform.ts';
import type { AgentConnection, AgentDeps } from './agent-deps.ts';
import { answerRequest } from './errors.ts';
import { acknowledging, LLMS_URI, matchesUri, syntaxUri } from './resource-updates.ts';
import { toolNamed } from './tools.ts';

const JSON_TYPE = 'application/json';
const LISTED_RULES = 100;

const asJson = (uri: URL, value: unknown) => ({
  contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(value) }],
});

const answering = <T>(context: AgentDeps['context'], tool: string, work: () => Promise<T>): Promise<T> =>
  answerRequest(context, tool, work, ({ code, message }) => {
    const { InternalError, InvalidParams } = ProtocolErrorCode;
    throw new ProtocolError(code === 'internal' ? InternalError : InvalidParams, message);
  });

export function addResources(
  server: McpServer,
  { context, llmsText }: AgentDeps,
  { caller, signal, canSubscribe }: Pick<AgentConnection, 'caller' | 'signal' | 'canSubscribe'>,
): void {
  const call = (tool: string, input: unknown): Promise<unknown> =>
    perform(context, toolNamed(tool), caller, input, { idempotencyKey: undefined, signal });
  const read = (tool: string, input: unknown) => answering(context, tool, () => call(tool, input));
  addPages(server, llmsText, (platform) => read('platform_syntax', { platforms: [platform], form: 'long' }));
  server.registerResource(
    'matches of a rule',
    new ResourceTemplate(matchesUri('{rule_id}'), { list: () => listRules() }),
    {
      description: `The newest matches of a rule.${canSubscribe ? ' Subscribe to hear of new ones.' : ''}`,
      mimeType: JSON_TYPE,
    },
    // A name with blanks or other letters than those of ASCII stands in the address as it does when it is subscribed to: encoded.
    (uri, { rule_id }) => answering(context, 'list_matches', () => readMatches(uri, decodedPart(String(rule_id)))),
  );

  async function readMatches(uri: URL, rule_id: string) {
    const wake = await acknowledging(context, caller, rule_id);
    const answer = asJson(uri, await call('list_matches', { rule_id }));
    return { ...answer, ...(await wake.done()) };
  }

  async function listRules() {
    const { rules } = (await read('list_rules', { limit: LISTED_RULES })) as { rules: { id: string; name: string }[] };
    return { resources: rules.map(({ id, name }) => ({ uri: matchesUri(id), name: `matches of ${name}` })) };
  }
}

/** Adds the pages that never change. */
function addPages(
  server: McpServer,
  llmsText: AgentDeps['llmsText'],
  syntax: (platform: string) => Promise<unknown>,
): void {
  for (const platform of PLATFORMS) {
    server.registerResource(
      `${platform} syntax`,
      syntaxUri(platform),
      { description: `How rules for ${platform} are written.`, mimeType: JSON_TYPE },
      async (uri) => asJson(uri, await syntax(platform)),
    );
  }
  server.registerResource(
    'llms.txt',
    LLMS_URI,
    { description: 'The HTTP interface on one page, for agents.', mimeType: 'text/plain' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: llmsText() }] }),
  );
}
