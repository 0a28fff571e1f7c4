import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from './cursors.ts';

const position = fc.nat({ max: 2 ** 48 - 1 });

describe('cursors', () => {
  it('come back as they went', () => {
    fc.assert(
      fc.property(position, fc.constantFrom('older', 'newer'), (at, use) => {
        expect(readCursor('acct_1', use, 'cursor', writeCursor('acct_1', use, at))).toBe(at);
      }),
    );
  });

  it('are worth nothing to another account, for another use, or changed', () => {
    fc.assert(
      fc.property(position, fc.nat(15), fc.constantFrom('A', 'B'), (at, place, letter) => {
        const cursor = writeCursor('acct_1', 'older', at);
        expect(() => readCursor('acct_2', 'older', 'cursor', cursor)).toThrow('not a cursor');
        expect(() => readCursor('acct_1', 'newer', 'cursor', cursor)).toThrow('not a cursor');
        const changed = cursor.slice(0, place) + letter + cursor.slice(place + 1);
        fc.pre(changed !== cursor);
        expect(() => readCursor('acct_1', 'older', 'cursor', changed)).toThrow('not a cursor');
      }),
    );
  });

  it('are refused when they are made up', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readCursor('acct_1', 'older', 'cursor', text)).toThrow('not a cursor');
      }),
    );
  });
});
