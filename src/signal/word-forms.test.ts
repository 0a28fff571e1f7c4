import { describe, expect, it } from 'vitest';
import { otherForms, usualForms } from './words.ts';

describe('forms of a word', () => {
  it.each([
    ['volcano', 'volcano volcanoes'],
    ['eruptions', 'eruptions eruption'],
    ['companies', 'companies company'],
    ['databases', 'databases database'],
    ['outage', 'outage outages'],
    ['launch', 'launch launches'],
    ['churches', 'churches church'],
    ['crisis', 'crisis'],
    ['erupting', 'erupting'],
    ['gas', 'gas'],
    ['вулкан', 'вулкан'],
  ])('of %s are %s', (word, forms) => {
    expect(usualForms(word).join(' ')).toBe(forms);
  });

  it.each([
    ['erupts', ['erupted', 'erupting', 'eruption']],
    ['erupting', ['erupt', 'erupts', 'erupted', 'eruption']],
    ['planned', ['plan', 'planing']],
    ['released', ['release', 'releases', 'releasing']],
  ])('that texts may use instead of %s have %s', (word, forms) => {
    for (const form of forms) expect(otherForms(word)).toContain(form);
    expect(otherForms(word)).not.toContain(word);
  });

  it('of short words and of other scripts are not guessed', () => {
    expect(otherForms('gas')).toEqual([]);
    expect(otherForms('噴火')).toEqual([]);
  });
});
