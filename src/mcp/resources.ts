/** Resources: the syntax help of each platform, the page for agents, and the newest matches of a rule. */
import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import { decodedPart } from '../base/parse-url.ts';
import { PLATFORMS } from '../domain/platform.ts';
import type { Caller } from '../service/access/caller.ts';
import { perform } from '../service/perform/perform.ts';
import { rulesSeenBy } from '../service/rules/read-rules.ts';
import type { AgentConnection, AgentDeps } from './agent-deps.ts';
import { answerRequest } from './errors.ts';
import { acknowledging, LLMS_URI, matchesUri, syntaxUri } from './resource-updates.ts';
import { toolNamed } from './tools.ts';

const JSON_TYPE = 'application/json';
/** Rules on a page of the list. */
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
  const matches = {
    description: `The newest matches of a rule.${canSubscribe ? ' Subscribe to hear of new ones.' : ''}`,
    mimeType: JSON_TYPE,
  };
  server.registerResource(
    'matches of a rule',
    new ResourceTemplate(matchesUri('{rule_id}'), { list: undefined }),
    matches,
    // A name with blanks or other letters than those of ASCII stands in the address as it does when it is subscribed to: encoded.
    (uri, { rule_id }) => answering(context, 'list_matches', () => readMatches(uri, decodedPart(String(rule_id)))),
  );
  // The library's own list has no pages.
  server.server.setRequestHandler('resources/list', ({ params }) =>
    answering(context, 'resources', async () => {
      const cursor = params?.cursor;
      const { rules, nextCursor } = await pageOfRules(context, caller, cursor);
      const listed = rules.map(({ id, name }) => ({ ...matches, uri: matchesUri(id), name: `matches of ${name}` }));
      const resources = cursor === undefined ? [...PAGES, ...listed] : listed;
      return { resources, ...(nextCursor !== undefined && { nextCursor }) };
    }),
  );

  async function readMatches(uri: URL, rule_id: string) {
    const wake = await acknowledging(context, caller, rule_id);
    const answer = asJson(uri, await call('list_matches', { rule_id }));
    return { ...answer, ...(await wake.done()) };
  }
}

/** The rules after the one that the cursor names, which may be deleted by now. */
async function pageOfRules(context: AgentDeps['context'], caller: Caller, cursor: string | undefined) {
  if (cursor?.startsWith('rule_') === false)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no page with this cursor: list anew.');
  const rules: { id: string; name: string }[] = [];
  for await (const slice of rulesSeenBy(context, caller, cursor))
    for (const { id, name } of slice) {
      if (rules.length === LISTED_RULES) return { rules, nextCursor: rules.at(-1)!.id };
      rules.push({ id, name });
    }
  return { rules };
}

const syntaxPage = (platform: string) => ({
  name: `${platform} syntax`,
  uri: syntaxUri(platform),
  description: `How rules for ${platform} are written.`,
  mimeType: JSON_TYPE,
});

const LLMS_PAGE = {
  name: 'llms.txt',
  uri: LLMS_URI,
  description: 'The HTTP interface on one page, for agents.',
  mimeType: 'text/plain',
};

const PAGES = [...PLATFORMS.map(syntaxPage), LLMS_PAGE];

/** Adds the pages that never change. */
function addPages(
  server: McpServer,
  llmsText: AgentDeps['llmsText'],
  syntax: (platform: string) => Promise<unknown>,
): void {
  for (const platform of PLATFORMS) {
    const { name, uri, ...page } = syntaxPage(platform);
    server.registerResource(name, uri, page, async (at) => asJson(at, await syntax(platform)));
  }
  const { name, uri, ...page } = LLMS_PAGE;
  server.registerResource(name, uri, page, (at) => ({
    contents: [{ uri: at.href, mimeType: page.mimeType, text: llmsText() }],
  }));
}
