import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../test/generated/any-character.ts';
import { cutTo, type Flag, plainUrl, shownWords, visible, visiblePayload } from './untrusted.ts';

function shown(text: string): [string, Flag[]] {
  const flags = new Set<Flag>();
  return [visible(text, flags), [...flags]];
}

describe('visible', () => {
  it.each([
    ['plain text, with ünïcödé and 漢字', 'plain text, with ünïcödé and 漢字', []],
    ['two\nlines\tand a tab', 'two\nlines\tand a tab', []],
    ['windows\r\nline', 'windows\nline', []],
    ['zero\u200bwidth', 'zero<U+200B>width', ['zero_width']],
    ['right\u202eleft', 'right<U+202E>left', ['direction']],
    ['\u{e0041}', '<U+E0041>', ['tag_characters']],
    ['a\u0007b', 'a<U+0007>b', ['control']],
    ['so\u00adft', 'so<U+00AD>ft', ['invisible']],
    ['❤\ufe0f 1\ufe0f', '❤\ufe0f 1\ufe0f', []],
    ['❤\ufe0f\ufe0f', '❤\ufe0f<U+FE0F>', ['invisible']],
    ['a\ufe0f', 'a<U+FE0F>', ['invisible']],
    ['half \ud83d', 'half \ufffd', []],
    ['![a](b) [c][d] [e]: f', '! [a] (b) [c] [d] [e] : f', ['markup']],
    ['<img> </a> <!-- <?x 1 < 2 <3', '‹img> ‹/a> ‹!-- ‹?x 1 < 2 <3', ['markup']],
    ['<\u200bimg>', '<<U+200B>img>', ['zero_width']],
    ['typed: <U+200B>', 'typed: ‹U+200B>', ['markup']],
  ])('shows %j as %j', (text, expected, flags) => {
    expect(shown(text)).toEqual([expected, flags]);
  });

  it('leaves nothing hidden in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        expect(shown(text)[0]).not.toMatch(/[\p{Bidi_Control}\p{Cf}\p{Cs}\u{E0000}-\u{E0FFF}]/u);
      }),
    );
  });
});

describe('cutTo', () => {
  it('never cuts through what stands for a hidden character', () => {
    for (let size = 2; size < 12; size++)
      expect(cutTo('a<U+200B>bc', size, new Set())).toMatch(/^a(?:<U\+200B>)?b?c?…?$/);
  });

  it('keeps to the size inside JSON, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), fc.nat(60), (text, size) => {
        const flags = new Set<Flag>();
        const cut = cutTo(text.toWellFormed(), size, flags);
        expect(JSON.stringify(cut).length - 2).toBeLessThanOrEqual(size);
        expect(flags.has('cut')).toBe(cut !== text.toWellFormed());
      }),
    );
  });
});

describe('visiblePayload', () => {
  it('keeps shape and numbers, cleans keys and texts, and stops at its budget', () => {
    const flags = new Set<Flag>();
    const payload = { 'a\u200b': [1, null, true, 'x'], __proto__: { polluted: 'y' }, long: 'z'.repeat(500) };
    const copy = visiblePayload(payload, 100, flags) as Record<string, unknown>;
    expect(copy['a<U+200B>']).toEqual([1, null, true, 'x']);
    expect(JSON.stringify(copy).length).toBeLessThan(200);
    expect([...flags]).toEqual(['zero_width', 'cut']);
  });

  it('has a hundred things of each kind, and says where there were more', () => {
    const copied = (payload: unknown) => {
      const flags = new Set<Flag>();
      return { copy: visiblePayload(payload, 10_000, flags), flags: [...flags] };
    };
    const numbers = [...Array(101).keys()];
    expect(copied(numbers.slice(1))).toEqual({ copy: numbers.slice(1), flags: [] });
    expect(copied(numbers)).toEqual({ copy: numbers.slice(0, 100), flags: ['cut'] });
  });

  it('gives up on depth', () => {
    let deep: unknown = 'bottom';
    for (let at = 0; at < 50; at++) deep = [deep];
    const flags = new Set<Flag>();
    expect(JSON.stringify(visiblePayload(deep, 100, flags))).not.toContain('bottom');
    expect(flags.has('cut')).toBe(true);
  });
});

describe('the words that ratings speak for or against', () => {
  it('are in an envelope, each with its side, and nothing hidden in them', () => {
    const words = [
      { word: 'hiring', weight: -0.8 },
      { word: 'out\u200bage', weight: 0.5 },
    ];
    expect(shownWords(words)).toEqual({
      flags: ['zero_width'],
      untrusted_content: { relevance_words: ['against: hiring', 'for: out<U+200B>age'] },
    });
    expect(shownWords(words.slice(0, 1))).not.toHaveProperty('flags');
    expect(shownWords([])).toEqual({});
  });

  it('are ten, of forty characters at most', () => {
    const words = Array.from({ length: 11 }, (_, at) => ({ word: `${at}`.padEnd(60, 'x'), weight: 1 }));
    const { flags, untrusted_content } = shownWords(words);
    expect(flags).toEqual(['cut']);
    expect(untrusted_content!.relevance_words.map(({ length }) => length)).toEqual(Array(10).fill('for: '.length + 40));
  });
});

describe('an address by a stranger', () => {
  it.each([
    ['https://news.example/a?b=c#d', 'https://news.example/a?b=c#d'],
    ['HTTP://News.Example', 'http://news.example/'],
    [
      'https://news.example/a)[b](c"d\'e`f<g>{h}|i^j',
      'https://news.example/a)%5Bb%5D(c%22d%27e%60f%3Cg%3E%7Bh%7D%7Ci%5Ej',
    ],
    [`https://news.example/${'a'.repeat(179)}`, `https://news.example/${'a'.repeat(179)}`],
    [`https://news.example/${'a'.repeat(180)}`, undefined],
    ['javascript:alert(1)', undefined],
    ['no address', undefined],
  ])('%s is shown as %s', (text, expected) => {
    expect(plainUrl(text)).toBe(expected);
  });
});
