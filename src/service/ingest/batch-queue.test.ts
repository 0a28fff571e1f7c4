import { describe, expect, it } from 'vitest';
import { postIdIn } from '../../../test/stages/committed.ts';
import type { Platform } from '../../domain/platform.ts';
import type { CommitEvent, CommitMatch } from '../../store/store.ts';
import { createBatchQueue, createReceipt, type WaitingBatch } from './batch-queue.ts';

const eventOf = (postId: string, matches = 0): CommitEvent => ({
  event: { platform: 'x', postId, payload: {}, accountId: undefined },
  matches: Array.from({ length: matches }, () => ({}) as CommitMatch),
});

function stand() {
  const begun: WaitingBatch[] = [];
  const queue = createBatchQueue((batch) => begun.push(batch));
  const receipt = createReceipt();
  interface Added {
    readonly matches?: number;
    readonly bytes?: number;
    readonly platform?: Platform;
  }
  const add = (postId: string, { matches = 0, bytes = 1, platform = 'x' }: Added = {}) =>
    queue.add(platform, eventOf(postId, matches), bytes, receipt);
  return { queue, begun, receipt, add };
}

const posts = (batch: WaitingBatch | undefined) => batch?.events.map(postIdIn);

describe('batches that wait to be stored', () => {
  it('grow until they are due, one for each platform', () => {
    const { queue, begun, add } = stand();
    add('1');
    add('2');
    add('3', { platform: 'firehose' });
    expect([begun.length, queue.next()]).toEqual([2, undefined]);
    begun[1]!.isDue = true;
    expect(posts(queue.next())).toEqual(['3']);
    queue.flush();
    expect(posts(queue.next())).toEqual(['1', '2']);
    expect(queue.next()).toBeUndefined();
  });

  it('take nothing more once they are on their way', () => {
    const { queue, add } = stand();
    add('1');
    queue.flush();
    const first = queue.next();
    add('2');
    queue.flush();
    expect([posts(first), posts(queue.next())]).toEqual([['1'], ['2']]);
  });

  it('are due with 200 rows, of events and matches together, and end with 3,000', () => {
    const { queue, add } = stand();
    expect(add('1', { matches: 198 }).isDue).toBe(false);
    expect(add('2').isDue).toBe(true);
    expect(add('3', { matches: 2_798 }).rows).toBe(2_999);
    expect(add('4').rows).toBe(3_000);
    add('5');
    expect([posts(queue.next()), queue.next()]).toEqual([['1', '2', '3', '4'], undefined]);
  });

  it('end with four million characters too, because they are handed over in one piece', () => {
    const { queue, add } = stand();
    const half = 2 * 1024 * 1024;
    add('1', { bytes: half });
    expect(add('2', { bytes: half - 1 }).isDue).toBe(false);
    expect(add('3').isDue).toBe(true);
    add('4');
    expect([posts(queue.next()), queue.next()]).toEqual([['1', '2', '3'], undefined]);
  });

  it('are stored in the order in which they were filled', () => {
    const { queue, add } = stand();
    add('1', { matches: 3_000 });
    add('2', { matches: 3_000 });
    add('3', { matches: 200 });
    expect([posts(queue.next()), posts(queue.next()), posts(queue.next())]).toEqual([['1'], ['2'], ['3']]);
  });

  it('move a cursor with the events that it covers, and two cursors with two batches', () => {
    const { queue, add, receipt } = stand();
    const first = add('1');
    expect(queue.moveCursor('x', { name: 'a', value: '1' }, receipt)).toBe(first);
    expect(queue.moveCursor('x', { name: 'a', value: '2' }, receipt)).toBe(first);
    expect(first.cursor).toEqual({ name: 'a', value: '2' });
    const second = queue.moveCursor('x', { name: 'b', value: '9' }, receipt);
    expect([second === first, first.isDue, second.isDue]).toEqual([false, true, false]);
    expect(queue.next()).toBe(first);
    queue.flush();
    expect(queue.next()).toBe(second);
    expect([first.cursorReceipts.length, second.cursorReceipts.length]).toEqual([2, 1]);
  });

  it('add up what a source has read when its cursor moves twice in one batch', () => {
    const { queue, receipt } = stand();
    const cursorAt = (value: string, events: number) => ({ name: 'a', value, reading: { source: 'feeds', events } });
    queue.moveCursor('x', cursorAt('1', 3), receipt);
    expect(queue.moveCursor('x', cursorAt('2', 4), receipt).cursor).toEqual(cursorAt('2', 7));
  });

  it('hold pushers back at 5,000 events or 32 MiB, until what waits is stored', () => {
    const { queue, add } = stand();
    for (let event = 0; event < 4_999; event++) add(`${event}`);
    expect(queue.isFull).toBe(false);
    add('last');
    expect([queue.isFull, queue.queued]).toEqual([true, { events: 5_000, bytes: 5_000 }]);
    const batch = queue.next()!;
    queue.finished(batch);
    expect([queue.isFull, queue.queued.events]).toEqual([false, 5_000 - batch.events.length]);
    const other = stand();
    other.add('1', { bytes: 32 * 1024 * 1024 - 1 });
    expect(other.queue.isFull).toBe(false);
    other.add('2');
    expect(other.queue.isFull).toBe(true);
  });
});

describe('a receipt', () => {
  it('is done when the push has ended and all that it added is stored, with the number of matches', async () => {
    const receipt = createReceipt();
    const turn = () => new Promise<string>((done) => setImmediate(() => done('waiting')));
    receipt.expect(2);
    receipt.confirm(3);
    receipt.confirm(0);
    expect([await Promise.race([receipt.done, turn()]), receipt.hasFailed]).toEqual(['waiting', false]);
    receipt.confirm(4);
    expect(await Promise.race([receipt.done, turn()])).toBe(7);
  });

  it('fails with what the store threw, also while the push still reads its lines', async () => {
    const receipt = createReceipt();
    receipt.fail(new Error('full'));
    expect(receipt.hasFailed).toBe(true);
    await expect(receipt.done).rejects.toThrow('full');
  });
});
