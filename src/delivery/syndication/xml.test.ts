import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { htmlParagraphs, xmlText } from './feed-document.ts';

const DECODED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#13': '\r' };
const decode = (xml: string): string => xml.replaceAll(/&([a-z#0-9]+);/g, (_, name: string) => DECODED[name]!);
const texts = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.string({
    unit: fc.constantFrom('<', '&', ']]>', '"', '\u0000', '\u001f', '\ufffe', '\ud800', 'a', '\r\n', '&lt;'),
  }),
);

/** The characters of XML 1.0. */
function isInXml(character: string): boolean {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code < 0xd800 || (code > 0xdfff && code !== 0xfffe && code !== 0xffff);
}

describe('a text in XML', () => {
  it('comes out as it went in, but for characters that XML does not have', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const xml = xmlText(text);
        expect(xml).not.toMatch(/[<>"\r]|&(?!amp;|lt;|gt;|quot;|#13;)/);
        expect(Array.from(xml).every(isInXml)).toBe(true);
        const expected = Array.from(text.toWellFormed(), (character) => (isInXml(character) ? character : '\ufffd'));
        expect(decode(xml)).toBe(expected.join(''));
      }),
    );
  });

  it('is no markup in HTML either, and keeps its lines', () => {
    expect(htmlParagraphs('one\ntwo\n\n<b>three</b>')).toBe('<p>one<br>two</p><p>&lt;b&gt;three&lt;/b&gt;</p>');
  });
});
