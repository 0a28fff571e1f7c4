import { describe, expect, it } from 'vitest';
import { languages } from '../../rules/languages.ts';
import { lintIntent } from './intent-lint.ts';

const { x, firehose } = languages({ local: true });
const named = (rule: string, intent: string) =>
  lintIntent('x', x.queryOf(rule)!, intent).map(({ kind, named: what }) => `${kind} ${what}`);

describe('intent lint', () => {
  it.each([
    ['volcano (erupting OR eruption)', 'Tell me when a volcano erupts.', []],
    ['volcano', 'Eruptions of the volcano Hesper', ['name hesper']],
    ['outage', 'Tell me when Northline is down, but only when it is serious', ['name northline']],
    ['northline', 'Northline complaints that are serious and useful', []],
    ['#earthquake', 'Earthquakes in Costa Rica, near San José', ['name costa rica', 'name san josé']],
    ['#quake "costa rica"', 'Earthquakes in Costa Rica, near San José', []],
    ['gadget', 'What people say of the iPhone 17 or #pixel', ['name iphone 17', 'name pixel']],
    ['storm', 'storms that people call "black swan"', ['name black swan']],
    ['volcano', 'volcanoes, nothing old, not serious and not helpful', []],
    ['volcano -film', 'News about volcanoes, but not films.', []],
    ['volcano', 'News about volcanoes, not films or games', []],
    ['volcano film', 'volcanoes without film', ['negation film']],
    ['volcano lang:en', 'Posts in English about a volcano', []],
    ['volcano', 'Posts in French about a volcano', ['language French']],
    ['elections lang:en', 'French elections, in English', []],
    ['#volcanowatch', 'volcano', []],
    ['volcano', 'not only volcano', []],
    ['volcano', 'volcanoes, no Netflix films', []],
    ['volcano (film OR games)', 'News about volcanoes, not films or games', ['negation films', 'negation games']],
    ['火山', '火山', []],
    ['volcano', '', []],
  ])('of %s, meant as "%s", points out %j', (rule, intent, notes) => {
    expect(named(rule, intent)).toEqual(notes);
  });

  it('speaks the language of the platform', () => {
    const [note] = lintIntent('firehose', firehose.queryOf('volcano')!, 'volcano pages in German');
    expect(note!.message).toBe('The intent names German; the rule has no language:"de".');
  });

  it('says whether a word that is ruled out is even asked for', () => {
    const [note] = lintIntent('x', x.queryOf('volcano film')!, 'volcano, no film');
    expect(note!.message).toContain('asks for it');
  });
});
