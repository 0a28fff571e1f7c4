import { describe, expect, it } from 'vitest';
import { languages } from '../../rules/languages.ts';
import type { PostGlance } from '../../sources/contract/post.ts';
import { failedAtGlance } from './glance.ts';

const { x } = languages({ local: true });
const post: PostGlance = { texts: ['Ash over Etna', 'seen'], language: 'en', is: ['reply'], has: ['links'] };
/** The clauses of a rule without its first word, which is there because a rule needs one. */
function failed(clauses: string, change: Partial<PostGlance> = {}) {
  const [first, ...others] = x.clauses(`first ${clauses}`);
  expect(first).toBeDefined();
  return failedAtGlance(others, { ...post, ...change });
}

describe('a glance decides', () => {
  it.each([
    ['a word that is nowhere', 'tea lang:en', 0],
    ['a word that is only a part of others', 'tn lang:en', 0],
    ['a word at the beginning of another', 'see lang:en', 0],
    ['a word at the end of another', 'een lang:en', 0],
    ['another language', 'lang:de is:reply', 0],
    ['what the post is not', 'lang:en is:quote', 1],
    ['what the post has not', 'lang:en has:images', 1],
    ['what is excluded', 'lang:en -is:reply', 1],
    ['two that fail', 'lang:de is:quote', 'several'],
    ['two that fail, with one between that is not known', 'lang:de ash is:quote', 'several'],
    ['a phrase of which one word is nowhere', 'lang:en "over tea"', 1],
  ] as const)('against %s', (_, rule, expected) => {
    expect(failed(rule)).toBe(expected);
  });

  it.each([
    ['of a word that stands there', 'ash lang:en'],
    ['of a word in another text of the post', 'seen lang:de'],
    ['of words that all stand there', 'lang:de "ash over"'],
    ['of an author', 'lang:de from:ada'],
    ['where none fails', 'lang:en is:reply'],
    ['where none fails and one is not known', 'lang:en ash'],
    ['where one fails beside one that is not known', 'lang:de ash'],
  ])('nothing %s', (_, rule) => {
    expect(failed(rule)).toBeUndefined();
  });

  it('nothing of a language or of what a post has, where that is not known', () => {
    expect(failed('lang:de is:reply', { language: undefined })).toBeUndefined();
    expect(failed('is:quote lang:de', { language: undefined })).toBeUndefined();
    expect(failed('has:images is:reply', { has: undefined })).toBeUndefined();
  });

  it('a choice when one part holds, and against it when all of them fail', () => {
    expect(failed('(lang:de OR is:reply) is:quote')).toBe(1);
    expect(failed('(lang:de OR is:quote) is:reply')).toBe(0);
    expect(failed('(lang:de OR ash) is:reply')).toBeUndefined();
    expect(failed('(tea OR is:reply) is:quote')).toBe(1);
    expect(failed('(ash OR is:reply) is:quote')).toBe(1);
    expect(failed('(tea OR ash) (is:quote OR lang:de)')).toBeUndefined();
  });

  it('what is joined within a choice when one part fails, and for it when all hold', () => {
    expect(failed('((is:reply is:quote) OR lang:de) is:reply')).toBe(0);
    expect(failed('((is:reply lang:en) OR lang:de) is:quote')).toBe(1);
    expect(failed('((is:reply ash) OR lang:de) is:quote')).toBeUndefined();
    expect(failed('lang:en -(is:reply ash)')).toBeUndefined();
    expect(failed('lang:en -(is:quote ash)')).toBeUndefined();
    expect(failed('is:quote -(is:reply lang:de)')).toBe(0);
  });

  it('signs and digits beside a word leave it a word', () => {
    expect(failed('etna lang:de', { texts: ['#etna1'] })).toBeUndefined();
    expect(failed('etna lang:en', { texts: ['etnas etna'] })).toBeUndefined();
    expect(failed('etna lang:en', { texts: ['etnas betna'] })).toBe(0);
    expect(failed('etna lang:en', { texts: [] })).toBe(0);
  });
});
