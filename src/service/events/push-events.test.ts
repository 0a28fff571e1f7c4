import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import { type Broker, BrokerError, type EventLog, type Pack } from '../../broker/broker.ts';
import { noticeOf } from '../../store/nouns/nodes.ts';
import { loggedCpu } from '../access/cpu-use.ts';

/** A broker whose log takes packs until the test says what is wrong with it. */
function loggingBroker() {
  const packs: Pack[] = [];
  const state = { failure: undefined as BrokerError | undefined };
  const hearing = new Set<(notice: string) => void>();
  const log: EventLog = {
    problem: async () => (state.failure?.reason === 'not-durable' ? state.failure.message : undefined),
    async append(pack) {
      if (state.failure !== undefined) throw state.failure;
      packs.push(pack);
    },
    read: (_, __, signal) => new Promise((end) => signal.addEventListener('abort', () => end())),
    setAside: async () => {},
    backlog: async () => ({ packs: 0, bytes: 0, room: 1, since: undefined, aside: 0 }),
  };
  const broker: Broker = {
    packBytes: 100,
    trouble: undefined,
    ask: async ({ lines }) => ({ accepted: 1, matches: 0, rejected: [], moreRejected: 0, cpuMs: lines.length }),
    tell(notice) {
      for (const hear of hearing) hear(notice);
    },
    hear(hear) {
      hearing.add(hear);
      return () => void hearing.delete(hear);
    },
    serve: async () => {},
    backlog: async () => ({ waiting: 0, taken: 0, again: 0 }),
    log,
    [Symbol.asyncDispose]: async () => {},
  };
  return { broker, packs, state };
}

const lineOf = (id: number): string => JSON.stringify({ data: { id: String(id), text: 'a storm' } });

describe('a push that waits for the log alone', () => {
  async function stage(limits?: { pushedPerMinute: number }) {
    const { broker, packs, state } = loggingBroker();
    const test = await openService({ clock: fakeClock(), broker, roles: ['api'], ...(limits && { limits }) });
    const alice = await test.caller('alice');
    const push = (lines: string) => test.call(alice, 'pushEvents', { platform: 'x', lines, ack: 'log' });
    return { test, alice, packs, state, broker, push, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() };
  }

  it('says what the log took, and of matches nothing', async () => {
    await using at = await stage();
    expect(await at.push(`${lineOf(1)}\n\n${lineOf(2)}\n${lineOf(3)}`)).toEqual({
      accepted: 3,
      rejected: [],
      logged: true,
    });
    expect(at.packs.length).toBeGreaterThan(1);
    const { accountId, source } = at.packs[0]!;
    expect([accountId, source]).toEqual([at.alice.account.id, 'push']);
  });

  it.each([
    ['not-durable', 'failed_precondition'],
    ['full', 'unavailable'],
    ['unavailable', 'unavailable'],
  ] as const)('is refused when the log is %s: %s', async (reason, code) => {
    await using at = await stage();
    at.state.failure = new BrokerError(reason, 'Something is wrong with it.');
    await expect(at.push(lineOf(1))).rejects.toMatchObject({ code });
  });

  it('lists a line that is too large, and takes the others', async () => {
    await using at = await stage();
    at.state.failure = new BrokerError('too-large', 'it is too large');
    expect(await at.push(lineOf(1))).toMatchObject({ accepted: 0, rejected: [{ line: 1 }], logged: true });
  });

  it('leaves it to the matcher to count which lines are events, and the CPU that they take', async () => {
    await using at = await stage();
    const { accountUses, cpuUse } = at.test.service.context;
    const uses: unknown[] = [];
    vi.spyOn(accountUses, 'add').mockImplementation((_, used) => void uses.push(used));
    const charged: unknown[] = [];
    cpuUse.listen(({ account }, milliseconds, by) => void charged.push([account.id, milliseconds, by]));
    await at.push(lineOf(1));
    expect(uses).toEqual([{ bytes_in: lineOf(1).length, events: 0 }]);
    at.broker.tell(loggedCpu(at.alice.account.id, 12.5));
    at.broker.tell(noticeOf({ accountIds: [at.alice.account.id], spans: [] }));
    expect(charged).toEqual([[at.alice.account.id, 12.5, 'log']]);
  });

  it('counts the CPU of matchers that answer, pack by pack', async () => {
    await using at = await stage();
    const charged: unknown[] = [];
    at.test.service.context.cpuUse.listen((_, milliseconds, by) => void charged.push([milliseconds, by]));
    const lines = `${lineOf(1)}\n${lineOf(2)}\n${lineOf(3)}`;
    await at.test.call(at.alice, 'pushEvents', { platform: 'x', lines });
    expect(charged).toEqual([[lines.length, 'push']]);
  });

  it('counts against what the account may push', async () => {
    await using at = await stage({ pushedPerMinute: 60 });
    await at.push(lineOf(1));
    await expect(at.push(lineOf(2))).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'pushed_bytes_per_minute' },
    });
  });

  it('is refused where no log is kept', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const push = test.call(alice, 'pushEvents', { platform: 'x', lines: lineOf(1), ack: 'log' });
    await expect(push).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('SLUICE_LOG_MIB'),
    });
  });
});
