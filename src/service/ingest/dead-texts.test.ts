import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { languages } from '../../rules/languages.ts';
import { ANALYSED_BY_LIST, createDeadTexts, EACH_TEXT } from './dead-texts.ts';

const { x, firehose } = languages({ local: true });

/** Counts how often a text is analysed. */
function counting() {
  let analysed = 0;
  const parse: typeof x.parse = (text, mending) => {
    analysed++;
    return x.parse(text, mending);
  };
  return { dead: createDeadTexts({ x: { ...x, parse }, firehose }), analysed: () => analysed };
}

describe('a text that no event can match', () => {
  it('is told with the reason, on each platform in its own language', () => {
    const dead = createDeadTexts({ x, firehose });
    expect(dead.whyDead('x', 'acme (refund OR broken) -acme')).toBe(
      'No post can match this rule: acme is both required and excluded.',
    );
    expect(dead.whyDead('firehose', 'title:acme AND NOT title:acme')).toMatch(/^No page can match this rule/);
    expect(dead.whyDead('x', 'acme -sale')).toBeUndefined();
    expect(dead.whyDead('firehose', 'acme')).toBeUndefined();
  });

  it('is analysed once, however often it is shown', () => {
    const { dead, analysed } = counting();
    for (let times = 0; times < 3; times++) {
      expect(dead.whyDead('x', 'acme -acme')).toBeDefined();
      expect(dead.forList()('x', 'acme')).toBeUndefined();
    }
    expect(analysed()).toBe(2);
  });

  it('waits for the next list where one has analysed its share', () => {
    const { dead, analysed } = counting();
    const texts = Array.from({ length: 64 }, (_, at) => `${at}`.padEnd(ANALYSED_BY_LIST / 64 - EACH_TEXT, 'x'));
    const list = () => {
      const whyDead = dead.forList();
      return [...texts, 'acme -acme'].map((text) => whyDead('x', text)).at(-1);
    };
    expect(list()).toBeUndefined();
    expect(analysed()).toBe(texts.length);
    expect(list()).toBeDefined();
    expect(analysed()).toBe(texts.length + 1);
  });

  it('is analysed where a longer one before it had no room left', () => {
    const { dead, analysed } = counting();
    const whyDead = dead.forList();
    expect(whyDead('x', 'x'.repeat(ANALYSED_BY_LIST))).toBeUndefined();
    expect(analysed()).toBe(0);
    expect(whyDead('x', 'acme -acme')).toBeDefined();
  });
});

describe('a rule whose text no event can match', () => {
  const reason = 'No post can match this rule: acme is both required and excluded.';

  it('is told of by all who create, change, get or list it, and no other is', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const rule = { name: 'A', intent: '', platforms: ['x', 'firehose'] as const };
    const created = await test.call(alice, 'createRule', { ...rule, overrides: { x: 'acme -acme', firehose: 'acme' } });
    expect(created.platforms.x).toMatchObject({ can_match: false, reason });
    expect(created.platforms.firehose).not.toHaveProperty('can_match');
    const { rule_id } = created;
    const told = { x: { can_match: false, reason, status: 'active' } };
    expect((await test.call(alice, 'getRule', { rule_id })).platforms).toMatchObject(told);
    expect((await test.call(alice, 'listRules', {})).rules[0]!.platforms).toMatchObject(told);
    const changed = await test.call(alice, 'updateRule', { rule_id, overrides: { x: 'acme' } });
    expect(changed.platforms.x).not.toHaveProperty('can_match');
    const again = await test.call(alice, 'updateRule', { rule_id, overrides: { x: 'acme -acme' } });
    expect(again.platforms).toMatchObject(told);
    expect(again.platforms.firehose).not.toHaveProperty('can_match');
  });
});
