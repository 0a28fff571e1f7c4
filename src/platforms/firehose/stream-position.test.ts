import { describe, expect, it } from 'vitest';
import {
  advance,
  firstPosition,
  isAgedOut,
  isUsableId,
  readPosition,
  resumeFrom,
  type SeenEvent,
  type StreamPosition,
  writePosition,
} from './stream-position.ts';

const HOUR = 3_600_000;

/** Ids and times, one after the other, from nothing. */
function walk(...steps: readonly (readonly [id: string, matchedAt?: number, tap?: string])[]) {
  let position = firstPosition(0);
  const postIds = steps.map(([id, matchedAt, tap]) => {
    const step = advance(position, { id, matchedAt, tap });
    position = step.position;
    return step.postId;
  });
  return { position, postIds };
}

describe('a position', () => {
  it('is read as it was written; anything else is none', () => {
    const { position } = walk(['0-1', 5, 'tap'], ['1-1', 6, 'tap']);
    expect(readPosition(writePosition(position))).toEqual(position);
    for (const text of ['', 'null', '7', '{}', '{"through":"x"}']) expect(readPosition(text)).toBeUndefined();
  });

  it('moves forward only, over replays too', () => {
    expect(walk(['0-5', 1], ['0-6', 2], ['0-5', 1], ['0-6', 2]).position).toMatchObject({
      epoch: 0,
      ids: { 0: '0-6' },
    });
  });

  it('begins another epoch when an old id was matched later', () => {
    const { position, postIds } = walk(['0-5', 1], ['0-6', 2], ['0-1', 3], ['0-2', 3], ['0-2', 3]);
    expect(postIds).toEqual(['0-5', '0-6', '0-1@1', '0-2@1', '0-2@1']);
    expect(position).toMatchObject({ epoch: 1, ids: { 0: '0-2' } });
  });

  it('begins another when an id is before the first of its connection', () => {
    const { position } = walk(['0-5', 7], ['0-6', 7]);
    const seen: SeenEvent = { id: '0-0', tap: undefined, matchedAt: 7, first: 5 };
    expect(advance(position, seen)).toMatchObject({ postId: '0-0@1', isNewEpoch: true });
    expect(advance(position, { ...seen, first: 0 })).toMatchObject({ postId: '0-0', isNewEpoch: false });
  });

  it('begins another when another tap speaks', () => {
    expect(walk(['0-5', 1, 'a'], ['0-6', 2, 'b'], ['0-7', 3, 'b']).postIds).toEqual(['0-5', '0-6@1', '0-7@1']);
  });

  it('leaves a replay from before an epoch where it was', () => {
    const { position, postIds } = walk(['0-5', 1], ['0-6', 2], ['0-1', 3], ['0-6', 2], ['0-2', 4]);
    expect(postIds).toEqual(['0-5', '0-6', '0-1@1', '0-6', '0-2@1']);
    expect(position).toMatchObject({ epoch: 1, ids: { 0: '0-2' } });
  });

  it('is not misled by times out of order, or by none', () => {
    expect(walk(['0-5', 9], ['0-6', 8], ['0-5', 9], ['0-6', 8], ['0-7'], ['0-7']).position).toMatchObject({
      epoch: 0,
      ids: { 0: '0-7' },
    });
  });

  it('notices a jump where one partition is all there is', () => {
    const seen = { tap: undefined, matchedAt: undefined };
    const one = walk(['0-5']).position;
    expect(advance(one, { id: '0-6', ...seen }).missing).toBeUndefined();
    expect(advance(one, { id: '0-8', ...seen }).missing).toEqual({ last: 5, before: 8 });
    expect(advance(one, { id: '1-8', ...seen }).missing).toBeUndefined();
    expect(advance(walk(['0-5'], ['1-5']).position, { id: '1-8', ...seen }).missing).toBeUndefined();
  });

  it('keeps the first and the latest time, and the tap, through events that state none', () => {
    const { position } = walk(['0-5', 7, 'a'], ['0-6', 9, 'a'], ['0-7', 8], ['0-8']);
    expect(position).toMatchObject({ began: 7, latest: 9, tap: 'a', ids: { 0: '0-8' } });
    expect(walk(['0-5'], ['0-6', 9]).position).toMatchObject({ began: 9, latest: 9 });
  });

  it('begins an epoch with the time and the tap of its first event', () => {
    const { position } = walk(['0-5', 1, 'a'], ['1-9', 2, 'a'], ['0-1', 3, 'b']);
    expect(position).toMatchObject({ epoch: 1, tap: 'b', ids: { 0: '0-1' }, began: 3, latest: 3 });
  });

  it('does not begin another when the event at its own place comes again, or one that was matched before', () => {
    const { position } = walk(['0-5', 7], ['0-6', 7]);
    expect(advance(position, { id: '0-6', tap: undefined, matchedAt: 7 })).toMatchObject({
      isNewEpoch: false,
      isKnown: true,
    });
    const older: SeenEvent = { id: '0-0', tap: undefined, matchedAt: 6, first: 5 };
    expect(advance(position, older)).toMatchObject({ isNewEpoch: false, isKnown: true, postId: '0-0' });
    expect(advance(position, { ...older, matchedAt: 7, first: 0 })).toMatchObject({ isNewEpoch: false });
  });

  it('keeps the partition that spoke last, whatever came before', () => {
    const many = Array.from({ length: 64 }, (_, partition) => [`p${partition}-1`] as const);
    const { position } = walk(...many, ['p0-2'], ['new-1']);
    expect(Object.keys(position.ids)).toHaveLength(64);
    expect([position.ids['p0'], position.ids['p1'], position.ids['new']]).toEqual(['p0-2', undefined, 'new-1']);
  });

  it('keeps a bounded number of partitions', () => {
    const { position } = walk(...Array.from({ length: 1_000 }, (_, partition) => [`${partition}-1`] as const));
    expect(Object.keys(position.ids)).toHaveLength(64);
    expect(position.ids[999]).toBe('999-1');
  });
});

describe('resuming', () => {
  const at = (ids: StreamPosition['ids']) => ({ ...firstPosition(0), ids });

  it('goes by the id, whatever it looks like, when there is one', () => {
    expect(resumeFrom(at({ 0: '0-5' }), HOUR)).toEqual({ kind: 'id', id: '0-5' });
    expect(resumeFrom(walk(['opaque']).position, HOUR)).toEqual({ kind: 'id', id: 'opaque' });
  });

  it('goes by the time otherwise, never more than a day', () => {
    expect(resumeFrom(at({}), 0)).toEqual({ kind: 'since', minutes: 1 });
    expect(resumeFrom(at({ 0: '0-5', 1: '1-5' }), 90_000)).toEqual({ kind: 'since', minutes: 3 });
    expect(resumeFrom(at({}), 90 * HOUR)).toEqual({ kind: 'since', minutes: 1_440 });
  });

  it('does not trust the edge of the buffer', () => {
    expect(isAgedOut(24 * HOUR - 300_000)).toBe(false);
    expect(isAgedOut(24 * HOUR - 299_999)).toBe(true);
  });

  it('sends back no id that is not fit for a header', () => {
    for (const id of ['0-43368', '!', '~', 'x'.repeat(128)]) expect(isUsableId(id)).toBe(true);
    for (const id of [undefined, '', 'a b', 'é', 'a\nb', 'x'.repeat(129)]) expect(isUsableId(id)).toBe(false);
  });
});
