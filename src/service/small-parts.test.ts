import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { openService } from '../../test/stages/service.ts';
import type { Match } from '../domain/match.ts';
import type { Rule } from '../domain/rule.ts';
import { languages } from '../rules/languages.ts';
import { given, queryOf, textKey, textsOfRequest } from '../rules/rule-text.ts';
import { StoreError } from '../store/error.ts';
import {
  accountFields,
  byCaller,
  changeNote,
  grantFields,
  keyFields,
  ruleFields,
  SYSTEM,
  webhookFields,
} from './change-notes.ts';
import { chosenDemo, createDemo, NO_DEMO } from './ingest/demo.ts';
import { eraseAnnounced, eraseForAll } from './outlets/erasure.ts';
import { notifier } from './outlets/notify.ts';
import { createReadiness, type NotReady, storeFault } from './readiness.ts';
import { alertsFrom, characters, matchToJson, platform, ruleToJson } from './shapes.ts';

const AT = new Date('2026-11-15T08:30:00.000Z');

describe('a rule as JSON', () => {
  const held = {
    value: 'storm',
    flags: {},
    status: 'active',
    error: undefined,
    platformRuleId: 'id',
    matchCount: 3,
    lastMatchAt: AT,
  };
  const rule = (platforms: object) =>
    ({
      id: 'r',
      accountId: 'a',
      name: 'n',
      intent: 'i',
      version: 2,
      paused: true,
      createdAt: AT,
      alerts: { surge: true, silence: false },
      platforms,
    }) as unknown as Rule;
  const view = { isUpstream: () => false, reasonToRest: () => undefined };

  it('has each platform as it is there', () => {
    expect(ruleToJson(rule({ x: held }), view)).toEqual({
      id: 'r',
      name: 'n',
      intent: 'i',
      platforms: {
        x: {
          platform_rule_id: 'id',
          translated_value: 'storm',
          rule_type: 'premium',
          status: 'active',
          match_count: 3,
          last_match_at: AT.toISOString(),
        },
      },
      created_at: AT.toISOString(),
      version: 2,
      paused: true,
      alerts: { surge: true, silence: false },
    });
    const bare = { ...held, platformRuleId: undefined, lastMatchAt: undefined, error: 'No.', flags: { nsfw: false } };
    expect(ruleToJson(rule({ firehose: bare }), view).platforms.firehose).toMatchObject({
      platform_rule_id: null,
      rule_type: 'regular',
      last_match_at: null,
      error: 'No.',
      options: { nsfw: false },
    });
    const flagged = ruleToJson(rule({ firehose: { ...held, flags: { quality: false } } }), view);
    expect(flagged.platforms.firehose!.options).toEqual({ quality: false });
  });

  it('says why it rests, and how often the upstream agrees', () => {
    const resting = { isUpstream: () => true, reasonToRest: () => 'The budget is spent.' };
    const { x } = ruleToJson(rule({ x: { ...held, error: 'older' } }), resting).platforms;
    expect(x).toMatchObject({
      status: 'over_budget',
      error: 'The budget is spent.',
      engine_agreement: { agreed: 0, upstream_only: 0, engine_only: 0 },
    });
    const agreement = { agreed: 1, upstreamOnly: 2, engineOnly: 3 };
    expect(ruleToJson(rule({ x: { ...held, agreement } }), resting).platforms.x!.engine_agreement).toEqual({
      agreed: 1,
      upstream_only: 2,
      engine_only: 3,
    });
  });

  it('keeps the alerts that a change does not name', () => {
    expect(alertsFrom({ surge: true, silence: false }, {})).toEqual({ surge: true, silence: false });
    expect(alertsFrom({ surge: true, silence: false }, { surge: false, silence: true })).toEqual({
      surge: false,
      silence: true,
    });
  });
});

describe('a match as JSON', () => {
  const match = {
    id: 'match_01k3zqb2v4n8s6d0f3h5j7k9m1',
    createdAt: AT,
    position: 1,
    platform: 'x',
    platformPostId: 'p',
    ruleId: 'r',
    ruleName: 'n',
    ruleVersion: 2,
    payload: { data: {} },
    highlights: [{ field: 'f', start: 1, end: 2, more: 3 }],
  } as unknown as Match;

  it('has what is known, and null or nothing for the rest', () => {
    expect(matchToJson(match)).toEqual({
      id: match.id,
      created_at: AT.toISOString(),
      platform: 'x',
      platform_post_id: 'p',
      rule_id: 'r',
      rule_name: 'n',
      rule_version: 2,
      event_id: expect.stringMatching(/^event_/),
      story_id: null,
      story_first: false,
      relevance: null,
      rating: null,
      payload: { data: {} },
      highlights: [{ field: 'f', start: 1, end: 2 }],
    });
    const more = {
      editOf: 'e',
      source: 'demo',
      storyId: 's',
      storyFirst: true,
      relevance: 0.12345,
      rating: 'relevant',
    };
    expect(matchToJson({ ...match, ...more } as Match)).toMatchObject({
      edit_of: 'e',
      source: 'demo',
      demo: true,
      story_id: 's',
      story_first: true,
      relevance: 0.123,
      rating: 'relevant',
    });
  });
});

describe('shapes', () => {
  it('count characters as people do', () => {
    const shape = characters(2, 3);
    const fits = (text: string) => shape.safeParse(text).success;
    expect(['a', 'ab', 'abc', 'abcd', '😀😀😀', '😀😀😀😀'].map(fits)).toEqual([false, true, true, false, true, false]);
  });

  it('name the platforms to someone who knows none', () => {
    const said = (input: unknown) => platform.safeParse(input).error?.issues[0]?.message;
    expect([said('x'), said(undefined), said(7)]).toEqual([
      undefined,
      'It is required.',
      'this is not a platform; the platforms are x and firehose.',
    ]);
    expect(said('y'.repeat(50))).toContain(`"${'y'.repeat(40)}" is not`);
  });
});

describe('a rule text', () => {
  it('is trimmed, has the flags of firehose alone, and is left out where there is none', () => {
    const options = { firehose: { quality: true, nsfw: undefined } };
    expect(textsOfRequest({ x: ' storm ', firehose: 'rain' }, options)).toEqual({
      x: { value: 'storm', flags: {} },
      firehose: { value: 'rain', flags: { quality: true } },
    });
    expect(textsOfRequest({ x: undefined, other: 'y' } as never, undefined)).toEqual({});
    expect([given(), given({ nsfw: false })]).toEqual([{}, { nsfw: false }]);
  });

  it('is another one with other flags', () => {
    const keys = [{}, { quality: true }, { nsfw: true }, { quality: false }].map((flags) =>
      textKey({ value: 'v', flags }),
    );
    expect(new Set(keys).size).toBe(4);
  });

  it('asks for its flags on firehose, and cannot be read when it is wrong', () => {
    const { x, firehose } = languages({ local: true });
    const plain = queryOf(firehose, { value: 'storm', flags: {} });
    expect(queryOf(firehose, { value: 'storm', flags: { quality: true } })).not.toEqual(plain);
    expect(queryOf(x, { value: 'storm', flags: { quality: true } })).toEqual(queryOf(x, { value: 'storm', flags: {} }));
    expect(queryOf(x, { value: '(', flags: {} })).toBeUndefined();
  });
});

describe('a note of a change', () => {
  const key = { id: 'k', name: 'key', scope: 'full' } as never;

  it('says who made it', () => {
    expect(byCaller({ key })).toEqual({ kind: 'key', keyId: 'k', keyName: 'key' });
    expect(byCaller({ key, session: 's' }).kind).toBe('session');
    expect(byCaller({ key, session: 's', grant: {} }).kind).toBe('grant');
  });

  it('has the fields that differ, and all of what comes or goes', () => {
    const note = changeNote(AT, SYSTEM, 'rule.changed', 'r', {
      before: { same: [1], old: 1, other: 'a' },
      after: { same: [1], new: 2, other: 'b' },
    });
    expect(note).toEqual({
      at: AT,
      by: { kind: 'system' },
      what: 'rule.changed',
      id: 'r',
      before: { old: 1, other: 'a', new: null },
      after: { old: null, other: 'b', new: 2 },
    });
    expect(changeNote(AT, SYSTEM, 'rule.created', 'r', { after: { a: 1 } })).toMatchObject({
      before: undefined,
      after: { a: 1 },
    });
  });

  it('names the fields of rules, keys, grants and accounts', () => {
    const texts = { x: { value: 'v', flags: { nsfw: true }, status: 'active' } };
    expect(ruleFields({ name: 'n', intent: 'i', platforms: texts })).toEqual({
      name: 'n',
      intent: 'i',
      paused: false,
      alerts: { surge: false, silence: false },
      x: { value: 'v', options: { nsfw: true } },
    });
    expect(keyFields({ name: 'n', scope: 'read', expiresAt: undefined })).toEqual({
      name: 'n',
      scope: 'read',
      expires_at: null,
    });
    const grant = { clientId: 'c', clientName: 'C', scopes: ['read'], ruleIds: undefined, expiresAt: AT };
    expect(grantFields(grant as never)).toEqual({
      client_id: 'c',
      client_name: 'C',
      scopes: ['read'],
      rule_ids: null,
      expires_at: AT.toISOString(),
    });
    expect(accountFields({ name: 'n', plan: 'paid', xRules: 1 })).toEqual({
      name: 'n',
      plan: 'paid',
      x_rules: 1,
      x_budget: null,
      x_budget_spent_in: null,
    });
  });

  it.each([
    ['mailto:ada@example.com', 'mailto:ada@example.com'],
    ['https://a.test/', 'https://a.test'],
    ['https://a.test/secret', 'https://a.test/…'],
    ['https://a.test/?secret', 'https://a.test/…'],
  ])('shows %s as %s', (url, shown) => {
    const webhook = { url, description: 'd', format: 'json', status: 'active', ruleIds: null, platforms: undefined };
    expect(webhookFields({ ...webhook, every: undefined } as never)).toEqual({
      url: shown,
      description: 'd',
      rule_ids: null,
      platforms: null,
      format: 'json',
      batch_ms: null,
      wake: null,
      status: 'active',
    });
  });
});

describe('the readiness of a process', () => {
  const stage = (
    roles: readonly ('api' | 'delivery')[],
    troubles: Partial<Record<string, NotReady>> = {},
    loaded = true,
  ) =>
    createReadiness({
      roles,
      matching: { isLoaded: loaded },
      ingest: { trouble: troubles['ingest'] },
      here: { trouble: troubles['here'] },
      follower: { trouble: troubles['follower'] },
      start: { trouble: troubles['start'] },
    });

  it('is there when nothing is in the way', () => {
    expect(stage(['api']).notReady()).toEqual([]);
  });

  it('names each thing once, and follows no one before it has its rules', () => {
    const all = { ingest: 'store_away', here: 'disk_full', follower: 'store_away' } as const;
    expect(stage(['api'], all).notReady()).toEqual(['store_away']);
    expect(stage(['api'], { follower: 'node_behind' }).notReady()).toEqual(['node_behind']);
    expect(stage(['api'], { follower: 'node_behind' }, false).notReady()).toEqual(['rules_loading']);
    expect(stage(['api'], { start: 'store_away' }, false).notReady()).toEqual(['rules_loading', 'store_away']);
  });

  it('of a node that only delivers needs neither rules nor events', () => {
    expect(stage(['delivery'], { ingest: 'broker_away', follower: 'node_behind' }, false).notReady()).toEqual([]);
    expect(stage(['delivery'], { here: 'disk_full', follower: 'store_away' }).notReady()).toEqual([
      'disk_full',
      'store_away',
    ]);
    expect(stage(['delivery', 'api'], { ingest: 'broker_away' }).notReady()).toEqual(['broker_away']);
  });

  it('ends when it leaves', () => {
    const readiness = stage(['api']);
    expect(readiness.isLeaving).toBe(false);
    readiness.leave();
    expect([readiness.isLeaving, readiness.notReady()]).toEqual([true, ['stopping']]);
  });

  it('tells a store that is away from a full disk and from others', () => {
    const faults = [
      new StoreError('away', ''),
      new StoreError('full', ''),
      new StoreError('unwritable', ''),
      new Error('x'),
    ];
    expect(faults.map(storeFault)).toEqual(['store_away', 'disk_full', 'store_unwritable', 'store_unwritable']);
  });
});

describe('the demo feed', () => {
  const terms = { impossible: undefined, byDefault: true, platforms: ['x'] as const };

  it('plays by default or by choice, and never where it cannot', async () => {
    expect(createDemo(terms, undefined)).toMatchObject({ isPlaying: true, platforms: ['x'] });
    expect(createDemo({ ...terms, byDefault: false }, undefined)).toMatchObject({ isPlaying: false, platforms: [] });
    expect(createDemo({ ...terms, byDefault: false }, 'start').isPlaying).toBe(true);
    expect(createDemo(terms, 'stop').isPlaying).toBe(false);
    expect(createDemo({ ...terms, impossible: 'No.' }, 'start').isPlaying).toBe(false);
    const demo = createDemo(NO_DEMO, undefined);
    await expect(demo.choose('start', async () => {})).rejects.toMatchObject({ code: 'failed_precondition' });
    await demo.choose('stop', async () => {});
  });

  it('keeps the choice before it follows it, and tells of it', async () => {
    const kept: unknown[] = [];
    let told = 0;
    const demo = createDemo({ ...terms, changed: () => void told++ }, undefined);
    await demo.choose('stop', async (cursor) => {
      kept.push([cursor, demo.isPlaying]);
    });
    expect([kept, demo.isPlaying, told]).toEqual([[[{ name: 'demo', value: 'stop' }, true]], false, 1]);
    await expect(demo.choose('start', () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect([demo.isPlaying, told]).toEqual([false, 1]);
  });

  it('reads a choice that is one', async () => {
    const chosen = (value: string | undefined) => chosenDemo({ cursor: async () => value });
    expect([await chosen('start'), await chosen('stop'), await chosen('x'), await chosen(undefined)]).toEqual([
      'start',
      'stop',
      undefined,
      undefined,
    ]);
  });

  it('is started and stopped by the operator', async () => {
    const demo = createDemo({ ...terms, byDefault: false }, undefined);
    await using test = await openService({ demo });
    const operator = await test.caller('default');
    expect(await test.call(operator, 'setDemo')).toEqual({ playing: false, platforms: [] });
    expect(await test.call(operator, 'setDemo', { playing: true })).toEqual({ playing: true, platforms: ['x'] });
    expect(await chosenDemo(test.store)).toBe('start');
    expect(await test.call(operator, 'setDemo', { playing: false })).toEqual({ playing: false, platforms: [] });
    expect(await chosenDemo(test.store)).toBe('stop');
    const alice = await test.caller('alice');
    await expect(test.call(alice, 'setDemo')).rejects.toMatchObject({ code: 'permission_denied' });
  });
});

describe('an erasure for all accounts', () => {
  const stage = (erased: { matches: number; accountIds: string[] }) => {
    const done: unknown[] = [];
    const deps = {
      store: {
        eraseEverywhere: async (...post: unknown[]) => {
          done.push(post);
          return erased;
        },
        eraseAnnounced: async (...posts: unknown[]) => {
          done.push(posts);
          return erased;
        },
      },
      live: { forget: (accountId: string) => void done.push(`forget ${accountId}`) },
      nodes: { caughtUp: async () => void done.push('every node') },
    } as unknown as Parameters<typeof eraseForAll>[0];
    return { deps, done };
  };

  it('has streams forget, here and on every node, before it answers', async () => {
    const { deps, done } = stage({ matches: 3, accountIds: ['a', 'b'] });
    expect(await eraseForAll(deps, 'x', 'p')).toBe(3);
    expect(done).toEqual([['x', 'p'], 'forget a', 'forget b', 'every node']);
  });

  it('waits for no node where nothing was there', async () => {
    const { deps, done } = stage({ matches: 0, accountIds: [] });
    expect(await eraseAnnounced(deps, 'x', ['p', 'q'])).toBe(0);
    expect(done).toEqual([['x', ['p', 'q'], {}]]);
  });
});

describe('a notice', () => {
  const notice = { type: 'budget_spent', at: AT, message: 'Spent.', subject: { platform: 'x' } } as const;
  const hook = (id: string, events: readonly string[]) => ({
    id,
    url: 'https://a.test/',
    events,
    format: 'json',
    status: 'active',
  });

  it('goes to the webhooks that want operational events', async () => {
    const stored: { webhookId: string }[] = [];
    const changed: string[] = [];
    const store = {
      webhooks: async () => [
        hook('one', ['match']),
        hook('two', ['operational']),
        hook('three', ['match', 'operational']),
      ],
      addNotices: async (list: never[]) => void stored.push(...list),
    } as never;
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    await notifier({ store, clock: fakeClock(), log }, { changed: (id) => void changed.push(id) })('a', notice);
    expect([stored.map(({ webhookId }) => webhookId), changed]).toEqual([
      ['two', 'three'],
      ['two', 'three'],
    ]);
  });

  it('that no one wants is not stored, and one that cannot be is logged', async () => {
    let added = 0;
    const warned: string[] = [];
    const log = { info: () => {}, warn: (_: object, message: string) => void warned.push(message), error: () => {} };
    const tell = (webhooks: () => Promise<unknown[]>) =>
      notifier(
        { store: { webhooks, addNotices: async () => void added++ } as never, clock: fakeClock(), log },
        { changed: () => {} },
      )('a', notice);
    await tell(async () => [hook('one', ['match'])]);
    expect([added, warned]).toEqual([0, []]);
    await tell(() => Promise.reject(new Error('away')));
    expect(warned).toHaveLength(1);
  });
});
