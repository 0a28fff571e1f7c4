import { describe, expect, it } from 'vitest';
import type { Match } from '../domain/match.ts';
import type { Rule } from '../domain/rule.ts';
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
  const view = { isUpstream: () => false, reasonToRest: () => undefined, whyDead: () => undefined };

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
    const resting = { ...view, isUpstream: () => true, reasonToRest: () => 'The budget is spent.' };
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
