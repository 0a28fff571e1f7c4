import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { dateOf } from '../text/dates.ts';
import { type Element, parseXml } from './xml.ts';

/** A tree on one line: `a(b("text") c())`. */
const shown = ({ name, children }: Element): string =>
  `${name}(${children.map((child) => (typeof child === 'string' ? JSON.stringify(child) : shown(child))).join(' ')})`;
const read = (text: string) =>
  parseXml(text)
    .children.filter((child) => typeof child !== 'string')
    .map(shown)
    .join(' ');

describe('xml', () => {
  it.each([
    ['<a><b>x</b><c/></a>', 'a(b("x") c())'],
    ['<A><x:B y="1">&amp;&eacute;</x:B></A>', 'a(b("&é"))'],
    ['<a><b>never closed<c>x</c></a>', 'a(b("never closed" c("x")))'],
    ['<a>x</b></a>', 'a("x")'],
    ['<a><![CDATA[<b> & c]]></a>', 'a("<b> & c")'],
    ['<a>AT&T <3</a>', 'a("AT&T <3")'],
    ['<!DOCTYPE a [<!ENTITY n "name"><!ENTITY x SYSTEM "file:///etc/passwd">]><a>&n;&x;</a>', 'a("name&x;")'],
    ['<!-- <!DOCTYPE > --><a><![CDATA[<!DOCTYPE]]></a>', 'a("<!DOCTYPE")'],
    ['<a b="1" c=\'>\' d=e>x</a>', 'a("x")'],
    ['<a><b', 'a("<b")'],
  ])('%s is %s', (text, tree) => expect(read(text)).toBe(tree));

  it('knows bases, languages and namespaces of what is inside', () => {
    const [feed] = parseXml(
      '<f xmlns="urn:F" xml:base="/a/" xml:lang="en"><e xml:base="b/"><x:t xmlns:x="urn:X"/></e></f>',
    ).children as Element[];
    const [entry] = feed!.children as Element[];
    expect(entry!.children[0]).toMatchObject({ bases: ['/a/', 'b/'], language: 'en', namespace: 'urn:x' });
    expect(entry!.namespace).toBe('urn:f');
  });

  it('does not grow what a document declares', () => {
    const bomb = `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(9_000)}"><!ENTITY b "&a;&a;&a;&a;">]><a>${'&b;'.repeat(5_000)}${'&a;'.repeat(5_000)}</a>`;
    expect(shown(parseXml(bomb)).length).toBeLessThan(100_000);
  });

  it('reads any string, and long hostile ones soon', () => {
    fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 200 }), (text) => read(text).length >= 0));
    for (const piece of ['<a>', '<a b="', '<a b', '</a>', '<![CDATA[', '<!--', '<!DOCTYPE [', '&a', '<a ', '<?']) {
      parseXml(piece.repeat(100_000));
    }
  });
});

describe('dates of feeds', () => {
  it.each([
    ['Sat, 15 Nov 2025 08:30:00 GMT', '2025-11-15T08:30:00.000Z'],
    ['15 Nov 25 08:30 EST', '2025-11-15T13:30:00.000Z'],
    ['Saturday, 15 November 2025 08:30:00 +0100', '2025-11-15T07:30:00.000Z'],
    ['2025-11-15T08:30:00+02:00', '2025-11-15T06:30:00.000Z'],
    ['2025-11-15T08:30:00.123Z', '2025-11-15T08:30:00.000Z'],
    ['2025-11-15', '2025-11-15T00:00:00.000Z'],
    ['2025-11', '2025-11-01T00:00:00.000Z'],
    ['2025', '2025-01-01T00:00:00.000Z'],
    ['Sat Nov 15 08:30:00 2025', '2025-11-15T08:30:00.000Z'],
    ['November 15, 2025', '2025-11-15T00:00:00.000Z'],
    ['yesterday', undefined],
    ['', undefined],
    ['2025-13-01', undefined],
  ])('%s is %s', (text, time) => expect(dateOf(text)?.toISOString()).toBe(time));
});
