import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { StoreError } from '../../store/error.ts';
import type { Commit, CommitEvent } from '../../store/store.ts';
import { noMetrics } from '../telemetry.ts';
import { createUpstreamBatch } from './batch.ts';

function stage(answer: (tries: number) => Promise<void> = async () => {}, confirm = async () => {}) {
  const clock = fakeClock();
  const commits: Commit[] = [];
  const stopping = new AbortController();
  let tries = 0;
  const batch = createUpstreamBatch({
    name: 'x',
    held: { lease: { name: 'x', fence: 1 }, confirm },
    ingest: {
      async commit(commit) {
        await answer(tries++);
        commits.push(commit);
        return { added: 0, addedByEvent: [], repeats: 0, latest: 0, accountIds: [], addedByAccount: [] };
      },
    },
    live: { announce: () => {} },
    clock,
    metrics: noMetrics,
    signal: stopping.signal,
  });
  return { batch, commits, clock, stopping, tries: () => tries };
}

/** An event in parts of 200 matches. */
const parts = (count: number, postId = '1'): CommitEvent[] =>
  Array.from({ length: count }, () => ({
    event: { platform: 'x', postId, payload: {}, accountId: undefined },
    matches: Array.from({ length: 200 }, (_, at) => ({ ruleId: `rule ${at}`, version: 1, highlights: [] })),
  }));

const rowsOf = ({ events }: Commit): number => events.reduce((sum, { matches }) => sum + 1 + matches.length, 0);

describe('a batch', () => {
  it('stores an event with thousands of matches in several transactions, and the cursor with the last', async () => {
    const { batch, commits } = stage();
    batch.begin();
    await batch.add(parts(50));
    await batch.flush({ cursor: '1', through: new Date(0) });
    expect(commits.map(rowsOf)).toEqual([...Array.from({ length: 10 }, () => 1_005), 0]);
    expect(commits.map(({ cursor }) => cursor?.value)).toEqual([...Array.from({ length: 10 }, () => undefined), '1']);
  });

  it('keeps an event of one part whole, and is full then', async () => {
    const { batch, commits } = stage();
    for (let event = 0; event < 5; event++) {
      expect(batch.isFull).toBe(false);
      batch.begin();
      await batch.add(parts(1, String(event)));
    }
    expect([batch.isFull, commits]).toEqual([true, []]);
  });

  it('is full after 200 items, whatever they hold', () => {
    const { batch } = stage();
    for (let item = 0; item < 199; item++) batch.begin();
    expect(batch.isFull).toBe(false);
    batch.begin();
    expect(batch.isFull).toBe(true);
  });

  it('is stored nowhere when it holds nothing', async () => {
    const { batch, commits } = stage();
    batch.begin();
    await batch.flush();
    expect(commits).toEqual([]);
  });

  it('is tried again until it is durable', async () => {
    const { batch, commits, clock, tries } = stage(async (attempt) => {
      if (attempt < 5) throw new StoreError('unwritable', 'The disk is full.');
    });
    await batch.add(parts(1));
    const storing = batch.flush({ cursor: '1', through: new Date(0) });
    await clock.pass(10_000);
    await storing;
    expect([commits.length, tries()]).toEqual([1, 6]);
  });

  it('is given up when another process has the lease, or when we stop', async () => {
    const fenced = stage(async () => {
      throw new StoreError('fenced', 'Another process has taken this lease.');
    });
    await fenced.batch.add(parts(1));
    await expect(fenced.batch.flush()).rejects.toMatchObject({ reason: 'fenced' });
    expect(fenced.tries()).toBe(1);
    const stopped = stage(async () => {
      throw new StoreError('unwritable', 'The disk is full.');
    });
    stopped.stopping.abort();
    await stopped.batch.add(parts(1));
    await expect(stopped.batch.flush()).rejects.toMatchObject({ reason: 'unwritable' });
    expect(stopped.tries()).toBe(1);
  });

  it('is not even tried under a lease that is not confirmed', async () => {
    const { batch, tries } = stage(undefined, async () => {
      throw new StoreError('fenced', 'Another process has taken this lease.');
    });
    await batch.add(parts(1));
    await expect(batch.flush()).rejects.toMatchObject({ reason: 'fenced' });
    expect(tries()).toBe(0);
  });

  it('waits a tenth of a second before it is tried again, then longer, and a second at most', async () => {
    const { batch, clock, tries } = stage(async (attempt) => {
      if (attempt < 6) throw new StoreError('unwritable', 'The disk is full.');
    });
    await batch.add(parts(1));
    const storing = batch.flush();
    await clock.pass(0);
    for (const [index, pause] of [100, 250, 500, 1_000, 1_000, 1_000].entries()) {
      await clock.pass(pause - 1);
      expect(tries()).toBe(index + 1);
      await clock.pass(1);
      expect(tries()).toBe(index + 2);
    }
    await storing;
  });
});
