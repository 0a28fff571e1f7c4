/** Resources: the syntax help of each platform, the page for agents, and the newest matches of a rule. */
import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import { PLATFORMS } from '../domain/platform.ts';
import type { Caller } from '../service/access/caller.ts';
import { ServiceError } from '../service/errors.ts';
import { perform } from '../service/perform/perform.ts';
import type { AgentConnection, AgentDeps } from './agent-deps.ts';
import { defect } from './errors.ts';
import { toolNamed } from './tools.ts';
import { oneATurn } from './turns.ts';

const JSON_TYPE = 'application/json';
const LISTED_RULES = 100;

export const matchesUri = (ruleId: string): string => `sluice://rules/${ruleId}/matches`;

const asJson = (uri: URL, value: unknown) => ({
  contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(value) }],
});

async function readBy(
  context: AgentDeps['context'],
  tool: string,
  caller: Caller,
  input: unknown,
  signal: AbortSignal,
) {
  await oneATurn(1);
  try {
    return await perform(context, toolNamed(tool), caller, input, { idempotencyKey: undefined, signal });
  } catch (error) {
    if (error instanceof ServiceError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    context.log.error({ err: error, tool }, 'a resource failed');
    throw new ProtocolError(ProtocolErrorCode.InternalError, defect().message);
  }
}

export function addResources(
  server: McpServer,
  { context, llmsText }: AgentDeps,
  { caller, signal, canSubscribe }: Pick<AgentConnection, 'caller' | 'signal' | 'canSubscribe'>,
): void {
  const read = (tool: string, input: unknown): Promise<unknown> => readBy(context, tool, caller, input, signal);
  for (const platform of PLATFORMS) {
    server.registerResource(
      `${platform} syntax`,
      `sluice://syntax/${platform}`,
      { description: `How rules for ${platform} are written.`, mimeType: JSON_TYPE },
      async (uri) => asJson(uri, await read('platform_syntax', { platforms: [platform], form: 'long' })),
    );
  }
  server.registerResource(
    'llms.txt',
    'sluice://llms.txt',
    { description: 'The HTTP interface on one page, for agents.', mimeType: 'text/plain' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: llmsText() }] }),
  );
  server.registerResource(
    'matches of a rule',
    new ResourceTemplate(matchesUri('{rule_id}'), { list: () => listRules() }),
    {
      description: `The newest matches of a rule.${canSubscribe ? ' Subscribe to hear of new ones.' : ''}`,
      mimeType: JSON_TYPE,
    },
    async (uri, { rule_id }) => asJson(uri, await read('list_matches', { rule_id })),
  );

  async function listRules() {
    const { rules } = (await read('list_rules', { limit: LISTED_RULES })) as { rules: { id: string; name: string }[] };
    return { resources: rules.map(({ id, name }) => ({ uri: matchesUri(id), name: `matches of ${name}` })) };
  }
}
