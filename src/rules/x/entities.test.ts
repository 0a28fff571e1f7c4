import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { extractEntities, toCodePoints } from './entities.ts';

/** All entities as they are written, in the order hashtags, mentions, cashtags, links. */
function entitiesIn(text: string): string[] {
  const { hashtags, mentions, cashtags, urls } = extractEntities(text);
  return [...hashtags, ...mentions, ...cashtags, ...urls].map(({ start, end }) => text.slice(start, end));
}

describe('entities of a text', () => {
  it.each([
    ['lava #etna, ＃火山! a#b &#c #1 #1st', ['#etna', '＃火山', '#1st']],
    ['#a#b #c://x #️⃣', []],
    ['hi @ada, RT@bob mail a@b.co @x@y @zoé', ['@ada', '@bob']],
    ['$nvda $BRK.A, $100 a$b $ABCDEFG $TEST.ab1', ['$nvda', '$BRK.A', '$TEST']],
    ['see example.org and (https://example.org/a_(b)) or http://no', ['example.org', 'https://example.org/a_(b)']],
    ['https://example.org/#top #top example.org/@ada', ['#top', 'https://example.org/#top', 'example.org/@ada']],
    ['火山example.com火山', ['example.com']],
    ['http://t.co/abc’s and file.tar.bz2', ['http://t.co/abc']],
    ['http://example.org:8080/x?q=1&r=(2)!', ['http://example.org:8080/x?q=1&r=(2']],
    ['me@example.org -x.com', []],
    ['foo.cyou/abc foo.cfd foo.africa foo.microsoft', ['foo.cyou/abc', 'foo.cfd', 'foo.africa', 'foo.microsoft']],
    ['a.co.za b.ck https://foo.bond/x https://foo.nope/x', ['a.co.za', 'b.ck', 'https://foo.bond/x']],
    [
      'http://a.vermögensberater http://a.statoil/b http://a.comです',
      ['http://a.vermögensberater', 'http://a.statoil/b', 'http://a.com'],
    ],
    ['https://foo.भारतम्/a http://例え.みんなです', ['https://foo.भारतम्/a', 'http://例え.みんな']],
  ])('%j holds %j', (text, expected) => {
    expect(entitiesIn(text)).toEqual(expected);
  });

  it('have places that can be counted in code points', () => {
    const text = '🌋🌋 #etna';
    const [tag] = extractEntities(text).hashtags;
    expect([tag!.start, toCodePoints(text, tag!.start), toCodePoints(text, tag!.end)]).toEqual([5, 3, 8]);
  });

  it('are found in any text whatever', () => {
    const piece = fc.constantFrom(
      'a',
      'あ',
      '.',
      'com',
      'http://',
      't.co/',
      '#',
      '@',
      '$',
      '_',
      '-',
      '(',
      ')',
      '/',
      '?',
      ' ',
      '🌋',
      'xn--',
    );
    const text = fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const { hashtags, mentions, cashtags, urls } = extractEntities(given);
        for (const { start, end } of [...hashtags, ...mentions, ...cashtags, ...urls]) {
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(given.length);
        }
      }),
    );
  });

  it.each(['a.co.-b.', 'あ.', 'a.co/(', '#a@b$c ', 'x.com #a '])('are found in a long text of %j', (unit) => {
    expect(() => extractEntities(unit.repeat(20_000))).not.toThrow();
  });
});
