import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeOf } from './passages.ts';

describe('passages', () => {
  it('tell what came and what went', () => {
    expect(changeOf('a\nb\nc', 'a\nx\nc\nd')).toEqual({ added: ['x', 'd'], removed: ['b'] });
    expect(changeOf('', 'a')).toEqual({ added: ['a'], removed: [] });
    const long = (price: number) =>
      `${'This plan is for those who need little. '.repeat(6)}It costs ${price}. Taxes are included.`;
    expect(changeOf(long(29), long(39))).toEqual({ added: ['It costs 39.'], removed: ['It costs 29.'] });
  });

  it('account for every difference, and for nothing else', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, now) => {
        const { added, removed } = changeOf(before.join('\n'), now.join('\n'));
        const sorted = (passages: readonly string[]) => passages.toSorted().join();
        expect(sorted([...before, ...added])).toBe(sorted([...now, ...removed]));
        expect(before.join() === now.join() ? [...added, ...removed] : []).toEqual([]);
      }),
    );
  });
});
