/** Every tool, driven by the official clients, over HTTP and over standard input and output, on the newest and the oldest revision; those between have them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { type App, OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import {
  type Agent,
  answered,
  NEWEST,
  olderOverHttp,
  overHttp,
  overStdio,
  REVISIONS,
  type ToolResult,
} from './clients.ts';

const OLDEST = REVISIONS.at(-1)!;
const NAMES = TOOLS.map(({ operation }) => operation.name);

interface Shown {
  readonly id: string;
  readonly untrusted_content: { readonly passage: string };
}

const answer = <T>(result: ToolResult): T => {
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
  // Every client shows its model the text; a second copy would be paid for twice.
  expect(result).not.toHaveProperty('structuredContent');
  return answered<T>(result);
};

const failure = ({ isError, content }: ToolResult): string => {
  expect(isError).toBe(true);
  return content[0]!.text;
};

/** Does what an agent with nothing but these tools does. `post` makes something happen in the world. */
async function expectEverything(agent: Agent, post: (text: string) => Promise<unknown>): Promise<void> {
  expect((await agent.client.listTools()).tools.map((tool) => tool.name)).toEqual(NAMES);
  const syntax = answer<{ platforms: { x: { operators: unknown[] } } }>(
    await agent.call('platform_syntax', { platforms: ['x'], form: 'long' }),
  );
  expect(syntax.platforms.x.operators.length).toBeGreaterThan(10);

  const labels = answer<{ values: unknown[] }>(
    await agent.call('platform_syntax', { operator: 'page_type', prefix: 'pricing' }),
  );
  expect(labels.values).toEqual([{ value: '/Landing_Page/Pricing_Page', name: 'Landing Page › Pricing Page' }]);
  expect(failure(await agent.call('platform_syntax', { operator: 'from' }))).toContain('page_category');
  const short = answer<{ short: { x: string } }>(await agent.call('platform_syntax'));
  expect(short.short.x).toContain('-is:retweet');

  const wrong = answer(await agent.call('check_rule', { overrides: { x: 'volcano AND lava' } }));
  expect(wrong).toMatchObject({ ready: false, platforms: { x: { valid: false, corrected: 'volcano lava' } } });
  const right = answer(
    await agent.call('check_rule', { overrides: { x: 'volcano' }, intent: 'Volcano news, no films', translate: true }),
  );
  expect(right).toMatchObject({
    ready: true,
    platforms: { x: { valid: true, translation: { platform: 'firehose', value: 'volcano' } } },
  });

  const rule = { name: 'Volcanoes', intent: 'volcano', platforms: ['x'] };
  const refused = failure(await agent.call('create_rule', { ...rule, overrides: { x: 'volcano AND lava' } }));
  expect(refused).toContain('Corrected overrides.x: volcano lava');
  expect(refused).toContain('Next: ');
  const once = { ...rule, overrides: { x: 'volcano' }, idempotency_key: 'watch-volcanoes' };
  const { rule_id } = answer<{ rule_id: string }>(await agent.call('create_rule', once));
  expect(answer(await agent.call('create_rule', once))).toMatchObject({ rule_id });
  expect(answer(await agent.call('list_rules'))).toMatchObject({ rules: [{ id: rule_id, name: 'Volcanoes' }] });

  const { cursor } = answer<{ cursor: string }>(await agent.call('list_matches', { rule_id }));
  await post('The volcano is awake.');
  const waited = answer<{ matches: Shown[]; cursor: string }>(
    await agent.call('wait_for_matches', { rule_id, cursor }),
  );
  expect(waited).toMatchObject({
    matches: [{ untrusted_content: { passage: 'The «volcano» is awake.' } }],
    coverage: { complete: true },
  });
  const missing = answer(await agent.call('check_rule', { overrides: { x: 'volcano asleep' } }));
  expect(missing).toMatchObject({
    platforms: {
      x: { near_misses: [expect.stringMatching(/^\d+ of \d+ recent events fail by asleep alone\.$/)] },
    },
  });
  const near = answer(await agent.call('near_misses', { platform: 'x', value: 'volcano asleep' }));
  expect(near).toMatchObject({
    clauses: [
      { clause: 'volcano', missed: 0 },
      { clause: 'asleep', untrusted_content: { samples: ['The «volcano» is awake.'] } },
    ],
  });
  const nothing = { rule_id, cursor: waited.cursor, wait_seconds: 0 };
  expect(answer(await agent.call('wait_for_matches', nothing))).toMatchObject({ matches: [], more: false });
  const listed = answer<{ matches: Shown[] }>(await agent.call('list_matches', { rule_id, detail: 'full' }));
  expect(listed.matches[0]).toMatchObject({
    untrusted_content: { payload: { data: { text: 'The volcano is awake.' } } },
  });
  const explained = await agent.call('explain_match', { match_id: listed.matches[0]!.id });
  expect(answer(explained)).toMatchObject({ explanation: [expect.stringContaining('yes: text has "volcano"')] });
  const rated = { match_id: listed.matches[0]!.id, rating: 'relevant' };
  expect(answer(await agent.call('rate_match', rated))).toMatchObject(rated);
  expect(answer(await agent.call('list_matches', { rule_id, rating: 'relevant' }))).toMatchObject({
    matches: [{ id: rated.match_id, rating: 'relevant' }],
  });
  await post('Volcanoes are awake.');
  expect(answer(await agent.call('explain_post', { rule_id, text: 'volcanoes are' }))).toMatchObject({
    matched: false,
    found: 'recent',
    explanation: ['no: text has "volcano"'],
    untrusted_content: { passage: 'Volcanoes are awake.', nearest: { value: 'volcano OR volcanoes' } },
  });
  expect(answer(await agent.call('suggest_changes', { rule_id }))).toMatchObject({
    basis: '1 rated and 1 recent matches',
  });
  const wanted = ['The volcano erupts', 'A volcano in Iceland'];
  expect(answer(await agent.call('draft_rule', { platform: 'x', wanted, unwanted: ['Lava lamps'] }))).toMatchObject({
    fit: '2 of 2 wanted, 0 of 1 unwanted',
    untrusted_content: { value: 'volcano' },
  });
  expect(answer(await agent.call('status'))).toMatchObject({ ready: true, platforms: { x: { rules: 1 } } });

  await refine(agent, rule_id);
  expect(answer(await agent.call('delete_rule', { rule_id }))).toMatchObject({ deleted: rule_id });
  expect(failure(await agent.call('delete_rule', { rule_id }))).toMatch(/^not_found: .*\nNext: .*list_rules/s);
  await expect(agent.call('no_such_tool')).rejects.toThrow('no_such_tool');
  await readTheRest(agent);
}

const PAUSED = expect.arrayContaining(['paused']) as string[];

/** A rule is refined under the name that people know, and keeps what it found. */
async function refine(agent: Agent, rule_id: string): Promise<void> {
  const mended = { rule_id: 'volcanoes', overrides: { x: 'volcano -film' }, name: 'Real volcanoes' };
  expect(answer(await agent.call('update_rule', mended))).toMatchObject({
    rule_id,
    name: 'Real volcanoes',
    version: 2,
    platforms: { x: 'volcano -film' },
  });
  const dead = { rule_id, overrides: { x: 'volcano -volcano' } };
  expect(answer(await agent.call('update_rule', dead))).toMatchObject({
    cannot_match: { x: 'No post can match this rule: volcano is both required and excluded.' },
  });
  const alive = answer(await agent.call('update_rule', { rule_id, overrides: { x: 'volcano -film' } }));
  expect(alive).not.toHaveProperty('cannot_match');
  const noFirehose = { rule_id, options: { firehose: { quality: false } } };
  expect(failure(await agent.call('update_rule', noFirehose))).toContain('not on `firehose`');
  const paused = answer(await agent.call('update_rule', { rule_id: 'Real volcanoes', paused: true }));
  expect(paused).toMatchObject({ rule_id, paused: true, coverage: { complete: false, reasons: PAUSED } });
  expect(answer(await agent.call('update_rule', { rule_id, paused: false }))).toMatchObject({ paused: false });
  const kept = answer<{ matches: Shown[] }>(await agent.call('list_matches', { rule_id: 'Real volcanoes' }));
  expect(kept.matches).toHaveLength(1);
  expect(failure(await agent.call('update_rule', { rule_id: 'Nothing has this name', paused: true }))).toMatch(
    /^not_found/,
  );
  expect(failure(await agent.call('list_matches', { rule: 'Real volcanoes' }))).toContain(
    '`rule`: There is no such field. There are: rule_id, platform,',
  );
}

/** A revision must carry these: the list, one answer, and all that is no tool. */
async function expectWhatThereIs(agent: Agent): Promise<void> {
  expect((await agent.client.listTools()).tools.map((tool) => tool.name)).toEqual(NAMES);
  expect(answer(await agent.call('status'))).toMatchObject({ ready: true });
  await readTheRest(agent);
}

async function readTheRest({ client }: Agent): Promise<void> {
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'sluice://syntax/x',
    'sluice://syntax/firehose',
    'sluice://llms.txt',
  ]);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates[0]!.uriTemplate).toBe('sluice://rules/{rule_id}/matches');
  const { contents } = await client.readResource({ uri: 'sluice://llms.txt' });
  expect((contents[0] as { text: string }).text).toContain('# Sluice');
  await expect(client.readResource({ uri: 'sluice://rules/rule_0/matches' })).rejects.toThrow('no such rule');
  const { messages } = await client.getPrompt({ name: 'watch_for', arguments: { intent: 'volcanoes at sea' } });
  expect(JSON.stringify(messages)).toContain('volcanoes at sea');
}

describe('over HTTP', () => {
  let app: App;
  let [url, posted] = ['', 0];
  beforeAll(async () => {
    app = await startApp({ clock: { ...systemClock, forward: () => {} } });
    url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app[Symbol.asyncDispose]());
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const post = (text: string) =>
    app.http.inject({
      method: 'POST',
      url: '/events?platform=x',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      payload: JSON.stringify({ data: { id: `9${++posted}`, text } }),
    });

  it.each([NEWEST, OLDEST])('every tool works on revision %s', async (revision) => {
    await using agent = await overHttp(url, revision, OPERATOR_KEY);
    await expectEverything({ ...agent, call: unique(agent, revision) }, post);
  });

  it.each(REVISIONS)('revision %s has every tool, resource and prompt', async (revision) => {
    await using agent = await overHttp(url, revision, OPERATOR_KEY);
    await expectWhatThereIs(agent);
  });

  it('every tool works with the client of the generation before', async () => {
    await using agent = await olderOverHttp(url, OPERATOR_KEY);
    await expectEverything({ ...agent, call: unique(agent, 'older') }, post);
  });

  it('every tool works when it is relayed to standard input and output', async () => {
    await using agent = await overStdio(NEWEST, { SLUICE_URL: url, SLUICE_API_KEY: OPERATOR_KEY });
    await expectEverything({ ...agent, call: unique(agent, 'relay') }, post);
  });

  it('is relayed on an earlier revision, too', async () => {
    await using agent = await overStdio('2025-11-25', { SLUICE_URL: url, SLUICE_API_KEY: OPERATOR_KEY });
    await expectWhatThereIs(agent);
  });

  it('says through the relay what is wrong with a key', async () => {
    const wrong = { SLUICE_URL: url, SLUICE_API_KEY: 'not-a-key-of-this-server' };
    await expect(overStdio('2025-11-25', wrong)).rejects.toThrow(/unauthenticated.*SLUICE_API_KEY/);
    const nobody = { SLUICE_URL: 'http://127.0.0.1:1', SLUICE_API_KEY: OPERATOR_KEY };
    await expect(overStdio('2025-11-25', nobody)).rejects.toThrow(/no answer from .*is the server running/);
  });

  it('gives a read key the tools that read, and no others', async () => {
    const payload = { name: 'reader', scope: 'read' };
    const { key } = (await app.http.inject({ method: 'POST', url: '/api.CreateKey', headers, payload })).json();
    for (const revision of REVISIONS) {
      await using agent = await overHttp(url, revision, key);
      const { tools } = await agent.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        NAMES.filter((name) => !/create|update|delete|rate_match|add_source/.test(name)),
      );
      for (const name of ['create_rule', 'update_rule', 'delete_rule', 'rate_match'])
        expect(failure(await agent.call(name, { rule_id: 'rule_0' }))).toContain(
          `permission_denied: This key only reads, and ${name} needs one of scope \`full\`.`,
        );
      await expect(agent.call('no_such_tool')).rejects.toThrow('no_such_tool');
      answer(await agent.call('status'));
      const told = agent.client.getInstructions();
      expect(told).toContain('This key only reads, so there is no create_rule, update_rule, delete_rule, rate_match');
      expect(told).not.toContain('check_rule until ready, create_rule');
      expect(told).not.toContain('limited to some rules');
      const { messages } = await agent.client.getPrompt({ name: 'watch_for', arguments: { intent: 'lava' } });
      expect(JSON.stringify(messages)).toContain('This key only reads');
    }
  });

  it('tells a subscriber of new matches of its rules, and of nobody else’s', async () => {
    await using agent = await overHttp(url, undefined, OPERATOR_KEY);
    const { rule_id } = answer<{ rule_id: string }>(
      await agent.call('create_rule', { name: 's', intent: '', platforms: ['x'], overrides: { x: 'glacier' } }),
    );
    const uri = `sluice://rules/${rule_id}/matches`;
    const heard = Promise.withResolvers<string>();
    const { client } = agent;
    if (!('listen' in client)) throw new Error('the newest client can listen');
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => heard.resolve(params.uri));
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    await post('A glacier calves.');
    expect(await heard.promise).toBe(uri);
    const { contents } = await client.readResource({ uri });
    expect((contents[0] as { text: string }).text).toContain('A «glacier» calves.');
    await subscription.close();
  });
});

/** Several agents share a server here: each makes its one rule under a key of its own. */
const unique =
  (agent: Agent, name: string): Agent['call'] =>
  (tool, input = {}) =>
    agent.call(tool, 'idempotency_key' in input ? { ...input, idempotency_key: name } : input);

describe('embedded', () => {
  it.each([NEWEST, OLDEST])('revision %s has every tool but outside events', async (revision) => {
    await using agent = await overStdio(revision, { SLUICE_DEMO: 'off' });
    const { tools } = await agent.client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(NAMES);
    const { rule_id } = answer<{ rule_id: string }>(
      await agent.call('create_rule', { name: 'e', intent: '', platforms: ['x'], overrides: { x: 'volcano' } }),
    );
    expect(answer(await agent.call('list_rules', { rule_id }))).toMatchObject({ rules: [{ id: rule_id }] });
    expect(answer(await agent.call('wait_for_matches', { rule_id, wait_seconds: 0 }))).toMatchObject({ matches: [] });
    answer(await agent.call('delete_rule', { rule_id }));
    await readTheRest(agent);
  });

  it.each(['2025-11-25', NEWEST])(
    'revision %s sees the demo feed, and tells a subscriber of a wake, which reading acknowledges',
    async (revision) => {
      await using agent = await overStdio(revision, {});
      const { rule_id } = answer<{ rule_id: string }>(
        await agent.call('create_rule', {
          name: 'e',
          intent: '',
          platforms: ['x'],
          overrides: { x: 'the OR a OR "and" OR of OR to' },
        }),
      );
      const uri = `sluice://rules/${rule_id}/matches`;
      const { client } = agent;
      if (!('listen' in client)) throw new Error('the newest client can listen');
      const listen = (to: string) =>
        revision === NEWEST ? client.listen({ resourceSubscriptions: [to] }) : client.subscribeResource({ uri: to });
      await expect(listen('sluice://rules/none')).rejects.toThrow('no such resource');
      await expect(listen('sluice://rules/%E0%A4%A/matches')).rejects.toThrow('no such rule');
      const heard = Promise.withResolvers<{ uri: string; _meta?: object | undefined }>();
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => heard.resolve(params));
      await listen(uri);
      const told = await heard.promise;
      const wake = { 'sluice/wake_id': expect.stringMatching(/^dlv_/) };
      expect(told).toMatchObject({ uri, _meta: wake });
      const { _meta: read } = await client.readResource({ uri });
      expect(read).toMatchObject({ 'sluice/wake_id': wakeIn(told) });
      if (revision !== NEWEST) await client.unsubscribeResource({ uri });
    },
  );

  it('has no tool that changes anything when it is to read only', async () => {
    await using agent = await overStdio(NEWEST, { SLUICE_DEMO: 'off' }, ['--read-only']);
    const { tools } = await agent.client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  });
});

const wakeIn = ({ _meta: meta }: { _meta?: object | undefined }): unknown =>
  (meta as Readonly<Record<string, unknown>>)['sluice/wake_id'];
