/** A whole task with nothing but the tools: how many calls it takes, and how many tokens the answers have. */
import { expect, it } from 'vitest';
import { TOOLS } from '../../src/mcp/tools.ts';
import { openService, type TestService } from '../stages/service.ts';
import { type Answered, agentOf, tokensOf } from './in-process.ts';

const INTENT =
  'Tell me when anyone reports an outage of Northline or complains about its price, no job ads, on X and the web.';

const PAGES = [
  { id: 'p1', url: 'https://status.example/northline', title: 'Northline outage', added: ['Northline is down'] },
  { id: 'p2', url: 'https://jobs.example/1', title: 'Northline hiring', added: ['Northline hiring: outage manager'] },
  { id: 'p3', url: 'https://news.example/2', title: 'Weather', added: ['Rain in the north'] },
];

/** A world in which things happened before the person asked: some of them are what they mean. */
async function busyWorld(): Promise<{ test: TestService; alice: Awaited<ReturnType<TestService['caller']>> }> {
  const test = await openService();
  const alice = await test.caller('alice');
  await test.post(alice, 'Northline is down again', 'Northline is hiring: outage manager', 'The sun shines');
  const lines = PAGES.map((page) => JSON.stringify(page)).join('\n');
  await test.call(alice, 'pushEvents', { platform: 'firehose', lines });
  return { test, alice };
}

it('the Northline task takes five calls and 4,500 tokens of answers, with a mistake on the way', async () => {
  const { test, alice } = await busyWorld();
  await using _ = test;
  const agent = agentOf(test, alice);
  const answers: Answered[] = [];
  const call = async (name: string, input: object = {}) => {
    const answer = await agent(name, input);
    expect(answer.isError, answer.text).toBe(false);
    answers.push(answer);
    return answer.value;
  };

  await call('platform_syntax');
  const firehose =
    'northline AND (outage OR down OR price OR expensive) AND NOT (hiring OR job OR vacancy OR internship)';
  const x = 'northline AND (outage OR down OR price OR expensive) -hiring -job';
  const wrong = await call('check_rule', { overrides: { x, firehose }, intent: INTENT });
  expect(wrong).toMatchObject({ ready: false, platforms: { x: { valid: false }, firehose: { valid: true } } });
  const { corrected } = (wrong['platforms'] as { x: { corrected: string } }).x;
  const right = await call('check_rule', { overrides: { x: corrected, firehose }, intent: INTENT });
  expect(right).toMatchObject({
    ready: true,
    notice: expect.any(String),
    platforms: {
      x: {
        recent: '1 of 3 recent events match; no rate: 3 events over less than a minute.',
        untrusted_content: { samples: ['«Northline» is «down» again'] },
      },
    },
  });
  const created = await call('create_rule', {
    name: 'Northline trouble',
    intent: INTENT,
    platforms: ['x', 'firehose'],
    overrides: { x: corrected, firehose },
  });
  const waiting = call('wait_for_matches', { rule_id: 'Northline trouble' });
  while (test.service.context.matchSignals.watching === 0) await new Promise(setImmediate);
  await test.post(alice, 'Is anyone else annoyed? Northline is too expensive now.');
  const { matches } = await waiting;
  expect(matches).toMatchObject([{ rule_id: created['rule_id'], platform: 'x' }]);

  const tokens = answers.map(({ text }) => tokensOf(text));
  console.log(`the Northline task: ${answers.length} calls, ${tokens.join(' + ')} tokens`);
  expect(answers.length).toBeLessThanOrEqual(5);
  expect(tokens.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(4_500);
});

it('check_rule answers in 250 tokens for two platforms, and has no translation that was not asked for', async () => {
  const { test, alice } = await busyWorld();
  await using _ = test;
  const agent = agentOf(test, alice);
  const long = 'Northline down, and this is told at length. '.repeat(30);
  await test.post(alice, long);
  const pages = [{ id: 'p9', url: 'https://news.example/9', title: long, added: [long] }];
  await test.call(alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify(pages[0]) });
  const texts = { x: 'northline (outage OR down)', firehose: 'northline AND (outage OR down)' };
  const short = await agent('check_rule', { overrides: texts, intent: 'Northline outages, in English, no ads' });
  console.log(`check_rule: ${tokensOf(short.text)} tokens`);
  expect(tokensOf(short.text)).toBeLessThanOrEqual(250);
  expect(short.text).toMatch(/intent_notes.*samples/);
  const intent = 'English, French or German; retweets, ads, jobs, films, games, novels and spam are not wanted, ever';
  for (const wrong of [
    'northline AND down lang:english from:',
    'northline down (asleep OR awake) -is:retweet lang:fr',
  ]) {
    const { text } = await agent('check_rule', { overrides: { x: wrong, firehose: texts.firehose }, intent });
    expect(tokensOf(text), text).toBeLessThanOrEqual(250);
  }
  expect(short.text).not.toMatch(/translation|histogram|anchor/);
  const asked = await agent('check_rule', { overrides: { x: texts.x }, translate: true, samples: 3 });
  expect(asked.value).toMatchObject({ platforms: { x: { translation: { platform: 'firehose' } } } });
});

it('platform_syntax takes 1,300 tokens for both languages unless more is asked for', async () => {
  await using test = await openService();
  const agent = agentOf(test, await test.caller('alice'));
  expect(tokensOf((await agent('platform_syntax')).text)).toBeLessThanOrEqual(1_300);
  expect(tokensOf((await agent('platform_syntax', { form: 'long' })).text)).toBeGreaterThan(3_000);
});

it('every answer says what may be missing, and that the demo feed invents', async () => {
  await using test = await openService();
  const alice = await test.caller('alice');
  const { context } = test.service;
  for (const platform of ['x', 'firehose'] as const) {
    context.feeds.report({
      platform,
      kind: 'demo',
      name: 'demo',
      state: 'live',
      reason: undefined,
      through: undefined,
    });
  }
  await context.feeds.flush();
  await context.ingest.add('x', [{ demo: true, data: { id: '1', text: 'Northline is down' } }], 'demo');
  const agent = agentOf(test, alice);
  const rule = { name: 'Northline', intent: '', platforms: ['x'], overrides: { x: 'northline' } };
  await agent('create_rule', rule);
  await context.ingest.add('x', [{ demo: true, data: { id: '2', text: 'Northline is down' } }], 'demo');
  const listed = await agent('list_matches', { rule_id: 'northline' });
  const [match] = listed.value['matches'] as { id: string; demo?: true }[];
  expect(match).toMatchObject({ demo: true });
  const inputs: Readonly<Record<string, object>> = {
    check_rule: { overrides: { x: 'northline' } },
    create_rule: { ...rule, name: 'Another' },
    update_rule: { rule_id: 'Northline', intent: 'outages' },
    delete_rule: { rule_id: 'Another' },
    wait_for_matches: { rule_id: 'Northline', wait_seconds: 0 },
    explain_match: { match_id: match!.id },
    near_misses: { rule_id: 'Northline' },
    explain_post: { rule_id: 'Northline', text: 'southline' },
    suggest_changes: { rule_id: 'Northline' },
    draft_rule: { platform: 'x', wanted: ['Northline is down'] },
    rate_match: { match_id: match!.id, rating: 'irrelevant' },
  };
  await agent('create_rule', { ...rule, name: 'Narrow', overrides: { x: 'volcano erupts' } });
  const erupted = Array.from({ length: 5 }, (_, at) => `the volcano erupted ${at}`);
  const posts = ['a volcano erupts', ...erupted, 'volcano tea'].map((text, at) => ({ id: `1${at}`, text }));
  await context.ingest.add(
    'x',
    posts.map((data) => ({ demo: true, data })),
    'demo',
  );
  expect((await agent('check_rule', { overrides: { x: 'eastline erupted' } })).text).toContain(
    '5 of 9 recent events fail by eastline alone, 5 of them invented.',
  );
  expect((await agent('near_misses', { rule_id: 'Narrow' })).value['clauses']).toMatchObject([
    { clause: 'volcano', missed: 0 },
    { clause: 'erupts', missed: 6, invented: 6 },
  ]);
  expect((await agent('suggest_changes', { rule_id: 'Narrow' })).text).toContain(
    'Matches 5 more recent events, 5 of them invented.',
  );
  // A tool about sources, which are watched beside the platforms, gives no answer about matches.
  for (const { operation } of TOOLS.filter(
    ({ operation: { name } }) => !name.endsWith('source') && !name.endsWith('sources'),
  )) {
    const { value, text } = await agent(operation.name, inputs[operation.name]);
    expect(value['coverage'], `${operation.name}: ${text}`).toMatchObject({
      complete: false,
      reasons: ['demo'],
      note: expect.stringContaining('what it invents has `demo: true`'),
    });
  }
});

it('a name that several rules have is answered with their ids, and another account has no part in it', async () => {
  await using test = await openService();
  const agent = agentOf(test, await test.caller('alice'));
  const stranger = agentOf(test, await test.caller('bob'));
  const rule = { name: 'Twins', intent: '', platforms: ['x'], overrides: { x: 'northline' } };
  const first = (await agent('create_rule', rule)).value;
  expect(first).not.toHaveProperty('note');
  const second = (await agent('create_rule', { ...rule, overrides: { x: 'southline' } })).value;
  expect(second['note']).toBe(
    `Another rule has this name, too (${String(first['rule_id'])}): call this one by its id, or rename one of them.`,
  );
  const ids = [first['rule_id'], second['rule_id']];
  expect((await agent('list_matches', { rule_id: 'twins' })).text).toContain(`Give an id: ${ids.join(', ')}.`);
  expect((await stranger('list_matches', { rule_id: 'Twins' })).text).toMatch(/^not_found/);
  await agent('update_rule', { rule_id: ids[0], name: 'twins' });
  expect((await agent('list_rules', { rule_id: 'twins' })).value).toMatchObject({ rules: [{ id: ids[0] }] });
});

it('an argument that does not exist is answered with those that do, at its own place', async () => {
  await using test = await openService();
  const agent = agentOf(test, await test.caller('alice'));
  const said = async (name: string, input: object) => (await agent(name, input)).text;
  expect(await said('platform_syntax', { platform: 'x' })).toContain(
    '- `platform`: There is no such field. There are: platforms, form, operator, prefix.',
  );
  expect(await said('check_rule', { overrides: { twitter: 'a' } })).toContain(
    '- `overrides.twitter`: There is no such field. There are: x, firehose.',
  );
  expect(await said('check_rule', { overrides: { x: 'a' }, options: { firehose: { fresh: true } } })).toContain(
    '- `options.firehose.fresh`: There is no such field. There are: quality, nsfw.',
  );
  expect(await said('status', { platform: 'x' })).toContain('There is no such field. It takes none.');
});

it('update_rule changes the options that create_rule sets, and null gives one back', async () => {
  await using test = await openService();
  const agent = agentOf(test, await test.caller('alice'));
  const rule = { name: 'Pages', intent: '', platforms: ['firehose'], overrides: { firehose: 'northline' } };
  await agent('create_rule', { ...rule, options: { firehose: { nsfw: true } } });
  const flags = async () => {
    const { value } = await agent('list_rules', { rule_id: 'Pages' });
    const [{ platforms }] = value['rules'] as [{ platforms: { firehose: object } }];
    return platforms.firehose;
  };
  expect(await flags()).toMatchObject({ options: { nsfw: true } });
  const changed = await agent('update_rule', {
    rule_id: 'Pages',
    options: { firehose: { quality: false, nsfw: null } },
  });
  expect(changed.isError, changed.text).toBe(false);
  expect(await flags()).toMatchObject({ options: { quality: false } });
  expect(await flags()).not.toMatchObject({ options: { nsfw: true } });
  const unknown = await agent('update_rule', { rule_id: 'Pages', options: { sources: ['src_none'] } });
  expect(unknown.text).toContain('src_none');
});
