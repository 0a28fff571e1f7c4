import { describe, expect, it } from 'vitest';
import { postIdIn } from '../../../test/stages/committed.ts';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { StoreError } from '../../store/error.ts';
import type { Commit, CommitEvent, Committed, Store } from '../../store/store.ts';
import { noMetrics } from '../telemetry.ts';
import { createReceipt } from './batch-queue.ts';
import { type CommitNotice, createGroupCommit } from './group-commit.ts';

const eventOf = (id: string): CommitEvent => ({
  event: { platform: 'x', postId: id, payload: {}, accountId: undefined },
  matches: [],
});

/** Group commit over a store whose commits end when the test says so. */
function stage() {
  const clock = fakeClock();
  const begun: { readonly commit: Commit; end(error?: Error): void }[] = [];
  const fault = { check: false };
  const commit = (given: Commit): Promise<Committed> =>
    new Promise((resolve, reject) => {
      const addedByEvent = given.events.map(() => 0);
      const done: Committed = { added: 0, addedByEvent, repeats: 0, latest: 0, accountIds: [], addedByAccount: [] };
      begun.push({ commit: given, end: (error) => (error === undefined ? resolve(done) : reject(error)) });
    });
  const rooms: (number | undefined)[] = [];
  const check = async (room?: number) => {
    rooms.push(room);
    if (fault.check) throw new StoreError('unwritable', 'no space left');
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const notices: CommitNotice[] = [];
  const onCommit = (notice: CommitNotice) => void notices.push(notice);
  const rules = { changes: 0 };
  const group = createGroupCommit({
    store: { commit, check } as Store,
    clock,
    log,
    metrics: noMetrics,
    onCommit,
    ruleChanges: () => rules.changes,
  });
  return { clock, begun, fault, group, notices, rooms, rules };
}

const turn = () => new Promise<string>((resolve) => setImmediate(() => resolve('waits')));

describe('group commit', () => {
  it('makes its transactions short while rules change, and for five seconds after that', async () => {
    const { group, begun, clock, rules } = stage();
    const receipt = createReceipt();
    /** How many events the transactions of 4,000 have. */
    async function sizes(): Promise<number[]> {
      const before = begun.length;
      for (let id = 0; id < 4_000; id++) group.add('x', eventOf(`${before}-${id}`), 1, receipt);
      for (let one = before; begun.length > one; one++) {
        begun[one]!.end();
        await clock.pass(50);
      }
      // The first one began as soon as there was enough of it.
      return begun.slice(before + 1).map(({ commit }) => commit.events.length);
    }
    expect(await sizes()).toEqual([3_000, 800]);
    rules.changes++;
    expect(await sizes()).toEqual([...Array<number>(32).fill(120), 40]);
    await clock.pass(3_000);
    expect(await sizes()).toEqual([...Array<number>(32).fill(120), 40]);
    await clock.pass(1_000);
    expect(await sizes()).toEqual([3_000, 800]);
  });

  it('has stored what waited once it is closed', async () => {
    const { group, begun } = stage();
    group.add('x', eventOf('1'), 1, createReceipt());
    const closed = group.close();
    const first = await Promise.race([closed.then(() => 'closed'), turn()]);
    expect([begun.map(({ commit }) => commit.events.length), first]).toEqual([[1], 'waits']);
    begun[0]!.end();
    await closed;
  });

  it('tells a push once that the store failed, however many events it had added', async () => {
    const { group, begun, clock } = stage();
    const failed: unknown[] = [];
    const receipt = { ...createReceipt(), fail: (error: unknown) => void failed.push(error) };
    for (let id = 0; id < 500; id++) group.add('x', eventOf(`${id}`), 1, receipt);
    begun[0]!.end(new StoreError('unwritable', 'no space left'));
    await clock.pass(50);
    // 200 of them were on their way; the others waited.
    expect(failed).toHaveLength(2);
    expect(failed[0]).toMatchObject({ code: 'unavailable' });
  });

  it('stores nothing after a batch that failed: a later cursor would cover events that are not there', async () => {
    const { group, begun, fault, clock } = stage();
    fault.check = true;
    const [first, second] = [createReceipt(), createReceipt()];
    for (let id = 0; id < 2_000; id++) group.add('x', eventOf(`a${id}`), 1, first);
    for (let id = 0; id < 10; id++) group.add('x', eventOf(`b${id}`), 1, second);
    group.moveCursor('x', { name: 'source', value: '2010' }, second);
    await clock.pass(100);
    expect(begun).toHaveLength(1);
    begun[0]!.end(new StoreError('unwritable', 'no space left'));
    await clock.pass(100);
    await expect(first.done).rejects.toMatchObject({ code: 'unavailable' });
    await expect(second.done).rejects.toMatchObject({ code: 'unavailable' });
    expect(begun).toHaveLength(1);
    expect(group.queued).toEqual({ events: 0, bytes: 0 });
    fault.check = false;
    await clock.pass(2_000);
    begun[1]!.end();
    await clock.pass(0);
    expect([group.trouble, begun.length, begun[1]!.commit.events]).toEqual([undefined, 2, []]);
  });

  it('stays in trouble until a commit succeeds, although the store can be written', async () => {
    const { group, begun, clock, rooms } = stage();
    const failing = group.commitNow({ platform: 'x', at: new Date(0), events: [eventOf('1')] });
    begun[0]!.end(new StoreError('full', 'no space left'));
    await expect(failing).rejects.toMatchObject({ reason: 'full' });
    for (let tries = 1; tries < 20; tries++) {
      expect(group.trouble).toBe('disk_full');
      await clock.pass(1_000);
      begun[tries]!.end(new StoreError('full', 'no space left'));
      await clock.pass(0);
    }
    await clock.pass(1_000);
    begun.at(-1)!.end();
    await clock.pass(0);
    expect(group.trouble).toBeUndefined();
    // A row always fits somewhere: what is tried is as large as a commit.
    expect(new Set(rooms)).toEqual(new Set([256 * 1024]));
  });

  it('needs room for a commit as large as the one that failed', async () => {
    const { group, begun, clock, rooms } = stage();
    const event = { ...eventOf('1'), event: { ...eventOf('1').event, payload: { text: 'x'.repeat(1_000_000) } } };
    const failing = group.commitNow({ platform: 'x', at: new Date(0), events: [event] });
    begun[0]!.end(new StoreError('full', 'no space left'));
    await expect(failing).rejects.toMatchObject({ reason: 'full' });
    await clock.pass(100);
    expect(rooms[0]).toBeGreaterThan(1_000_000);
  });

  it('is in trouble while a commit waits for more than 5 s, and goes on taking events', async () => {
    const { group, begun, clock } = stage();
    const [first, second] = [createReceipt(), createReceipt()];
    group.add('x', eventOf('1'), 1, first);
    await clock.pass(5_000);
    expect([group.trouble, group.longestWait]).toEqual([undefined, 5_000]);
    await clock.pass(1);
    expect(group.trouble).toBe('commits_waiting');
    group.add('firehose', eventOf('2'), 1, second);
    begun[0]!.end();
    await clock.pass(20);
    expect([group.trouble, group.longestWait]).toEqual([undefined, 20]);
    begun[1]!.end();
    await clock.pass(0);
    expect(group.longestWait).toBe(0);
  });

  it('takes nothing while the store is checked, and commits in order afterwards', async () => {
    const { group, begun, clock } = stage();
    const failed = createReceipt();
    group.add('x', eventOf('1'), 1, failed);
    await clock.pass(20);
    begun[0]!.end(new StoreError('unwritable', 'no space left'));
    await expect(failed.done).rejects.toMatchObject({ code: 'unavailable' });
    expect(() => group.add('x', eventOf('2'), 1, createReceipt())).toThrow('Nothing can be stored');
    await clock.pass(100);
    begun[1]!.end();
    await clock.pass(0);
    const stored = createReceipt();
    group.add('x', eventOf('3'), 1, stored);
    stored.confirm(0);
    await clock.pass(20);
    begun[2]!.end();
    expect(await stored.done).toBe(0);
  });

  /** Ends every commit, of which those with a bad event are refused, until all that was added is dealt with. */
  async function endAll({ begun, clock }: ReturnType<typeof stage>): Promise<string[]> {
    for (let one = 0; one < begun.length; one++) {
      const isBad = begun[one]!.commit.events.some((event) => postIdIn(event).startsWith('bad'));
      begun[one]!.end(isBad ? new StoreError('refused', 'a trigger raised') : undefined);
      await clock.pass(50);
    }
    const isGood = (event: Commit['events'][number]) => !postIdIn(event).startsWith('bad');
    const stored = begun.filter(({ commit }) => commit.events.every(isGood));
    return stored.flatMap(({ commit }) => commit.events.map(postIdIn));
  }

  it('stores all but the events that the store refuses, in order, and tells their pushes alone', async () => {
    const test = stage();
    const { group, clock } = test;
    const pushes = Array.from({ length: 10 }, () => createReceipt(undefined, false));
    const ids = Array.from({ length: 100 }, (_, at) => (at === 37 || at === 80 ? `bad ${at}` : `${at}`));
    for (const [at, id] of ids.entries()) group.add('x', eventOf(id), 1, pushes[at % 10]!);
    for (const push of pushes) push.confirm(0);
    await clock.pass(50);
    expect(await endAll(test)).toEqual(ids.filter((id) => !id.startsWith('bad')));
    expect(group.trouble).toBeUndefined();
    const ends = await Promise.all(pushes.map((push) => push.done.catch((error: Error) => error.cause)));
    const refused = expect.objectContaining({ reason: 'refused' });
    expect(ends).toEqual(pushes.map((_, at) => (at === 7 || at === 0 ? refused : 0)));
  });

  it('moves no cursor over an event that the store refuses', async () => {
    const test = stage();
    const { group, clock, begun } = test;
    const [push, source, later] = [createReceipt(undefined, false), createReceipt(), createReceipt()];
    for (const id of ['1', '2']) group.add('x', eventOf(id), 1, push);
    push.confirm(0);
    for (const id of ['3', 'bad 4', '5']) group.add('x', eventOf(id), 1, source);
    group.moveCursor('x', { name: 'source', value: '5' }, source);
    group.moveCursor('x', { name: 'another', value: '1' }, later);
    await clock.pass(50);
    expect(await endAll(test)).toEqual(['1', '2', '3']);
    expect(await push.done).toBe(0);
    await expect(source.done).rejects.toMatchObject({ code: 'unavailable' });
    await expect(later.done).rejects.toMatchObject({ code: 'unavailable' });
    const moving = begun.filter(({ commit }) => commit.cursor !== undefined);
    expect(moving.map(({ commit }) => commit.events.length)).toEqual([5]);
  });

  it('is in trouble when the store refuses one event after the other', async () => {
    const test = stage();
    const { group, clock, begun } = test;
    test.fault.check = true;
    const push = createReceipt(undefined, false);
    for (let id = 0; id < 100; id++) group.add('x', eventOf(`bad ${id}`), 1, push);
    await clock.pass(50);
    expect(await endAll(test)).toEqual([]);
    expect(group.trouble).toBe('store_unwritable');
    expect(begun.filter(({ commit }) => commit.events.length === 1)).toHaveLength(8);
  });

  it('does not take a lost lease for a store that cannot be written', async () => {
    const { group, begun } = stage();
    const commit = group.commitNow({ platform: 'x', at: new Date(0), events: [eventOf('1')] });
    begun[0]!.end(new StoreError('fenced', 'another node has the lease'));
    await expect(commit).rejects.toMatchObject({ reason: 'fenced' });
    expect(group.trouble).toBeUndefined();
  });
});
