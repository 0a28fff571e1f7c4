import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeOf } from './passages.ts';

describe('passages', () => {
  it('tell what came and what went', () => {
    expect(changeOf('a\nb\nc', 'a\nx\nc\nd')).toEqual({
      added: ['x', 'd'],
      removed: ['b'],
      rows: [{ before: 'b', after: 'x' }, { after: 'd' }],
    });
    expect(changeOf('', 'a')).toMatchObject({ added: ['a'], removed: [] });
    const long = (price: number) =>
      `${'This plan is for those who need little. '.repeat(6)}It costs ${price}. Taxes are included.`;
    expect(changeOf(long(29), long(39))).toMatchObject({ added: ['It costs 39.'], removed: ['It costs 29.'] });
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
