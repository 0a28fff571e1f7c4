/**
 * Three tasks of an agent, by the official clients of both generations. The script knows what the person wants and nothing of the
 * server: which tool comes next, and with what, is read from the instructions, the descriptions and the answers. The demo plays
 * beside what is pushed, and its posts match too: what was pushed is known, so a mark on the wrong one is found.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Started, startServer } from '../black-box/server.ts';
import { type Agent, answered, olderOverHttp, overHttp } from './clients.ts';

type Value = Readonly<Record<string, unknown>>;

interface Shown {
  readonly post_id: string;
  readonly demo?: true;
}

describe.each([
  ['the newest', overHttp],
  ['the one before', olderOverHttp],
] as const)('a client of a generation: %s', (_, connect) => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer({ SLUICE_DEMO: 'on' });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  let posts = 0;
  /** The posts that are real. */
  const pushed = new Set<string>();
  /** Matches of posts that nobody pushed, by the ids in their payloads. */
  const inventedOf = async (ruleId: unknown): Promise<number> => {
    const { body } = await server.call('POST', '/matches', { rule_id: ruleId, limit: 100 });
    const matches = body['matches'] as { payload: { data: { id: string } } }[];
    return matches.filter(({ payload }) => !pushed.has(payload.data.id)).length;
  };
  const push = async (...texts: string[]): Promise<string[]> => {
    const events = texts.map((text) => ({ data: { id: `88${++posts}`, text } }));
    for (const { data } of events) pushed.add(data.id);
    await server.push('x', events);
    return events.map(({ data }) => data.id);
  };

  it('watches for serious outages in five calls, and is told of every match', { timeout: 60_000 }, async () => {
    await using agent = await connect(server.url);
    const { call, calls } = counting(agent);
    const [learn, check, create, wait] = toolsIn(between(agent.client.getInstructions()!, 'To watch:', 'To refine'));
    await call(learn!);
    const intent = 'Tell me when Northline is down, but only when it is serious';
    // Posts of the demo have these words, and ours have not.
    const overrides = { x: '(northline (outage OR down OR offline)) OR the OR to OR of' };
    const checked = await call(check!, { overrides, intent });
    expect(checked).toMatchObject({ ready: true });
    expect(JSON.stringify(checked)).not.toContain('serious');
    expect(JSON.stringify(checked)).toMatch(/the demo feed invented/);
    const made = await call(create!, { name: 'Outages', intent, platforms: ['x'], overrides });
    const early = await push('Northline is down', 'Rain', 'Northline outage in all regions');
    const all = { rule_id: made['rule_id'], wait_seconds: 0, limit: 50, max_tokens: 8_000 };
    const first = await call(wait!, { ...all, cursor: made['cursor'] });
    await expect.poll(() => inventedOf(made['rule_id'])).toBeGreaterThan(0);
    const late = await push('Northline is offline again');
    const second = await call(wait!, { ...all, cursor: first['cursor'] });
    const told = [...shown(first), ...shown(second)];
    const real = told.filter(({ demo }) => demo === undefined).map(({ post_id }) => post_id);
    expect(real).toEqual([early[0], early[2], late[0]]);
    const invented = told.filter(({ demo }) => demo === true);
    expect(invented.length).toBeGreaterThan(0);
    expect(invented.filter(({ post_id }) => pushed.has(post_id))).toEqual([]);
    for (const { coverage } of [first, second])
      expect((coverage as { note?: string }).note ?? '`demo: true`').toContain('`demo: true`');
    expect(calls()).toBe(5);
  });

  it('finds out why a post was missed, and mends the rule, in two calls', async () => {
    await using agent = await connect(server.url);
    await server.call('POST', '/api.CreateRule', {
      name: 'Breakdowns',
      intent: 'Breakdowns of Southline',
      platforms: ['x'],
      overrides: { x: 'southline (breakdown OR broken)' },
    });
    await push('Southline breakdowns everywhere', 'Southline opens a shop');
    const { call, calls } = counting(agent);
    const tools = await descriptions(agent);
    const [explain] = [...tools].find(([, about]) => about.includes('a post or page fails'))!;
    const missed = await call(explain, { rule_id: 'Breakdowns', text: 'breakdowns everywhere' });
    expect(missed).toMatchObject({ matched: false, found: 'recent' });
    const { nearest } = missed['untrusted_content'] as { nearest: { value: string; recent: string } };
    expect(nearest).toMatchObject({ value: 'southline (breakdown OR breakdowns OR broken)', recent: '1 more' });
    const [mend] = toolsIn(tools.get(explain)!.split('Then').at(-1)!);
    await call(mend!, { rule_id: 'Breakdowns', overrides: { [missed['platform'] as string]: nearest.value } });
    expect(calls()).toBe(2);
    expect(
      (await server.push('x', [{ data: { id: '99001', text: 'Southline breakdowns again' } }])).body,
    ).toMatchObject({
      matches: 1,
    });
  });

  it('makes a rule less noisy by what the person rated, in three calls', async () => {
    await using agent = await connect(server.url);
    const overrides = { x: 'eastline' };
    const rule = { name: 'Eastline', intent: 'Trouble with Eastline', platforms: ['x'], overrides };
    const made = await server.call('POST', '/api.CreateRule', rule);
    const numbers = [...Array(40).keys()];
    await push(...numbers.map((at) => `Eastline trouble number ${at} at noon`));
    await push(...numbers.map((at) => `Eastline is hiring engineer number ${at}`));
    const listed = await server.call('POST', '/matches', { rule_id: made.body['rule_id'], limit: 100 });
    for (const { id, payload } of listed.body['matches'] as { id: string; payload: { data: { text: string } } }[]) {
      const rating = payload.data.text.includes('hiring') ? 'irrelevant' : 'relevant';
      await server.call('POST', '/api.RateMatch', { match_id: id, rating });
    }
    const { call, calls } = counting(agent);
    const tools = await descriptions(agent);
    const [suggest, about] = [...tools].find(([, one]) => one.includes('noisy'))!;
    const { suggestions } = await call(suggest, { rule_id: 'Eastline' });
    const [best] = suggestions as { platform: string; untrusted_content: { value: string } }[];
    const text = { [best!.platform]: best!.untrusted_content.value };
    const [check, mend] = toolsIn(about.split('Try one with').at(-1)!);
    const tried = await call(check!, { overrides: text });
    expect(tried).toMatchObject({ ready: true });
    // The demo says nothing of Eastline: none of what matches is invented.
    expect(JSON.stringify(tried)).toMatch(/the demo feed invented 0 of the \d+ and [1-9]/);
    expect(await call(mend!, { rule_id: 'Eastline', overrides: text })).toMatchObject({ version: 2 });
    expect(calls()).toBe(3);
    const after = await server.push('x', [
      { data: { id: '99101', text: 'Eastline is hiring engineer number 100' } },
      { data: { id: '99102', text: 'Eastline trouble number 100 at noon' } },
    ]);
    expect(after.body).toMatchObject({ matches: 1 });
  });
});

/** Calls of tools, each of which must be answered without an error. */
function counting(agent: Agent) {
  let made = 0;
  return {
    calls: () => made,
    async call(name: string, input: object = {}): Promise<Value> {
      made++;
      const result = await agent.call(name, input);
      expect(result.isError, result.content[0]!.text).not.toBe(true);
      return answered(result);
    },
  };
}

async function descriptions({ client }: Agent): Promise<Map<string, string>> {
  const { tools } = await client.listTools();
  return new Map(tools.map(({ name, description = '' }) => [name, description.split('\nExample:')[0]!]));
}

const toolsIn = (text: string): string[] => text.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];

const between = (text: string, from: string, to: string): string => text.split(from)[1]!.split(to)[0]!;

const shown = (value: Value): readonly Shown[] => value['matches'] as Shown[];
