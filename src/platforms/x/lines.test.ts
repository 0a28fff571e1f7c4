import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { LineSplitter, type StreamLine } from './lines.ts';

const LIMIT = 40;

const shown = (line: StreamLine): string =>
  'bytes' in line ? line.bytes.toString('latin1') : `overlong ${line.overlong.toString('latin1')}`;

/** The records of a stream that arrives in pieces which end at the given places. */
function read(stream: Buffer, cuts: readonly number[]): string[] {
  const records = new LineSplitter(LIMIT);
  const ends = [...cuts.map((cut) => cut % (stream.length + 1)), stream.length].toSorted((a, b) => a - b);
  let start = 0;
  const lines = ends.flatMap((end) => {
    const piece = records.feed(stream.subarray(start, end));
    start = end;
    return piece.map(shown);
  });
  return lines;
}

const line = fc.oneof(
  fc.constant(''),
  fc.json({ maxDepth: 1 }).map((json) => json.slice(0, 60)),
  fc.string({ unit: ANY_CHARACTER, maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\r\n', '\n')), { maxLength: 12 })
  .map((lines) => Buffer.from(lines.map(([text, end]) => text + end).join('')));

describe('records', () => {
  it('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), (bytes, cuts) => {
        const byByte = Array.from({ length: bytes.length }, (_, at) => at);
        expect(read(bytes, cuts)).toEqual(read(bytes, []));
        expect(read(bytes, byByte)).toEqual(read(bytes, []));
      }),
      { numRuns: 500 },
    );
  });

  it('of a stream that is cut anywhere are a beginning of the whole, and never half of one', () => {
    fc.assert(
      fc.property(stream, fc.nat(), (bytes, at) => {
        const whole = read(bytes, []);
        const cut = read(bytes.subarray(0, at % (bytes.length + 1)), []);
        expect(whole.slice(0, cut.length)).toEqual(cut);
      }),
      { numRuns: 500 },
    );
  });

  it('gives heartbeats as empty lines, also when one is cut in its middle', () => {
    const records = new LineSplitter();
    expect(records.feed(Buffer.from('\r'))).toEqual([]);
    expect(records.pending).toBe(1);
    expect(records.feed(Buffer.from('\n{}\r\n\r\n')).map(shown)).toEqual(['', '{}', '']);
    expect(records.pending).toBe(0);
  });

  it('takes a line of the largest size, and stops at a longer one with its beginning', () => {
    const records = new LineSplitter(8);
    expect(records.feed(Buffer.from('12345678\n')).map(shown)).toEqual(['12345678']);
    expect(records.feed(Buffer.from('abc\n123456789')).map(shown)).toEqual(['abc', 'overlong 12345678']);
    expect(records.feed(Buffer.from('\nabc\n'))).toEqual([]);
  });

  it('keeps the first 4 KiB of a line that is too long', () => {
    const [first] = new LineSplitter().feed(Buffer.alloc(2 * 1024 * 1024, 'x'));
    expect(first !== undefined && 'overlong' in first && first.overlong.length).toBe(4_096);
  });
});
