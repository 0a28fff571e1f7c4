import { describe, expect, it } from 'vitest';
import type { Rule } from '../data/queries.ts';
import { optionsNow, textsBefore } from './text-before.ts';

describe('the way back from a change of a rule', () => {
  it('has the options that were set, and takes back those that were not', () => {
    const before = { firehose: { value: 'title:storm', options: { nsfw: true } } };
    const after = { firehose: { value: 'title:storm', options: { nsfw: true, quality: true } } };
    expect(textsBefore({ before, after })).toEqual({
      overrides: { firehose: 'title:storm' },
      options: { firehose: { quality: null, nsfw: true } },
    });
  });

  it('is of every platform that the change replaced a text on, or of the one that is asked for', () => {
    const before = { x: { value: 'storm', options: {} }, firehose: { value: 'title:storm', options: {} } };
    const after = { x: { value: 'gale', options: {} }, firehose: { value: 'title:gale', options: {} } };
    expect(textsBefore({ before, after })?.overrides).toEqual({ x: 'storm', firehose: 'title:storm' });
    expect(textsBefore({ before, after }, ['x'])).toEqual({ overrides: { x: 'storm' }, options: {} });
    expect(textsBefore({ before: { x: null, name: 'A' }, after: { x: after.x, name: 'B' } })).toBeUndefined();
    expect(textsBefore({ after })).toBeUndefined();
  });

  it('brings sources back where the change was of them, and leaves them alone where it was not', () => {
    const held = (value: string, sources?: string[]) => ({ x: { value, options: { ...(sources && { sources }) } } });
    const back = (before: object, after: object) =>
      textsBefore({ before: { ...before }, after: { ...after } })?.options;
    expect(back(held('*', ['a']), held('*', ['b']))).toEqual({ sources: ['a'] });
    expect(back(held('storm'), held('storm', ['b']))).toEqual({ sources: null });
    expect(back(held('storm', ['a']), held('gale', ['a']))).toEqual({});
  });

  it('is itself taken back to the options that the rule has now', () => {
    const rule = { platforms: { firehose: { options: { quality: true } } }, sources: ['a'] } as Partial<Rule> as Rule;
    expect(optionsNow(rule, { firehose: { quality: null, nsfw: null } })).toEqual({
      firehose: { quality: true, nsfw: null },
    });
    expect(optionsNow(rule, { sources: null })).toEqual({ sources: ['a'] });
  });
});
