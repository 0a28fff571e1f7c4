import { describe, expect, it } from 'vitest';
import { openService, type TestService } from '../../../test/stages/service.ts';
import type { Language } from '../../rules/language.ts';
import { languages } from '../../rules/languages.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import type { ServiceError } from '../errors.ts';

const storm = { name: 'Storms', intent: 'Warn me.', platforms: ['x'], overrides: { x: 'storm' } };
const both = { ...storm, platforms: ['x', 'firehose'], overrides: { x: 'storm', firehose: 'title:storm' } };

async function stage(options?: Parameters<typeof openService>[0]) {
  const test = await openService(options);
  return Object.assign(test, { alice: await test.caller('alice') });
}

const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => expect.fail('it was accepted'),
    (error: ServiceError) => error,
  );

const issuesOf = async (
  test: TestService,
  caller: Caller,
  input: unknown,
  name: 'createRule' | 'updateRule' = 'createRule',
) =>
  ((await failure(test.call(caller, name, input))).details['issues'] ?? []) as {
    path: string;
    message: string;
    position?: { start: number; end: number };
    suggestion?: string;
  }[];

describe('create rule', () => {
  it('answers with the ids and the values of every platform', async () => {
    await using test = await stage();
    const answer = await test.call(test.alice, 'createRule', {
      ...both,
      overrides: { x: '  storm ', firehose: 'title:storm' },
    });
    expect(answer.rule_id).toMatch(/^rule_[0-9a-z]{26}$/);
    expect(answer.platforms).toEqual({
      x: { platform_rule_id: expect.stringMatching(/^\d{19}$/), translated_value: 'storm' },
      firehose: { platform_rule_id: expect.stringMatching(/^\d{19}$/), translated_value: 'title:storm' },
    });
  });

  it('without `platforms` says that, and what is wrong with the texts, and nothing else', async () => {
    await using test = await stage();
    const { platforms: _, ...without } = both;
    await expect(test.call(test.alice, 'createRule', without)).rejects.toMatchObject({
      details: { issues: [{ path: 'platforms' }] },
    });
    await expect(test.call(test.alice, 'createRule', { ...without, overrides: { x: '(a' } })).rejects.toMatchObject({
      details: { issues: [{ path: 'platforms' }, { path: 'overrides.x' }] },
    });
  });

  it('takes null for what is left out', async () => {
    await using test = await stage();
    const nulls = { ...storm, options: null, alerts: null, overrides: { ...storm.overrides, firehose: null } };
    const { rule_id } = await test.call(test.alice, 'createRule', nulls);
    expect(await test.call(test.alice, 'getRule', { rule_id })).toMatchObject({ name: storm.name });
    await expect(test.call(test.alice, 'createRule', { ...storm, name: null })).rejects.toMatchObject({
      details: { issues: [{ path: 'name' }] },
    });
  });

  it('finds matches from the moment it returns', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', storm);
    expect(await test.post(test.alice, 'A storm is coming', 'Calm seas')).toEqual({
      accepted: 2,
      matches: 1,
      rejected: [],
    });
    const { matches } = await test.call(test.alice, 'listMatches', { rule_id });
    expect(matches).toMatchObject([
      {
        platform: 'x',
        platform_post_id: '1',
        rule_id,
        rule_name: 'Storms',
        rule_version: 1,
        payload: { data: { id: '1', text: 'A storm is coming' } },
        highlights: [{ field: 'data.text', start: 2, end: 7 }],
      },
    ]);
  });

  it.each([
    ['a missing name', { name: undefined }, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a name too long', { name: 'a'.repeat(201) }, ['name']],
    ['a wrong type', { intent: 7 }, ['intent']],
    ['an intent too long', { intent: 'a'.repeat(2001) }, ['intent']],
    ['no platform', { platforms: [], overrides: {} }, ['platforms']],
    ['an unknown platform', { platforms: ['x', 'tiktok'] }, ['platforms.1']],
    ['a platform twice', { platforms: ['x', 'x'] }, ['platforms.1']],
    ['a missing override', { platforms: ['x', 'firehose'] }, ['overrides.firehose']],
    ['an override of a platform not listed', { overrides: { x: 'storm', firehose: 'storm' } }, ['overrides.firehose']],
    ['an override of no platform', { overrides: { x: 'storm', tiktok: 'storm' } }, ['overrides.tiktok']],
    ['a blank override', { overrides: { x: '  ' } }, ['overrides.x']],
    ['an override that is no text', { overrides: { x: 7 } }, ['overrides.x']],
    ['an unknown field', { colour: 'red' }, ['colour']],
    ['flags of a platform not listed', { options: { firehose: { nsfw: true } } }, ['options.firehose']],
    ['several at once', { name: '', colour: 1, overrides: { x: '(' } }, ['colour', 'name', 'overrides.x']],
  ])('refuses %s and names it', async (_, change, paths) => {
    await using test = await stage();
    const issues = await issuesOf(test, test.alice, { ...storm, ...change });
    expect([...new Set(issues.map(({ path }) => path))].toSorted()).toEqual(paths);
    expect((await test.call(test.alice, 'listRules')).rules).toEqual([]);
  });

  it('counts characters as people do', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', { ...storm, name: '🌋'.repeat(200) });
    expect(await issuesOf(test, test.alice, { ...storm, name: '🌋'.repeat(201) })).toHaveLength(1);
  });

  it('says where a text is wrong, counted in the text as it was sent, and what would do', async () => {
    await using test = await stage();
    const issues = await issuesOf(test, test.alice, { ...storm, overrides: { x: '  storm AND rain' } });
    expect(issues[0]).toMatchObject({ path: 'overrides.x', position: { start: 8, end: 11 }, suggestion: 'storm rain' });
  });

  it('keeps what was written, byte for byte', async () => {
    await using test = await stage();
    const name = `Ünï 'x"; DROP TABLE rules; -- <b> 🌋`;
    const intent = `${name}\u0000\u202e`;
    const { rule_id } = await test.call(test.alice, 'createRule', { ...storm, name, intent });
    expect(await test.call(test.alice, 'getRule', { rule_id })).toMatchObject({ name, intent });
  });

  it('gives equal values one id, and keeps both rules apart', async () => {
    await using test = await stage();
    const bob = await test.caller('bob');
    const one = await test.call(test.alice, 'createRule', storm);
    const two = await test.call(bob, 'createRule', storm);
    expect(two.platforms).toEqual(one.platforms);
    await test.call(bob, 'deleteRule', { rule_id: two.rule_id });
    expect(await test.post(test.alice, 'storm')).toMatchObject({ matches: 1 });
  });

  it('stops at the limit of the account and says how to get more', async () => {
    await using test = await stage();
    const carol = await test.caller('carol', { xRules: 1 });
    await test.call(carol, 'createRule', storm);
    const error = await failure(test.call(carol, 'createRule', both));
    expect(error).toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringContaining('`sluice accounts set NAME --x-rules N`'),
      details: { platform: 'x', limit: 1, used: 1 },
    });
    expect(error.message).toContain('help@sluice.example');
    await test.call(carol, 'createRule', { ...both, platforms: ['firehose'], overrides: { firehose: 'storm' } });
  });

  it('is not for the free plan', async () => {
    await using test = await stage();
    const dave = await test.caller('dave', { plan: 'free' });
    expect(await failure(test.call(dave, 'createRule', storm))).toMatchObject({ code: 'permission_denied' });
    expect(await test.call(dave, 'validateRule', { platform: 'x', value: 'storm' })).toMatchObject({ valid: true });
    await test.call(dave, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } });
  });

  it('applies the flags of firehose', async () => {
    await using test = await stage();
    const page = { platform: 'firehose', lines: '{"id":"1","url":"https://a.example/tag/storm","title":"storm"}' };
    const rule = { ...storm, platforms: ['firehose'], overrides: { firehose: 'title:storm' } };
    await test.call(test.alice, 'createRule', { ...rule, options: { firehose: { quality: true } } });
    expect(await test.call(test.alice, 'pushEvents', page)).toMatchObject({ accepted: 1, matches: 0 });
    await test.call(test.alice, 'createRule', rule);
    expect(await test.call(test.alice, 'pushEvents', page)).toMatchObject({ accepted: 1, matches: 1 });
  });
});

describe('a rule that is created while the service starts', () => {
  it('is not taken for one that a crash left', async () => {
    const store = await openSqlite(':memory:');
    const { setRuleStatus, everyRule } = store;
    const [taken, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read = Promise.withResolvers<void>();
    Object.assign(store, {
      async *everyRule() {
        for await (const slice of everyRule()) {
          read.resolve();
          yield slice;
        }
      },
      async setRuleStatus(id, platform, state) {
        taken.resolve();
        await resumed.promise;
        return setRuleStatus(id, platform, state);
      },
    } satisfies Partial<Store>);
    await using test = await stage({ store, loaded: false });
    const creating = test.call(test.alice, 'createRule', storm);
    await taken.promise;
    const starting = test.service.start();
    await read.promise;
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    resumed.resolve();
    const { rule_id } = await creating;
    await starting;
    expect((await test.call(test.alice, 'listRules')).rules.map(({ id }) => id)).toEqual([rule_id]);
    expect(await test.post(test.alice, 'storm')).toMatchObject({ matches: 1 });
  });
});

describe('a list of long rules', () => {
  it('lets everything else run between them', async () => {
    const { x, firehose } = languages({ local: true });
    let [turn, isListed] = [0, false];
    const analysed: number[] = [];
    const parse: Language['parse'] = (text, mending) => {
      if (isListed && mending?.left === 0) analysed.push(turn);
      return firehose.parse(text, mending);
    };
    await using test = await stage({ languages: { x, firehose: { ...firehose, parse } } });
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    const rule = (await test.store.rule(test.alice.account.id, rule_id))!;
    const textOf = (at: number) => Array.from({ length: 100 }, (_, word) => `word${at}x${word}`).join(' OR ');
    const rules = Array.from({ length: 20 }, (_, at) => ({
      ...rule,
      platforms: { firehose: { ...rule.platforms.firehose!, value: textOf(at) } },
    }));
    Object.assign(test.store, {
      async *rules() {
        yield rules;
      },
    } satisfies Partial<Store>);
    const count = () => {
      turn++;
      if (isListed) setImmediate(count);
    };
    isListed = true;
    setImmediate(count);
    expect((await test.call(test.alice, 'listRules')).rules).toHaveLength(rules.length);
    isListed = false;
    const inOneTurn = [...Map.groupBy(analysed, (one) => one).values()].map((texts) => texts.length);
    expect(analysed).toHaveLength(rules.length);
    expect(Math.max(...inOneTurn)).toBeLessThanOrEqual(4);
  });
});

describe('idempotency keys', () => {
  const again = { idempotencyKey: 'once-1' };

  it('answer the same request with the first result', async () => {
    await using test = await stage();
    const first = await test.call(test.alice, 'createRule', storm, again);
    expect(await test.call(test.alice, 'createRule', storm, again)).toEqual(first);
    const together = Array.from({ length: 5 }, () =>
      test.call(test.alice, 'createRule', both, { idempotencyKey: 'once-2' }),
    );
    expect(new Set((await Promise.all(together)).map(({ rule_id }) => rule_id)).size).toBe(1);
    expect((await test.call(test.alice, 'listRules')).rules).toHaveLength(2);
  });

  it('refuse another request, and belong to an account', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', storm, again);
    expect(await failure(test.call(test.alice, 'createRule', both, again))).toMatchObject({ code: 'already_exists' });
    await test.call(await test.caller('bob'), 'createRule', both, again);
  });

  it('answer the first result even after the rule is gone', async () => {
    await using test = await stage();
    const first = await test.call(test.alice, 'createRule', storm, again);
    await test.call(test.alice, 'deleteRule', { rule_id: first.rule_id });
    expect(await test.call(test.alice, 'createRule', storm, again)).toEqual(first);
  });
});

describe('list and get rules', () => {
  it('shows the oldest first, with what each platform holds', async () => {
    await using test = await stage();
    const first = await test.call(test.alice, 'createRule', storm);
    await test.call(test.alice, 'createRule', { ...both, name: 'Second', options: { firehose: { nsfw: true } } });
    await test.post(test.alice, 'storm');
    const { rules } = await test.call(test.alice, 'listRules');
    expect(rules.map(({ name }) => name)).toEqual(['Storms', 'Second']);
    expect(rules[0]).toEqual({
      id: first.rule_id,
      name: 'Storms',
      intent: 'Warn me.',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      version: 1,
      paused: false,
      alerts: { surge: false, silence: false },
      platforms: {
        x: {
          platform_rule_id: first.platforms.x?.platform_rule_id,
          translated_value: 'storm',
          rule_type: 'premium',
          status: 'active',
          match_count: 1,
          last_match_at: expect.any(String),
        },
      },
    });
    expect(rules[1]?.platforms.firehose).toMatchObject({
      rule_type: 'regular',
      match_count: 0,
      last_match_at: null,
      options: { nsfw: true },
    });
    expect(await test.call(test.alice, 'getRule', { rule_id: first.rule_id })).toEqual(rules[0]);
  });
});

describe('update rule', () => {
  it('changes texts with a new version, and keeps the matches of the old one', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    await test.post(test.alice, 'storm');
    const changed = await test.call(test.alice, 'updateRule', { rule_id, name: 'Rain', overrides: { x: 'rain' } });
    expect(changed).toMatchObject({
      name: 'Rain',
      intent: 'Warn me.',
      version: 2,
      platforms: { x: { translated_value: 'rain', status: 'active' }, firehose: { translated_value: 'title:storm' } },
    });
    expect(await test.post(test.alice, 'storm', 'rain')).toMatchObject({ matches: 1 });
    const { matches } = await test.call(test.alice, 'listMatches', { rule_id });
    expect(matches.map(({ rule_version, rule_name }) => [rule_version, rule_name])).toEqual([
      [2, 'Rain'],
      [1, 'Rain'],
    ]);
  });

  it('pauses and resumes without a new version', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', storm);
    expect(await test.call(test.alice, 'updateRule', { rule_id, paused: true })).toMatchObject({
      paused: true,
      version: 1,
    });
    expect(await test.post(test.alice, 'storm')).toMatchObject({ matches: 0 });
    await test.call(test.alice, 'updateRule', { rule_id, paused: false });
    expect(await test.post(test.alice, 'storm')).toMatchObject({ matches: 1 });
  });

  it('is not matched any more when another process deletes it meanwhile', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', storm);
    const { rule, changeRule } = test.store;
    let isChanged = false;
    Object.assign(test.store, {
      async changeRule(...change) {
        isChanged = (await changeRule(...change)) === true;
        return isChanged;
      },
      async rule(accountId, id) {
        const found = await rule(accountId, id);
        // The first read after the change is the one that goes into the engine.
        if (isChanged) await test.store.deleteRule(accountId, id);
        return found;
      },
    } satisfies Partial<Store>);
    const changing = test.call(test.alice, 'updateRule', { rule_id, overrides: { x: 'rain' } });
    expect(await failure(changing)).toMatchObject({ code: 'not_found' });
    expect(test.service.context.matching.size('x')).toBe(0);
  });

  it('comes to a platform that it was not on, and matches there at once', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', storm);
    const push = (id: string) =>
      test.call(test.alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify({ id, title: 'storm' }) });
    expect(await push('1')).toMatchObject({ matches: 0 });
    const overrides = { firehose: ' title:storm ' };
    const changed = await test.call(test.alice, 'updateRule', {
      rule_id,
      overrides,
      options: { firehose: { nsfw: true } },
    });
    expect(changed.version).toBe(2);
    expect(changed.platforms).toMatchObject({
      x: { translated_value: 'storm', status: 'active' },
      firehose: { translated_value: 'title:storm', status: 'active', options: { nsfw: true } },
    });
    expect(await push('2')).toMatchObject({ matches: 1 });
    const { coverage } = await test.call(test.alice, 'listMatches', { rule_id });
    const [from, since] = [coverage.platforms.firehose!.complete_from!, changed.created_at];
    expect(Date.parse(from)).toBeGreaterThanOrEqual(Date.parse(since));
  });

  it('leaves a platform, and keeps what it found there', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    await test.post(test.alice, 'storm');
    const changed = await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: null } });
    expect([changed.version, Object.keys(changed.platforms)]).toEqual([2, ['firehose']]);
    expect(await test.post(test.alice, 'storm')).toMatchObject({ matches: 0 });
    expect((await test.call(test.alice, 'listMatches', { rule_id })).matches).toHaveLength(1);
    const back = await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: 'storm' } });
    expect(back.platforms.x).toMatchObject({ match_count: 1 });
    expect(await test.post(test.alice, 'storm')).toMatchObject({ matches: 1 });
  });

  it('comes to no platform beyond the limit', async () => {
    await using test = await stage();
    const carol = await test.caller('carol', { xRules: 1 });
    await test.call(carol, 'createRule', storm);
    const pages = { ...storm, platforms: ['firehose'], overrides: { firehose: 'title:storm' } };
    const { rule_id } = await test.call(carol, 'createRule', pages);
    const change = { rule_id, name: 'Other', overrides: { x: 'storm' } };
    expect(await failure(test.call(carol, 'updateRule', change))).toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'x_rules' },
    });
    expect(await test.call(carol, 'getRule', { rule_id })).toMatchObject({ name: 'Storms', version: 1 });
  });

  it('changes its flags without its text', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', {
      ...both,
      options: { firehose: { quality: true } },
    });
    const options = { firehose: { nsfw: true } };
    const changed = await test.call(test.alice, 'updateRule', { rule_id, options });
    expect(changed.platforms.firehose).toMatchObject({ options: { quality: true, nsfw: true } });
    expect(changed.version).toBe(2);
    expect((await test.call(test.alice, 'updateRule', { rule_id, options })).version).toBe(2);
  });

  it('changes nothing when a part is wrong', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', storm);
    const before = await test.call(test.alice, 'getRule', { rule_id });
    for (const change of [
      { overrides: { x: '(' } },
      { overrides: { firehose: 'title:' } },
      { overrides: { x: null } },
      { options: { firehose: { nsfw: true } } },
      { overrides: { x: '' } },
      { paused: 'yes' },
    ]) {
      expect(await issuesOf(test, test.alice, { rule_id, name: 'Other', ...change }, 'updateRule')).not.toEqual([]);
    }
    expect(await test.call(test.alice, 'getRule', { rule_id })).toEqual(before);
  });
});

describe('delete rule', () => {
  it('takes the rule and its matches away, once', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', storm);
    await test.post(test.alice, 'storm');
    expect(await test.call(test.alice, 'deleteRule', { rule_id })).toHaveProperty('restorable_until');
    expect(await test.post(test.alice, 'storm')).toMatchObject({ accepted: 1, matches: 0 });
    expect((await test.call(test.alice, 'listMatches')).matches).toEqual([]);
    expect((await test.call(test.alice, 'listRules')).rules).toEqual([]);
    expect(await failure(test.call(test.alice, 'deleteRule', { rule_id }))).toMatchObject({ code: 'not_found' });
    expect(await failure(test.call(test.alice, 'listMatches', { rule_id }))).toMatchObject({ code: 'not_found' });
  });

  it('stores nothing of it once it has returned, not even what was on its way', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', storm);
    const pushed = test.post(test.alice, 'storm');
    await test.call(test.alice, 'deleteRule', { rule_id });
    expect(await pushed).toMatchObject({ accepted: 1, matches: 0 });
  });

  it('frees a place under the limit', async () => {
    await using test = await stage();
    const carol = await test.caller('carol', { xRules: 1 });
    const { rule_id } = await test.call(carol, 'createRule', storm);
    await test.call(carol, 'deleteRule', { rule_id });
    expect(await test.call(carol, 'createRule', storm)).toHaveProperty('rule_id');
  });
});
