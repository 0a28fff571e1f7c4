import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRecord } from './lines.ts';

const parse = (text: string) => parseRecord(Buffer.from(text));

describe('the JSON of a record', () => {
  it('is read as JSON.parse reads it where no integer is long', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (json) => {
        const plain = JSON.parse(json) as unknown;
        const hasLong = /\d{16}/.test(json);
        expect(hasLong || parse(json)).toEqual(hasLong || { value: plain });
      }),
    );
  });

  it('keeps every digit of an id, whatever stands around it', () => {
    expect(parse('{"id":1800000000000000001,"list":[ 1800000000000000003 ],"n":12}')).toEqual({
      value: { id: '1800000000000000001', list: ['1800000000000000003'], n: 12 },
    });
    expect(parse('1800000000000000001')).toEqual({ value: '1800000000000000001' });
  });

  it('leaves digits in strings, fractions, exponents and negative numbers alone', () => {
    const text =
      '{"a":"1800000000000000001 \\" 1800000000000000001","b":0.1234567890123456789,"c":1e999,"d":-12345678901234567}';
    expect(parse(text)).toEqual({ value: JSON.parse(text) as unknown });
  });

  it.each([
    ['['.repeat(65) + ']'.repeat(65), 'nested deeper than 64'],
    ['{"a":'.repeat(10_000), 'nested deeper than 64'],
    ['{"a":', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['"\\', 'not valid JSON'],
  ])('refuses %s', (text, reason) => {
    expect(parse(text)).toEqual({ broken: expect.stringContaining(reason) as string });
  });

  it('refuses bytes that are no text', () => {
    expect(parseRecord(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ broken: 'it is not valid UTF-8' });
  });

  it('takes 64 levels', () => {
    expect(parse(`${'['.repeat(64)}${']'.repeat(64)}`)).toHaveProperty('value');
  });

  it('never throws, whatever the text', () => {
    const unit = fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', '1', '.', '-', 'e', ' ');
    fc.assert(fc.property(fc.string({ unit }), (text) => typeof parse(text) === 'object'));
  });
});
