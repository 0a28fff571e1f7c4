import { describe, expect, it } from 'vitest';
import { FrameQueue } from './frame-queue.ts';

const frameOf = (id: number, data = 'x') => ({
  frame: { event: 'update', data, id: `0-${id}`, tooLong: false },
  at: new Date(id),
  readThrough: new Date(id),
});

const MEBIBYTE = 'x'.repeat(1024 * 1024);

describe('the queue of frames', () => {
  it('gives frames in their order, however they come and go', () => {
    const queue = new FrameQueue();
    let [put, taken] = [0, 0];
    for (const [coming, going] of [
      [700, 3],
      [900, 1_200],
      [1_500, 1_897],
      [2, 2],
    ] as const) {
      for (let count = 0; count < coming; count++) queue.put(frameOf(put++));
      for (let count = 0; count < going; count++) expect(queue.take()?.frame.id).toBe(`0-${taken++}`);
      expect(queue.taken).toBe(taken);
    }
    expect([queue.take(), queue.taken]).toEqual([undefined, taken]);
  });

  it('is full with 1,000 frames, and has room again when half of them are taken', () => {
    const queue = new FrameQueue();
    for (let id = 0; id < 999; id++) queue.put(frameOf(id));
    expect([queue.isFull, queue.isLow]).toEqual([false, false]);
    queue.put(frameOf(999));
    expect(queue.isFull).toBe(true);
    for (let id = 0; id < 500; id++) queue.take();
    expect([queue.isFull, queue.isLow]).toEqual([false, false]);
    queue.take();
    expect(queue.isLow).toBe(true);
  });

  it('is full with 8 MiB of text, so that large pages do not fill the memory', () => {
    const queue = new FrameQueue();
    for (let id = 0; id < 8; id++) {
      expect(queue.isFull).toBe(false);
      queue.put(frameOf(id, MEBIBYTE));
    }
    expect(queue.isFull).toBe(true);
    for (let id = 0; id < 4; id++) queue.take();
    expect([queue.isFull, queue.isLow]).toEqual([false, false]);
    queue.take();
    expect(queue.isLow).toBe(true);
  });
});
