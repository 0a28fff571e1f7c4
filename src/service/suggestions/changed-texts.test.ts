import { describe, expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import { languages } from '../../rules/languages.ts';
import type { Misses } from '../previews/misses-on-recent.ts';
import type { Relevance } from '../reader/relevance.ts';
import { excluding, orElse, requiring, widerTexts, without } from './changed-texts.ts';

const { x, firehose } = languages({ local: true });
const queryOf = (text: string) => x.queryOf(text)!;

describe('a rule with an exclusion', () => {
  it('has it at its end, in parentheses where the rule is a choice', () => {
    expect(excluding(x, 'storm sea', ['tea'])).toEqual({ kind: 'exclude', change: '-tea', value: 'storm sea -tea' });
    expect(excluding(x, 'storm OR sea', ['tea', 'rain'])).toEqual({
      kind: 'exclude',
      change: '-tea -rain',
      value: '(storm OR sea) -tea -rain',
    });
  });

  it('is none where the rule could never match any more, or a clause of it would have no effect', () => {
    expect(excluding(x, 'acme (refund OR broken)', ['acme'])).toBeUndefined();
    expect(excluding(x, 'acme (refund OR broken)', ['refund', 'broken'])).toBeUndefined();
    expect(excluding(x, 'acme (refund OR broken)', ['refund'])).toBeUndefined();
    expect(excluding(x, 'acme -sale', ['sale'])).toBeUndefined();
    expect(excluding(firehose, 'title:acme AND added:refund', ['acme'])).toBeUndefined();
    // A clause that had no effect before is no reason.
    expect(excluding(x, 'acme acme', ['sale'])).toMatchObject({ value: 'acme acme -sale' });
  });

  it('is none without a word', () => {
    expect(excluding(x, 'storm', [])).toBeUndefined();
  });
});

describe('a rule with a word that must be there', () => {
  it('has one as it is, and a choice in parentheses', () => {
    expect(requiring(x, 'storm', [queryOf('sea')])).toEqual({ kind: 'narrow', change: 'sea', value: 'storm sea' });
    expect(requiring(x, 'storm OR gale', [queryOf('sea'), queryOf('coast')])).toEqual({
      kind: 'narrow',
      change: '(sea OR coast)',
      value: '(storm OR gale) (sea OR coast)',
    });
  });
});

describe('a rule without one of its clauses', () => {
  const dropping = (value: string, at: number) => {
    const clauses = x.clauses(value);
    return without(x, value, clauses, clauses[at]!);
  };

  it('keeps the others as they were written', () => {
    expect(dropping('storm sea -tea', 0)).toEqual({ kind: 'widen', change: 'without storm', value: 'sea -tea' });
    expect(dropping('storm  sea  -tea', 1)).toMatchObject({ change: 'without sea', value: 'storm -tea' });
    expect(dropping('storm (sea OR coast)', 1)).toMatchObject({ change: 'without (sea OR coast)', value: 'storm' });
  });

  it('is none when there is no other, or the others are no rule', () => {
    expect(dropping('storm', 0)).toBeUndefined();
    expect(dropping('storm -tea', 0)).toBeUndefined();
  });

  it('is written anew where a cut would mean something else', () => {
    const value = 'title:storm AND title:sea AND title:rain';
    const clauses = firehose.clauses(value);
    const changed = without(firehose, value, clauses, clauses[1]!);
    const others = firehose.queryOf('title:storm AND title:rain')!;
    expect(firehose.print(firehose.queryOf(changed!.value)!)).toBe(firehose.print(others));
  });
});

describe('a rule with another form of a word', () => {
  it('has both in the place of the one, and leaves the other clauses', () => {
    const clauses = x.clauses('storm hits sea');
    expect(orElse(x, 'storm hits sea', clauses, { clause: clauses[1]!, term: 'hit' })).toEqual({
      kind: 'widen',
      change: '(hits OR hit)',
      value: 'storm (hits OR hit) sea',
    });
    expect(orElse(x, 'storm hits sea', clauses, { clause: clauses[1]!, term: '' })).toBeUndefined();
  });
});

describe('wider forms of a rule', () => {
  const like = { id: 'm', platform: 'x', payload: {} } as unknown as Match;
  const missedBy = (...texts: string[]) => ({
    missed: texts.length,
    samples: texts.map((text, at) => ({ payload: { data: { id: String(at), text } } })),
  });
  const stage = (clauses: object[], usual?: number, relevances: (number | undefined)[] = [], match?: Match) => {
    let at = 0;
    const relevance: Pick<Relevance, 'score'> = { score: async () => relevances[at++] };
    const work = { language: x, value: 'volcano erupts', relevance };
    return widerTexts(work, { clauses } as unknown as Misses, match, usual);
  };
  const valuesOf = async (...given: Parameters<typeof stage>) => (await stage(...given)).map(({ value }) => value);
  const none = missedBy();

  it('have a form of the word that two missed events have, and not one that one has', async () => {
    expect(await valuesOf([none, missedBy('volcano erupted', 'a volcano erupted')])).toEqual([
      'volcano (erupts OR erupted)',
    ]);
    expect(await valuesOf([none, missedBy('volcano erupted', 'a volcano sleeps')])).toEqual([]);
    expect(await valuesOf([none, missedBy('volcano sleeps', 'a volcano sleeps')])).toEqual([]);
  });

  it('have the two most frequent forms, the more frequent first, then by the alphabet', async () => {
    const texts = ['erupting', 'erupting', 'erupted', 'erupted', 'erupt', 'erupt', 'erupt'];
    expect(await valuesOf([none, missedBy(...texts.map((word) => `volcano ${word}`))])).toEqual([
      'volcano (erupts OR erupt)',
      'volcano (erupts OR erupted)',
    ]);
  });

  it('leave a clause out when what it missed is as relevant as what matches', async () => {
    const clauses = [none, missedBy('volcano one', 'volcano two')];
    expect(await stage(clauses, 0.5, [0.4, 0.6], like)).toEqual([
      { kind: 'widen', change: 'without erupts', value: 'volcano' },
    ]);
    expect(await stage(clauses, 0.5, [0.4, 0.59], like)).toEqual([]);
    expect(await stage(clauses, 0.5, [1, undefined], like)).toHaveLength(1);
    expect(await stage(clauses, 0.51, [1, undefined], like)).toEqual([]);
  });

  it('leave none out where relevance is not known, or a single event was missed', async () => {
    const clauses = [none, missedBy('volcano one', 'volcano two')];
    expect(await stage(clauses, undefined, [1, 1], like)).toEqual([]);
    expect(await stage(clauses, 0, [1, 1])).toEqual([]);
    expect(await stage([none, missedBy('volcano one')], 0, [1], like)).toEqual([]);
    expect(await stage([none, { ...missedBy('volcano one'), missed: 9 }], 0, [1], like)).toEqual([]);
  });

  it('are four at most', async () => {
    const ofErupts = missedBy('erupted', 'erupted', 'erupting', 'erupting');
    const ofVolcano = missedBy('volcanos', 'volcanos', 'volcanoes', 'volcanoes');
    const found = await stage([ofVolcano, ofErupts], 0, [1, 1, 1, 1], like);
    expect(found).toHaveLength(4);
  });
});
