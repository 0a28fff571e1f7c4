import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { packBytes, writeBytes } from './encode.ts';

function bytesOf(text: string, from = 0, to = text.length): number[] {
  const into = new Uint8Array(text.length * 3 + 10).fill(0xee);
  const end = writeBytes(into, 5, text, from, to);
  expect([...into.subarray(0, 5), into[end]]).toEqual([0xee, 0xee, 0xee, 0xee, 0xee, 0xee]);
  return [...into.subarray(5, end)];
}

describe('the bytes of a text', () => {
  it('are UTF-8 where the text is well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        expect(bytesOf(text)).toEqual([...Buffer.from(text)]);
      }),
    );
    const edges = '\0\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\u{10000}\u{10ffff}';
    expect(bytesOf(edges)).toEqual([...Buffer.from(edges)]);
  });

  it('are those of a part alone', () => {
    expect(bytesOf('agrößeb', 1, 6)).toEqual([...Buffer.from('größe')]);
    expect(bytesOf('abc', 1, 1)).toEqual([]);
  });

  it('tell half surrogate pairs apart, also where a part ends inside a pair', () => {
    expect(bytesOf('\ud800')).toEqual([0xed, 0xa0, 0x80]);
    expect(bytesOf('\udfff')).toEqual([0xed, 0xbf, 0xbf]);
    expect(bytesOf('\udbffa')).toEqual([0xed, 0xaf, 0xbf, 0x61]);
    expect(bytesOf('🌋', 0, 1)).toEqual([0xed, 0xa0, 0xbc]);
    expect(bytesOf('🌋', 1, 2)).toEqual([0xed, 0xbc, 0x8b]);
    expect(bytesOf('\udc00🌋')).toEqual([0xed, 0xb0, 0x80, ...Buffer.from('🌋')]);
  });

  it('stand four to an integer in a program, with zeros behind them', () => {
    for (const text of ['', 'a', 'abcd', 'abcde', 'größe']) {
      const { length, packed } = packBytes(text);
      const bytes = [...new Uint8Array(packed.buffer)];
      expect([length, packed.length]).toEqual([Buffer.byteLength(text), Math.ceil(length / 4)]);
      expect(bytes).toEqual([...Buffer.from(text), ...Array<number>(packed.length * 4 - length).fill(0)]);
    }
  });
});
