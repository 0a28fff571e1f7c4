import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fields } from './field.ts';
import { isHashed, markOf, newWordKey, packedLength, readKey } from './word-key.ts';

const fields = new Fields(0x1234);
const [text, title] = [fields.use('text'), fields.use('title')];

function keyOf(word: string, field = text) {
  const key = newWordKey();
  readKey(key, `(${word})`, 1, 1 + word.length, field);
  return key;
}
const same = (one: string, other: string, field = text): boolean => {
  const [a, b] = [keyOf(one), keyOf(other, field)];
  return a.first === b.first && a.second === b.second && a.hash === b.hash;
};

describe('the key of a word', () => {
  it('is the word itself up to eight characters of ASCII, so that no two words and fields share one', () => {
    const ascii = fc.string({ unit: fc.constantFrom('a', 'b', '\x01', '\x7f', 'z'), maxLength: 8 });
    fc.assert(
      fc.property(ascii, ascii, fc.boolean(), (one, other, elsewhere) => {
        expect(isHashed(keyOf(one))).toBe(false);
        expect(same(one, other, elsewhere ? title : text)).toBe(one === other && !elsewhere);
      }),
    );
  });

  it.each(['ninechars', 'é', 'abcdefgé', '\0', 'a\0', '\x80'])('is a hash for %j', (word) => {
    expect([isHashed(keyOf(word)), same(word, word), same(word, `${word}x`)]).toEqual([true, true, false]);
    expect(same(word, word, title)).toBe(false);
  });

  it('lies in the order of the bytes, the first one lowest', () => {
    const key = keyOf('abcdefgh');
    const bytes = Buffer.alloc(8);
    bytes.writeInt32LE(key.first, 0);
    bytes.writeInt32LE(key.second, 4);
    expect(String.fromCharCode(...bytes.map((byte) => byte & 0x7f))).toBe('abcdefgh');
  });

  it('has the bits of the field at the top of its bytes', () => {
    expect([0, 1, 2, 4, 8, 15].map((bits) => markOf(bits) >>> 0)).toEqual([
      0, 0x80, 0x8000, 0x800000, 0x80000000, 0x80808080,
    ]);
    expect([packedLength(0), packedLength(254), packedLength(255)]).toEqual([8, 8, 0]);
  });

  it('spreads words evenly over the places of a table', () => {
    const hashes = Array.from({ length: 4_096 }, (_, index) => keyOf(`w${index}`).hash);
    for (const shift of [0, 16, 24]) {
      const places = new Set(hashes.map((hash) => (hash >>> shift) & 0xff));
      expect(places.size).toBe(256);
    }
  });
});

describe('fields', () => {
  it('stay while a rule uses them or an event has had them, and keep their numbers', () => {
    const some = new Fields(1);
    const one = some.use('one');
    const two = some.use('two');
    expect([one.number, two.number, some.use('one'), some.at(1)]).toEqual([0, 1, one, two]);
    some.release(one);
    expect(some.use('one')).toBe(one);
    some.release(one);
    some.release(one);
    expect(some.use('three').number).toBe(0);
    expect(some.at(0).name).toBe('three');
    some.inEvent('two');
    some.release(two);
    expect(some.use('two')).toBe(two);
    expect(some.inEvent('four').uses).toBe(0);
  });
});
