import { describe, expect, it } from 'vitest';
import type { Registration } from '../../domain/rule.ts';
import type { HeldRule } from '../../platforms/platform.ts';
import { compare } from './comparison.ts';

const row = (tag: string, change: Partial<Registration> = {}): Registration => ({
  tag: `ours-${tag}`,
  platform: 'x',
  value: tag,
  flags: {},
  texts: [tag],
  platformRuleId: `id-${tag}`,
  state: 'held',
  since: new Date(0),
  ...change,
});
const held = (tag: string, change: Partial<HeldRule> = {}): HeldRule => ({
  id: `id-${tag}`,
  value: tag,
  flags: {},
  tag: `ours-${tag}`,
  ...change,
});
const seen = (rows: readonly Registration[], there: readonly HeldRule[]) => {
  const { found, lost, extra, foreign } = compare(rows, there, 'ours-');
  return {
    found: found.map(({ row: { tag }, id }) => `${tag} ${id}`),
    lost: lost.map(({ tag }) => tag),
    extra: extra.map(({ id }) => id),
    foreign,
  };
};
const nothing = { found: [], lost: [], extra: [], foreign: 0 };

describe('compare', () => {
  it('finds nothing to do where all is as it should be', () => {
    expect(seen([row('a'), row('b')], [held('b'), held('a')])).toEqual(nothing);
  });

  it('sees what is missing, and what no rule wants', () => {
    expect(seen([row('a'), row('b')], [held('b'), held('c')])).toEqual({
      ...nothing,
      lost: ['ours-a'],
      extra: ['id-c'],
    });
  });

  it('counts what does not bear our mark, and touches none of it', () => {
    const foreign = [held('c', { tag: undefined }), held('d', { tag: 'theirs-1' }), held('e', { tag: 'our' })];
    expect(seen([row('a')], [held('a'), ...foreign])).toEqual({ ...nothing, foreign: 3 });
  });

  it('finds what was asked for and never answered', () => {
    const asked = row('a', { platformRuleId: undefined, state: 'wanted' });
    expect(seen([asked], [held('a')])).toEqual({ ...nothing, found: ['ours-a id-a'] });
    expect(seen([asked], [])).toEqual({ ...nothing, lost: ['ours-a'] });
  });

  it('takes a value that is held under another id or tag, another program’s too', () => {
    expect(seen([row('a')], [held('a', { id: '7' })]).found).toEqual(['ours-a 7']);
    expect(seen([row('a')], [held('a', { id: '7', tag: 'ours-z' })]).found).toEqual(['ours-a 7']);
    expect(seen([row('a')], [held('a', { id: '7', tag: undefined })])).toEqual({
      ...nothing,
      found: ['ours-a 7'],
      foreign: 1,
    });
  });

  it('keeps one of two that are the same, the one it knows before all others', () => {
    expect(seen([row('a')], [held('a', { id: '7' }), held('a')])).toEqual({ ...nothing, extra: ['7'] });
    const two = [held('a', { id: '8', tag: 'theirs' }), held('a', { id: '9', tag: 'ours-y' })];
    expect(seen([row('a')], two)).toEqual({ ...nothing, found: ['ours-a 9'], foreign: 1 });
  });

  it('does not know a rule again whose value was changed', () => {
    expect(seen([row('a')], [held('a', { value: 'b' })])).toEqual({ ...nothing, lost: ['ours-a'], extra: ['id-a'] });
  });

  it('takes away by its own tag alone', () => {
    const leaving = row('a', { platformRuleId: undefined, state: 'leaving' });
    expect(seen([leaving], [held('a', { tag: undefined })])).toEqual({ ...nothing, lost: ['ours-a'], foreign: 1 });
    expect(seen([leaving], [held('a')]).found).toEqual(['ours-a id-a']);
  });

  it('reads a flag that was never given as the platform does, and one that is not repeated as no difference', () => {
    const [plain, noisy] = [row('a', { value: 'v' }), row('b', { value: 'v', flags: { quality: false } })];
    const there = [
      held('b', { value: 'v', flags: { quality: false, nsfw: false } }),
      held('a', { value: 'v', flags: { quality: true, nsfw: false } }),
    ];
    expect(seen([plain, noisy], there)).toEqual(nothing);
    const unknown = [
      row('p', { ...plain, platformRuleId: undefined }),
      row('q', { ...noisy, platformRuleId: undefined }),
    ];
    expect(seen(unknown, there).found).toEqual(['ours-a id-a', 'ours-b id-b']);
    expect(seen([noisy], [held('b', { value: 'v' })])).toEqual(nothing);
    const another = held('a', { value: 'v', flags: { quality: false, nsfw: false } });
    expect(seen([plain], [another])).toEqual({ ...nothing, lost: ['ours-a'], extra: ['id-a'] });
  });
});
