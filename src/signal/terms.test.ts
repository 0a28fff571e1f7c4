import { describe, expect, it } from 'vitest';
import { isTelling, tellingTerms, termsOf } from './terms.ts';

describe('the terms of a text', () => {
  it('are its words and the pairs of them, tags and mentions with their sign and without', () => {
    expect([...termsOf('#Flood in @Town river')].toSorted()).toEqual(
      ['#flood', 'flood', 'in', '@town', 'town', 'river', '#flood in', 'in @town', '@town river'].toSorted(),
    );
    expect([...termsOf('')]).toEqual([]);
  });

  it('are words of scripts without spaces as dictionaries know them, and two or three that follow each other', () => {
    const terms = termsOf('グアテマラ地震情報');
    expect([...terms]).toEqual(['グアテマラ', '地震', 'グアテマラ地震', '情報', '地震情報', 'グアテマラ地震情報']);
    // Particles part them, and no pair goes over from one script to the other.
    expect([...termsOf('flood 東京で停電 now')].toSorted()).toEqual(['flood', 'now', '停電', '東京'].toSorted());
  });

  it('are those of the beginning of a long text', () => {
    const words = Array.from({ length: 121 }, (_, at) => `word${at}`);
    const terms = termsOf(words.join(' '));
    expect([terms.has('word119'), terms.has('word120')]).toEqual([true, false]);
    const unspaced = termsOf(`${'。'.repeat(398)}東京大阪`);
    expect([unspaced.has('東京'), unspaced.has('大阪')]).toEqual([true, false]);
  });
});

describe('a telling term', () => {
  it.each(['flood', 'river flood', '#flood', '大'])('is %s', (term) => expect(isTelling(term)).toBe(true));

  it.each(['ab', 'the', 'the flood', 'flood people', "people's", 'people’s', '2026', 'flood 2026', '٣٤٥'])(
    'is not %s',
    (term) => expect(isTelling(term)).toBe(false),
  );
});

describe('the terms that are tried', () => {
  const times = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at));

  it('come in the order of what they say: of one kind of text alone, then of many texts', () => {
    const wanted = ['storm harbour', 'storm harbour', 'storm quay', 'storm harbour'];
    const unwanted = ['storm film', 'film', 'film', 'film'];
    const single = tellingTerms(wanted, unwanted).filter((term) => !term.includes(' '));
    // film 1 + 1, harbour 0.75 + 0.75, storm 0.75 + 1, quay 0.25 + 0.25
    expect(single).toEqual(['film', 'storm', 'harbour', 'quay']);
  });

  it('are the shorter ones first where they say as much, then by their letters', () => {
    expect(tellingTerms(['quay pier dock wharf'], []).filter((term) => !term.includes(' '))).toEqual([
      'dock',
      'pier',
      'quay',
      'wharf',
    ]);
  });

  it('stand in more than one text, but for tags, or where there are few texts', () => {
    const texts = (count: number) => times(count, (at) => (at === 0 ? 'quay #storm' : `harbour`));
    const single = (wanted: string[], unwanted: string[] = []) =>
      tellingTerms(wanted, unwanted).filter((term) => !term.includes(' '));
    expect(single(texts(9))).toEqual(['harbour', 'quay', 'storm', '#storm']);
    expect(single(texts(10))).toEqual(['harbour', '#storm']);
    // Two unwanted texts are as good, and one of each kind is not.
    expect(single(texts(10), ['film', 'film'])).toEqual(['film', 'harbour', '#storm']);
    expect(single(texts(10), ['film', 'quay'])).toEqual(['harbour', '#storm']);
  });

  it('are eight hundred at most', () => {
    const texts = times(9, (text) =>
      times(119, (at) => `w${'abcdefghi'[text]}${'abcdefghijkl'[at % 12]}${'abcdefghijkl'[Math.floor(at / 12)]}`).join(
        ' ',
      ),
    );
    expect(tellingTerms(texts, [])).toHaveLength(800);
  });

  it('are no parts of an unspaced word that stands in the same texts', () => {
    expect(tellingTerms(['停電情報', '停電情報'], [])).toEqual(['停電情報']);
    expect(tellingTerms(['停電情報', '停電情報', '停電'], [])).toEqual(['停電', '停電情報']);
    expect(tellingTerms(['停電情報', '停電情報'], ['停電'])).toEqual(['停電情報', '停電']);
    // With spaces both are tried.
    expect(tellingTerms(['flood floods'], [])).toEqual(['flood', 'floods', 'flood floods']);
  });

  it('stop when they are told to', () => {
    let texts = 0;
    tellingTerms(['flood', 'storm'], ['film'], () => texts++);
    expect(texts).toBe(3);
  });
});
