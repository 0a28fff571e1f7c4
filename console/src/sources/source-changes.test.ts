import { describe, expect, it } from 'vitest';
import { sourceChanges, sourceDraftOf, sourceObstacle } from './source-changes.ts';

const page = {
  id: 'source_1',
  kind: 'watch' as const,
  name: 'Lamp',
  options: { every: 3_600, select: '.price', ignore: ['.advert'], when: { below: 20, appears: 'sale' } },
};
const shown = sourceDraftOf(page);

describe('what an edit of a source sends', () => {
  it('is nothing where nothing differs, and else only what does', () => {
    expect(sourceChanges(page, shown)).toBeUndefined();
    expect(sourceChanges(page, { ...shown, name: 'Lamps' })).toEqual({ source_id: 'source_1', name: 'Lamps' });
    expect(sourceChanges(page, { ...shown, ignore: '.advert\n\n.cookies\n' })).toEqual({
      source_id: 'source_1',
      options: { ignore: ['.advert', '.cookies'] },
    });
    const when = { below: 19.99, appears: 'sale' };
    expect(sourceChanges(page, { ...shown, below: '19.99' })).toEqual({ source_id: 'source_1', options: { when } });
  });

  it('takes away what was emptied, the interval as well', () => {
    const emptied = { ...shown, minutes: ' ', select: '', ignore: '', below: ' ', appears: '' };
    expect(sourceChanges(page, emptied)).toEqual({
      source_id: 'source_1',
      options: { every: null, select: null, ignore: [], when: null },
    });
  });

  it('has no option of a page for a source that is none', () => {
    const feed = { ...page, kind: 'feeds' as const, options: { every: 900 } };
    expect(sourceChanges(feed, { ...sourceDraftOf(feed), minutes: '30', select: '.a' })).toEqual({
      source_id: 'source_1',
      options: { every: 1_800 },
    });
  });

  it('is not sent while a number is none', () => {
    for (const minutes of ['30', '1.5', '', ' ']) expect(sourceObstacle({ ...shown, minutes })).toBeUndefined();
    for (const minutes of ['0', '-5', '30 min', '1,5', 'Infinity'])
      expect(sourceObstacle({ ...shown, minutes })).toMatch(/^“Visit every”/);
    expect(sourceObstacle({ ...shown, below: '-3', above: '0' })).toBeUndefined();
    expect(sourceObstacle({ ...shown, below: '19,99' })).toMatch(/^“Number below”/);
    expect(sourceObstacle({ ...shown, above: 'much' })).toMatch(/^“Number above”/);
  });
});
