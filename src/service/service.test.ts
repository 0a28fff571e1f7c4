import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { openService } from '../../test/stages/service.ts';
import type { Broker, MatchPack } from '../broker/broker.ts';
import type { Role } from '../domain/role.ts';

/** A broker whose packs are done when the test says so. */
function scriptedBroker() {
  const serving = Promise.withResolvers<void>();
  const seen = { match: undefined as MatchPack | undefined, signal: undefined as AbortSignal | undefined };
  const broker = {
    packBytes: 1_000,
    trouble: undefined,
    ask: () => Promise.reject(new Error('no pack is sent here')),
    serve: (match: MatchPack, signal: AbortSignal) => {
      Object.assign(seen, { match, signal });
      return serving.promise;
    },
    backlog: async () => ({ waiting: 0, taken: 0, again: 0 }),
    [Symbol.asyncDispose]: async () => {},
  } satisfies Broker;
  return { broker, seen, done: serving.resolve };
}

const open = (roles?: readonly Role[], broker?: Broker) =>
  openService({ clock: fakeClock(), ...(roles && { roles }), ...(broker && { broker }) });

describe('a service that stops', () => {
  it('takes no new packs, and works until those that it took are matched', async () => {
    const { broker, seen, done } = scriptedBroker();
    const test = await open(undefined, broker);
    expect(seen.signal?.aborted).toBe(false);
    let isClosed = false;
    const closing = test.service.close().then(() => (isClosed = true));
    expect(seen.signal?.aborted).toBe(true);
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(isClosed).toBe(false);
    const pack = {
      platform: 'x',
      accountId: 'a',
      source: 'push',
      lines: Buffer.from('{"data":{"id":"1","text":"x"}}'),
    };
    const matched = seen.match!(pack as unknown as Parameters<MatchPack>[0]);
    // What waits for the next commit is stored when the service closes.
    done();
    expect(await matched).toMatchObject({ accepted: 1, rejected: [] });
    await closing;
  });

  it('while it starts ends its start first', async () => {
    const test = await openService({ clock: fakeClock(), loaded: false });
    const starting = Promise.allSettled([test.service.start()]);
    await test.service.close();
    expect(await starting).toMatchObject([{ status: 'rejected', reason: { name: 'AbortError' } }]);
  });

  it('after a start that failed stops all the same', async () => {
    const test = await openService({ clock: fakeClock(), loaded: false });
    test.store.accounts = () => Promise.reject(new Error('the store is away'));
    await expect(test.service.start()).rejects.toThrow('the store is away');
    await test.service.close();
  });
});

describe('a service does what its roles say', () => {
  it.each([
    [['api'], false],
    [['delivery', 'connector'], false],
    [['matcher'], true],
  ] as [Role[], boolean][])('as %j it matches packs: %s', async (roles, isServing) => {
    const { broker, seen, done } = scriptedBroker();
    done();
    await using _ = await open(roles, broker);
    expect(seen.match !== undefined).toBe(isServing);
  });
});
