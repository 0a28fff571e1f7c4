import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursors } from './cursors.ts';

const cursors = createCursors(Buffer.alloc(32, 1));
const position = fc.nat({ max: 2 ** 48 - 1 });

describe('cursors', () => {
  it('come back as they went, on every node that has the secret', () => {
    const elsewhere = createCursors(Buffer.alloc(32, 1));
    fc.assert(
      fc.property(position, fc.constantFrom('older', 'newer'), (at, use) => {
        expect(elsewhere.read('acct_1', use, 'cursor', cursors.write('acct_1', use, at))).toBe(at);
      }),
    );
  });

  it('are worth nothing to another account, for another use, or changed', () => {
    fc.assert(
      fc.property(position, fc.nat(26), fc.constantFrom('A', 'B'), (at, place, letter) => {
        const cursor = cursors.write('acct_1', 'older', at);
        expect(() => cursors.read('acct_2', 'older', 'cursor', cursor)).toThrow('not a cursor');
        expect(() => cursors.read('acct_1', 'newer', 'cursor', cursor)).toThrow('not a cursor');
        const changed = cursor.slice(0, place) + letter + cursor.slice(place + 1);
        fc.pre(changed !== cursor);
        expect(() => cursors.read('acct_1', 'older', 'cursor', changed)).toThrow('not a cursor');
      }),
    );
  });

  it('cannot be made without the secret', () => {
    const forged = createCursors(Buffer.alloc(32, 2)).write('acct_1', 'older', 7);
    expect(() => cursors.read('acct_1', 'older', 'cursor', forged)).toThrow('not a cursor');
  });

  it('are the same for one match, and never the same for a place that others move', () => {
    const hundred = Array.from({ length: 100 });
    expect(new Set(hundred.map(() => cursors.write('acct_1', 'newer', 7))).size).toBe(1);
    expect(new Set(hundred.map(() => cursors.writePlace('acct_1', 'newer', 7))).size).toBe(100);
    expect(cursors.read('acct_1', 'newer', 'cursor', cursors.writePlace('acct_1', 'newer', 7))).toBe(7);
  });

  it('are refused when they are made up', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => cursors.read('acct_1', 'older', 'cursor', text)).toThrow('not a cursor');
      }),
    );
  });
});
