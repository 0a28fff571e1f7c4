/**
 * Sends texts in as posts and pages, and reads them back by every way out: each tool, each resource, the prompt, the
 * channel, events, digests and chats. Tells what leaked, and whether anything was changed by what was read.
 */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { wakeBody } from '../../src/delivery/webhooks/wake-body.ts';
import type { Match } from '../../src/domain/match.ts';
import { eventOf } from '../../src/mcp/channel.ts';
import { eventData, eventDigest } from '../../src/mcp/events/wire.ts';
import { createAgentServer } from '../../src/mcp/server.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { digestOfItems, heldItem } from '../../src/wakes/digest.ts';
import { openService, type TestService } from '../stages/service.ts';
import { documentLeaks } from './documents.ts';
import { leaksIn, MARK } from './leaks.ts';

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

type Call = (name: string, input?: object) => Promise<Answer>;

export interface Injected {
  /** How many texts matched, and how many answers were read. */
  readonly matches: number;
  readonly answers: number;
  readonly leaks: readonly string[];
}

/** Every rule matches this word, and every text has it. */
const WORD = 'zyzzyva';
/** The word of a post that wants nothing. */
const HARMLESS = 'gardens';

export async function inject(forms: readonly string[]): Promise<Injected> {
  await using test = await openService();
  const alice = await test.caller('alice');
  await test.call(alice, 'createRule', {
    name: 'Watched',
    intent: '',
    platforms: ['x', 'firehose'],
    overrides: { x: WORD, firehose: WORD },
  });
  await using agent = await connect(test, alice);
  const { cursor } = answered(await agent.call('list_matches'));
  await test.post(alice, `${WORD} and ${HARMLESS} in spring`);
  const before = await test.call(alice, 'listRules');
  const matches = await push(
    test,
    alice,
    forms.map((form) => `${MARK} ${form}`),
  );
  const stored = await storedMatches(test, alice);
  const answers = [
    ...(await everyTool(agent.call, cursor as string)),
    ...(await everyResource(agent.client)),
    ...channelEvents(stored),
  ];
  const leaks = answers.flatMap(({ from, value }) => leaksIn(value).map((leak) => `${from}${leak}`));
  leaks.push(...documentLeaks(stored), ...stored.flatMap(eventLeaks), ...heldLeaks(stored));
  const after = await test.call(alice, 'listRules');
  if (textsOf(after) !== textsOf(before)) leaks.push('the rules are others than before');
  return { matches, answers: answers.length, leaks };
}

/** The leaks in what a subscriber of MCP Events is sent, in full and in brief. */
const eventLeaks = (match: Match): string[] =>
  [true, false].flatMap((brief) => leaksIn(eventData(match, { brief })).map((leak) => `event${leak}`));

/** The leaks in what a subscriber with a wake contract is sent of what it held. */
const heldLeaks = (stored: readonly Match[]): string[] =>
  [true, false].flatMap((brief) => {
    const digest = eventDigest(digestOfItems(stored.map(heldItem)), stored[0]!, { brief });
    return leaksIn(digest).map((leak) => `event of a digest${leak}`);
  });

/** As the other ways out get them. */
async function storedMatches({ service }: TestService, { account }: Caller): Promise<readonly Match[]> {
  return (await service.context.reader.page({ accountId: account.id, limit: 200, bytes: 4 * 1024 * 1024 })).matches;
}

type Rules = Awaited<ReturnType<TestService['call']>>;
const textsOf = (list: Rules): string =>
  JSON.stringify(list, (key, value: unknown) => (/match_count|last_match_at/.test(key) ? undefined : value));

async function connect({ service }: TestService, caller: Caller) {
  const signal = new AbortController().signal;
  const agents = { context: service.context, llmsText: () => '# Sluice' };
  const server = createAgentServer(agents, { caller, signal, canSubscribe: true, hasChannel: true });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'injection', version: '1.0.0' }, { supportedProtocolVersions: ['2025-11-25'] });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  const call: Call = async (name, input = {}) =>
    (await client.callTool({ name, arguments: { ...input } })) as unknown as Answer;
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

async function push(test: TestService, caller: Caller, texts: readonly string[]): Promise<number> {
  const posts = texts.map((text, index) => ({
    data: { id: `8${index}`, text: `${WORD} ${text}`, author_id: '1', [text.slice(0, 80)]: text },
    includes: { users: [{ id: '1', username: text, name: text }] },
  }));
  const pages = texts.map((text, index) => ({
    id: `${text.slice(0, 40)} ${index}`,
    url: `https://site.example/${index}?${text}`,
    title: text,
    added: [`${WORD} ${text}`],
  }));
  let matches = 0;
  for (const [platform, events] of Object.entries({ x: posts, firehose: pages })) {
    const lines = events.map((event) => JSON.stringify(event)).join('\n');
    matches += (await test.call(caller, 'pushEvents', { platform, lines })).matches ?? 0;
  }
  return matches;
}

interface Read {
  readonly from: string;
  readonly value: unknown;
}

const answered = ({ content }: Answer) => JSON.parse(content[0]!.text) as Record<string, unknown>;

function* readingsOf(from: string, { isError, content }: Answer): Iterable<Read> {
  for (const { text } of content) {
    yield { from: `${from} (text)`, value: isError === true ? text : (JSON.parse(text) as unknown) };
  }
}

async function everyTool(call: Call, cursor: string): Promise<Read[]> {
  const answers: Read[] = [];
  const used = new Set<string>();
  const ask = async (name: string, input: object = {}) => {
    used.add(name);
    const answer = await call(name, input);
    answers.push(...readingsOf(name, answer));
    return answer.isError === true ? {} : answered(answer);
  };
  let first: { id: string } | undefined;
  for (const detail of ['concise', 'full']) {
    for (const name of ['list_matches', 'wait_for_matches']) {
      let from: unknown = name === 'wait_for_matches' ? cursor : undefined;
      for (let isMore = true; isMore; ) {
        const view = { rule_id: 'Watched', detail, limit: 50, max_tokens: 8_000 };
        const page = await ask(name, { ...view, cursor: from, ...(name !== 'list_matches' && { wait_seconds: 0 }) });
        first ??= (page['matches'] as { id: string }[])[0];
        from = page['next_cursor'] ?? page['cursor'];
        isMore = name === 'list_matches' ? from !== undefined : page['more'] === true;
      }
    }
  }
  const overrides = { x: WORD, firehose: WORD };
  for (const samples of [1, 10])
    await ask('check_rule', { overrides, samples, translate: samples > 1, intent: 'no spam' });
  await ask('check_rule', { overrides: { x: `${WORD} AND` } });
  for (const platform of ['x', 'firehose']) {
    const value = platform === 'x' ? `${WORD} quokka` : `${WORD} AND quokka`;
    await ask('near_misses', { platform, value, limit: 10 });
  }
  // So that words of the texts speak against them.
  for (const [text, rating] of [
    [MARK, 'irrelevant'],
    [HARMLESS, 'relevant'],
  ]) {
    const { matches } = await ask('list_matches', { rule_id: 'Watched', text, limit: 3 });
    for (const { id } of matches as { id: string }[]) await ask('rate_match', { match_id: id, rating });
  }
  await ask('explain_match', { match_id: first!.id });
  await ask('suggest_changes', { rule_id: 'Watched' });
  await ask('draft_rule', { rule_id: 'Watched', platform: 'x' });
  const { rule_id: missing } = await ask('create_rule', {
    name: 'Missing',
    intent: '',
    platforms: ['x', 'firehose'],
    overrides: { x: `${WORD} quokka`, firehose: `${WORD} AND quokka` },
  });
  for (const platform of ['x', 'firehose']) await ask('explain_post', { rule_id: missing, platform, text: MARK });
  await ask('delete_rule', { rule_id: missing });
  for (const wake of [{ per: 'story' }, { at_most: '1/day' }])
    await ask('wait_for_matches', { rule_id: 'Watched', cursor, wait_seconds: 0, limit: 50, max_tokens: 8_000, wake });
  await ask('platform_syntax');
  await ask('list_rules');
  await ask('status');
  await ask('add_source', { url: MARK });
  await ask('list_sources');
  const { rule_id } = await ask('create_rule', {
    name: 'Another',
    intent: '',
    platforms: ['x'],
    overrides: { x: WORD },
  });
  await ask('update_rule', { rule_id, paused: true });
  await ask('delete_rule', { rule_id });
  const unused = TOOLS.map(({ operation }) => operation.name).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`No text went through ${unused.join(', ')}.`);
  return answers;
}

async function everyResource(client: Client): Promise<Read[]> {
  const { resources } = await client.listResources();
  const { prompts } = await client.listPrompts();
  const answers: Read[] = [
    { from: 'resources/list', value: resources },
    { from: 'prompts/list', value: prompts },
    { from: 'watch_for', value: await client.getPrompt({ name: 'watch_for', arguments: { intent: 'storms' } }) },
  ];
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    for (const content of contents) {
      const text = (content as { text: string }).text;
      answers.push({ from: uri, value: uri.endsWith('.txt') ? text : (JSON.parse(text) as unknown) });
    }
  }
  return answers;
}

/** The events that a channel pushes into a session: one for each match, and one of all there is. */
function channelEvents(stored: readonly Match[]): Read[] {
  const wakes = [...stored.map((match) => [match]), stored];
  return wakes.flatMap((matches) => {
    const { content, meta } = eventOf({ id: 'dlv_1', text: wakeBody({ id: 'hook_1' }, matches, { eventData }) });
    return [
      { from: 'channel', value: JSON.parse(content) as unknown },
      { from: 'channel meta', value: meta },
      ...(/[<>&']/.test(content) ? [{ from: 'channel', value: { [MARK]: content } }] : []),
    ];
  });
}
