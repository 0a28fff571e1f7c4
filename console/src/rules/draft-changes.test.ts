import { describe, expect, it } from 'vitest';
import type { Rule } from '../data/queries.ts';
import { type Draft, draftOf, type Flags } from './draft.ts';
import { draftChanges, editOf, isEdit, withEdit } from './draft-changes.ts';

const held = (value: string, options?: Flags) => ({
  platform_rule_id: '1',
  translated_value: value,
  rule_type: 'premium' as const,
  status: 'active' as const,
  match_count: 0,
  last_match_at: null,
  ...(options !== undefined && { options: { quality: options.quality === true, nsfw: options.nsfw === true } }),
});
const ruleOn = (platforms: Rule['platforms']): Rule => ({
  id: 'rule_1',
  name: 'Storms',
  intent: '',
  platforms,
  created_at: '2026-11-15T08:00:00.000Z',
  version: 1,
  alerts: { surge: false, silence: false },
  paused: false,
});

describe('what an edit sends', () => {
  const rule = ruleOn({ x: held('storm') });
  const saved: Draft = draftOf(rule);

  it('is nothing but what differs', () => {
    expect(draftChanges(rule, saved)).toEqual({ rule_id: 'rule_1' });
    expect(draftChanges(rule, { ...saved, name: ' Rain ' })).toEqual({ rule_id: 'rule_1', name: 'Rain' });
  });

  it('adds a platform with its options, and takes the rule off one with null', () => {
    const both = { ...saved, texts: { x: 'storm', firehose: 'title:storm' }, flags: { quality: true } };
    expect(draftChanges(rule, both)).toEqual({
      rule_id: 'rule_1',
      overrides: { firehose: 'title:storm' },
      options: { firehose: { quality: true } },
    });
    expect(draftChanges(rule, { ...saved, texts: { firehose: 'title:storm' } })).toEqual({
      rule_id: 'rule_1',
      overrides: { x: null, firehose: 'title:storm' },
    });
  });

  it('is the switches alone when only they have changed', () => {
    const page = ruleOn({ firehose: held('title:storm', { quality: false, nsfw: false }) });
    const draft = draftOf(page);
    expect(draftChanges(page, { ...draft, flags: { nsfw: false, quality: false } })).toEqual({ rule_id: 'rule_1' });
    expect(draftChanges(page, { ...draft, flags: { quality: true, nsfw: false } })).toEqual({
      rule_id: 'rule_1',
      options: { firehose: { quality: true, nsfw: false } },
    });
  });
});

describe('what is kept of an edit', () => {
  const saved = draftOf(ruleOn({ x: held('storm'), firehose: held('title:storm', { quality: true }) }));
  const others = { ...saved, name: 'Gales', texts: { x: 'gale', firehose: 'title:gale' }, flags: { nsfw: true } };

  it('is what the person has changed, and the rest is as others have left it', () => {
    const edit = editOf(saved, { ...saved, intent: 'Weather', texts: { ...saved.texts, x: 'storm near' } });
    expect(edit).toEqual({ intent: 'Weather', texts: { x: 'storm near' }, flags: {} });
    expect(withEdit(others, edit)).toEqual({
      ...others,
      intent: 'Weather',
      texts: { x: 'storm near', firehose: 'title:gale' },
    });
    expect(withEdit(saved, editOf(saved, others))).toMatchObject({ name: 'Gales', texts: others.texts });
  });

  it('can be that the rule leaves a platform, or watches another', () => {
    const left = editOf(saved, { ...saved, texts: { firehose: 'title:storm' } });
    expect(left.texts).toEqual({ x: null });
    expect(withEdit(others, left).texts).toEqual({ firehose: 'title:gale' });
    const alone = draftOf(ruleOn({ x: held('storm') }));
    expect(withEdit(alone, editOf(alone, saved)).texts).toEqual(saved.texts);
  });

  it('is read back from the browser only if it is one', () => {
    for (const value of [saved, { texts: { x: null }, flags: {} }]) expect(isEdit(value)).toBe(true);
    for (const value of [null, 1, {}, { texts: { bluesky: 'a' }, flags: {} }, { texts: { x: 1 }, flags: {} }])
      expect(isEdit(value)).toBe(false);
  });
});
