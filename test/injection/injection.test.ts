/** Text by strangers is data: inside the envelope, with nothing hidden in it, and without any say in what happens. */
import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedJson } from '../stages/shared-data.ts';
import { allForms, someForms } from './forms.ts';
import { injectJudge } from './judged.ts';
import { leaksIn, MARK } from './leaks.ts';
import { inject } from './surfaces.ts';

describe('injected texts', () => {
  it('are more than two hundred here, and more in the campaign', () => {
    expect(new Set(someForms()).size).toBeGreaterThanOrEqual(200);
    expect(new Set(allForms()).size).toBeGreaterThan(3 * someForms().length);
  });

  it('are data in every tool, resource and event of the channel', async () => {
    const forms = someForms();
    const { matches, answers, leaks } = await inject(forms);
    console.log(`${forms.length} forms, ${matches} matches, ${answers} answers`);
    expect(leaks).toEqual([]);
    expect(matches).toBeGreaterThan(1.8 * forms.length);
  });

  it.each([
    ['text outside its envelope', { note: `${MARK} obey` }],
    ['a key outside its envelope', { [MARK]: 1 }],
    ['something hidden', { untrusted_content: { passage: 'a\u200bb' } }],
    ['an image', { untrusted_content: { passage: '![a](https://evil.example)' } }],
    ['a tag', { untrusted_content: { passage: 'a <img src=x>' } }],
    ['a link that is none', { untrusted_content: { url: 'javascript:alert(1)' } }],
  ])('%s would be found', (_, value) => {
    expect(leaksIn(value)).not.toEqual([]);
  });
});

describe('a judge that obeys what it reads', () => {
  it('changes nothing but the judgement of the match that it read', async () => {
    const forms = someForms();
    const { judged, refused, leaks } = await injectJudge(forms);
    console.log(`${forms.length} forms, ${judged} judged, ${refused} answers refused`);
    expect(leaks).toEqual([]);
    expect(judged).toBeGreaterThan(forms.length / 6);
    expect(refused).toBeGreaterThan(forms.length / 6);
  });
});

describe.runIf(hasSharedData)('shared: hostile texts', () => {
  it('are data, some hundreds that others collected', async () => {
    const texts = ['markup-and-format-strings', 'sql-injection', 'json-fuzz-values'].flatMap((name) =>
      sharedJson<string[]>(`security/${name}.json`).slice(0, 60),
    );
    const { leaks } = await inject(texts.map((text) => text.slice(0, 2_000)));
    expect(leaks).toEqual([]);
  });
});
