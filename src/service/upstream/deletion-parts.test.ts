import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import { type DeletionDeps, eraseDeletedPosts } from './deletions.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');

/** An upstream that announces in several parts, each as the test says. */
function stage(parts: readonly string[] = ['1', '2']) {
  const clock = fakeClock();
  const stopping = new AbortController();
  const reads: {
    part: string;
    since: Date | undefined;
    signal: AbortSignal;
    send: (...ids: string[]) => void;
    fail(error: Error): void;
  }[] = [];
  const erased: number[] = [];
  const cursors: [string, string, number][] = [];
  const stored = new Map<string, string>();
  const logged: string[] = [];
  const released: string[] = [];
  let fence = 0;
  const deps = {
    platform: 'x',
    clock,
    holder: { id: 'me', isGone: () => false },
    log: { error: (_: object, message: string) => void logged.push(message) },
    store: slow({
      cursor: async (name: string) => stored.get(name),
      takeLease: async ({ name }: { name: string }) => ({ name, fence: fence === 0 ? ++fence : fence }),
      releaseLease: async ({ name }: { name: string }) => void released.push(name),
    }),
    ingest: slow({
      commit: async ({ cursor: { name, value } }: { cursor: { name: string; value: string } }) =>
        void cursors.push([name, value, clock.now().getTime() - START]),
    }),
    erase: async (_: string, postIds: readonly string[]) => void erased.push(postIds.length),
    feed: {
      parts,
      async *read(part: string, since: Date | undefined, signal: AbortSignal) {
        const queue: string[][] = [];
        let error: Error | undefined;
        let wake = () => {};
        signal.addEventListener('abort', () => wake());
        const send = (...ids: string[]) => {
          queue.push(ids);
          wake();
        };
        const fail = (reason: Error) => {
          error = reason;
          wake();
        };
        reads.push({ part, since, signal, send, fail });
        while (!signal.aborted) {
          if (error !== undefined) throw error;
          const postIds = queue.shift();
          if (postIds !== undefined) yield { postIds, through: clock.now() };
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    },
  } as unknown as DeletionDeps;
  const running = eraseDeletedPosts(deps, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  return { clock, reads, erased, cursors, stored, logged, released, stop };
}

describe('the parts in which an upstream announces deletions', () => {
  it('are read together, each from its own cursor, until the end', async () => {
    const { clock, reads, stored, stop, released, logged } = stage();
    stored.set('x deletions 2', '2026-11-15T08:00:00.000Z');
    await clock.pass(0);
    expect(reads.map(({ part, since }) => [part, since?.toISOString()])).toEqual([
      ['1', undefined],
      ['2', '2026-11-15T08:00:00.000Z'],
    ]);
    await stop();
    expect(reads.every(({ signal }) => signal.aborted)).toBe(true);
    expect([released, logged]).toEqual([['x deletions'], []]);
  });

  it('end with the one that fails, and begin again after five seconds', async () => {
    const { clock, reads, stop, logged } = stage();
    await clock.pass(0);
    reads[0]!.fail(new Error('cut off'));
    await clock.pass(0);
    expect([reads[1]!.signal.aborted, logged.length, reads.length]).toEqual([true, 1, 2]);
    expect(logged[0]).toContain('trying again in 5 seconds');
    await clock.pass(4_999);
    expect(reads).toHaveLength(2);
    await clock.pass(1);
    expect(reads).toHaveLength(4);
    await stop();
  });

  it('have their posts erased five hundred at a time, and once more after three minutes', async () => {
    const { clock, reads, erased, cursors, stop } = stage(['1']);
    await clock.pass(0);
    reads[0]!.send(...Array.from({ length: 1_001 }, (_, at) => String(at)));
    await clock.pass(179_999);
    expect([erased, cursors]).toEqual([[500, 500, 1], []]);
    await clock.pass(1);
    expect(erased).toEqual([500, 500, 1, 500, 500, 1]);
    expect(cursors).toEqual([['x deletions 1', new Date(START).toISOString(), 180_000]]);
    await stop();
  });

  it('have their cursor stored every five seconds, and when nothing is left', async () => {
    const { clock, reads, cursors, stop } = stage(['1']);
    await clock.pass(0);
    for (let second = 0; second < 8; second++) {
      reads[0]!.send('a');
      await clock.pass(1_000);
    }
    await clock.pass(200_000);
    expect(cursors.map(([, through, at]) => [Date.parse(through) - START, at])).toEqual([
      [0, 180_000],
      [5_000, 185_000],
      [7_000, 187_000],
    ]);
    await stop();
  });
});
