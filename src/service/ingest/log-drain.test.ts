import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { EventLog, LoggedPack } from '../../broker/broker.ts';
import type { Gap } from '../../domain/coverage.ts';
import { StoreError } from '../../store/error.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { type CommitNotice, unavailable } from './group-commit.ts';
import { createLogDrain } from './log-drain.ts';

const REFUSED = new StoreError('refused', 'PostgreSQL refused a statement.', { cause: new Error('no such value') });
const NOTICE: CommitNotice = {
  platform: 'x',
  events: 1,
  matches: 0,
  latest: 1,
  before: undefined,
  repeats: 0,
  ruleIds: new Set(),
  accountIds: [],
  addedByAccount: [],
  trace: undefined,
};

type Read = Parameters<EventLog['read']>;

/** A drain on a shared store, with a log whose readers the test has in its hand. */
async function stage() {
  const clock = fakeClock();
  const store = await openSqlite(':memory:', { clock });
  const reads: { shard: number; store: Read[1]; signal: AbortSignal; end(): void }[] = [];
  const pushed: string[] = [];
  const gaps: Gap[] = [];
  const aside: string[] = [];
  const listeners: ((commit: CommitNotice) => void)[] = [];
  const stored: unknown[] = [];
  const used: unknown[] = [];
  /** How often it fails from now on. */
  const failing = { onStored: 0 };
  const events: EventLog = {
    problem: async () => undefined,
    append: async () => {},
    read: (shard, take, signal) =>
      new Promise((end) => void reads.push({ shard, store: take, signal, end: () => end() })),
    setAside: async ({ accountId, lines }, reason) =>
      void aside.push(`${accountId}: ${String(lines).trim()}: ${reason}`),
    backlog: async () => ({ packs: 0, bytes: 0, room: 1, since: undefined, aside: 0 }),
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const noteGaps = async (given: readonly Gap[]) => void gaps.push(...given);
  const drain = createLogDrain({
    events,
    store: { ...store, isShared: true, noteGaps },
    here: {
      async push(platform, lines, accountId) {
        const texts = String(lines).trim().split('\n');
        pushed.push(`${accountId} ${platform}: ${texts.join(' ')}`);
        if (texts.some((text) => text.startsWith('refused'))) throw unavailable(REFUSED);
        const rejected = texts.flatMap((text, at) => (text === 'bad' ? [{ line: at + 1, problem: 'it is bad' }] : []));
        return { accepted: texts.length - rejected.length, matches: 0, rejected, moreRejected: 0, cpuMs: texts.length };
      },
      onCommit: (listener) => {
        listeners.push(listener);
        return () => void listeners.pop();
      },
    },
    clock,
    log,
    holder: { id: 'one', isGone: () => false },
    async onStored(...given) {
      if (failing.onStored-- > 0) throw new Error('The store is away.');
      stored.push(given);
    },
    onUsed: (...given) => void used.push(given),
  });
  const stopping = new AbortController();
  const running = drain.run(stopping.signal);
  await clock.pass(1_000);
  return {
    clock,
    store,
    reads,
    pushed,
    gaps,
    aside,
    stored,
    used,
    failing,
    /** A commit with so many new matches. */
    commit: (matches: number) => {
      for (const listener of listeners) listener({ ...NOTICE, matches });
    },
    async stop() {
      stopping.abort();
      for (const { end } of reads) end();
      await running;
    },
  };
}

const AT = new Date('2026-11-18T08:00:00Z');

const pack = (accountId: string | undefined, text: string, platform: LoggedPack['platform'] = 'x'): LoggedPack => ({
  platform,
  accountId,
  source: 'push',
  lines: Buffer.from(text),
  at: AT,
});

describe('the packs of the log', () => {
  it('are stored in the order of each account, those that are alike together', async () => {
    const { reads, pushed, stored, stop } = await stage();
    await reads[0]!.store([
      pack('a', '1'),
      pack('b', '2\n'),
      pack('a', '3\n4'),
      pack('a', '5', 'firehose'),
      pack('a', '6'),
      pack(undefined, '7'),
    ]);
    expect(pushed.filter((text) => text.startsWith('a'))).toEqual(['a x: 1 3 4', 'a firehose: 5', 'a x: 6']);
    expect(pushed.filter((text) => !text.startsWith('a'))).toEqual(['b x: 2', 'undefined x: 7']);
    expect(stored).toContainEqual(['x', 'b', AT]);
    await stop();
  });

  it('count for the account that pushed them: the lines that are events, and the CPU', async () => {
    const { reads, used, stop } = await stage();
    await reads[0]!.store([pack('a', 'good\nbad\ngood'), pack(undefined, 'good'), pack('b', 'bad')]);
    // Accounts go side by side.
    expect(new Set(used)).toEqual(
      new Set([
        ['a', { events: 2, cpu_ms: 3 }],
        ['b', { events: 0, cpu_ms: 1 }],
      ]),
    );
    await stop();
  });

  it('count once where what follows their storing fails', async () => {
    const { reads, used, failing, stop } = await stage();
    failing.onStored = 1;
    const packs = [pack('a', 'good\ngood')];
    await expect(reads[0]!.store(packs)).rejects.toThrow('The store is away.');
    await reads[0]!.store(packs);
    expect(used).toEqual([['a', { events: 2, cpu_ms: 2 }]]);
    await stop();
  });

  it('that are no events are a gap of the account that pushed them', async () => {
    const { reads, gaps, stop } = await stage();
    await reads[0]!.store([pack('a', 'good\nbad'), pack(undefined, 'bad')]);
    const gap = { platform: 'x', from: AT, cause: 'source_unread:push', source: 'push', recovered: false };
    expect(gaps).toHaveLength(2);
    expect(gaps).toContainEqual(expect.objectContaining({ ...gap, accountId: 'a' }));
    expect(gaps).toContainEqual(expect.not.objectContaining({ accountId: expect.anything() }));
    await stop();
  });
});

describe('what the store refuses', () => {
  it('is tried again a few times, then put aside with the reason, and what is beside it is stored', async () => {
    const { clock, reads, aside, gaps, pushed, stop } = await stage();
    const storing = reads[0]!.store([pack('a', '1\nrefused 2\n3'), pack('a', '4'), pack('b', '5')]);
    await clock.pass(5_000);
    expect(aside).toEqual([]);
    expect(pushed.filter((text) => text === 'a x: 1 refused 2 3 4')).toHaveLength(3);
    await clock.pass(250);
    await storing;
    expect(aside).toEqual(['a: refused 2: The store refuses it: no such value']);
    expect(gaps).toMatchObject([{ cause: 'source_unread:push', accountId: 'a' }]);
    await stop();
  });

  it('waits in the log when nothing else is stored either', async () => {
    const { clock, reads, aside, commit, stop } = await stage();
    const refused = Array.from({ length: 9 }, (_, at) => `refused ${at}`).join('\n');
    const storing = reads[0]!.store([pack('a', refused)]).catch((error: Error) => error.message);
    await clock.pass(5_250);
    expect(await storing).toContain('Nothing can be stored');
    expect(aside).toHaveLength(8);
    commit(1);
    const again = reads[0]!.store([pack('a', 'refused 8')]);
    await clock.pass(5_250);
    await again;
    expect(aside).toHaveLength(9);
    await stop();
  });

  it('comes again without what other accounts have stored, which counts once', async () => {
    const { clock, reads, used, stop } = await stage();
    const refused = Array.from({ length: 9 }, (_, at) => `refused ${at}`).join('\n');
    const packs = [pack('a', refused), pack('b', 'good'), pack('b', 'good', 'firehose')];
    for (let round = 0; round < 2; round++) {
      const storing = reads[0]!.store(packs).catch((error: Error) => error.message);
      await clock.pass(5_250);
      expect(await storing).toContain('Nothing can be stored');
    }
    const one = ['b', { events: 1, cpu_ms: 1 }];
    expect(used.filter((of) => (of as unknown[])[0] === 'b')).toEqual([one, one]);
    await stop();
  });

  it('stays in the log when the node stops meanwhile', async () => {
    const { clock, reads, aside, stop } = await stage();
    const storing = reads[0]!.store([pack('a', 'refused')]).catch((error: Error) => error.name);
    await clock.pass(250);
    await stop();
    expect([await storing, aside]).toEqual(['AbortError', []]);
  });
});

describe('a shard of the log', () => {
  it('is read again by the node that lost it and has it back', async () => {
    const { clock, store, reads, stop } = await stage();
    expect(reads.map(({ shard }) => shard)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    // Another has its leases for a moment, and they are its own again before its readers have ended.
    const wish = { holder: 'two', gone: 'one', milliseconds: 3_000 };
    for (const { shard } of reads) await store.takeLease({ ...wish, name: `log ${shard}`, now: clock.now() });
    await clock.pass(10_000);
    expect(reads.every(({ signal }) => signal.aborted)).toBe(true);
    for (const { end } of reads.slice(0, 8)) end();
    await clock.pass(1_000);
    expect(reads.slice(8).map(({ shard }) => shard)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(reads.slice(8).some(({ signal }) => signal.aborted)).toBe(false);
    await stop();
  });
});
