import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { openSqlite } from '../store/sqlite.ts';
import { awaitLease, type HeldLease, takeLease } from './lease.ts';

async function stage() {
  const clock = fakeClock();
  const store = await openSqlite(':memory:', { clock });
  const take = (id: string, gone: string[] = []) =>
    takeLease({ store, clock, holder: { id, isGone: (other) => gone.includes(other) } }, 'x');
  return { clock, store, take };
}

describe('a lease', () => {
  it('is kept as long as it is renewed', async () => {
    const { clock, take } = await stage();
    const held = (await take('one')) as HeldLease;
    const ending = new AbortController();
    const keeping = held.keep(ending.signal);
    await clock.pass(10 * 60_000);
    expect(await take('two')).toBe('one');
    await held.confirm();
    ending.abort();
    await keeping;
    await held.release();
    expect(await take('two')).toMatchObject({ lease: { fence: 2 } });
  });

  it('is taken over at once when the process that had it has ended', async () => {
    const { take } = await stage();
    await take('one');
    expect(await take('two')).toBe('one');
    expect(await take('three', ['one'])).toMatchObject({ lease: { fence: 2 } });
  });

  it('of a process that froze is taken by one that waits for it within ten seconds', async () => {
    const { clock, store, take } = await stage();
    await take('frozen');
    const waiting = { store, clock, holder: { id: 'waiting', isGone: () => false } };
    let taken: HeldLease | undefined;
    const { signal } = new AbortController();
    const asking = awaitLease(waiting, 'x', { onHeld: () => {}, signal }).then((lease) => (taken = lease));
    await clock.pass(10_000);
    expect(taken).toMatchObject({ lease: { fence: 2 } });
    await asking;
  });

  it('is asked for again after a freeze, and is lost when another has it', async () => {
    const { clock, take } = await stage();
    const held = (await take('one')) as HeldLease;
    await clock.pass(30_000);
    await held.confirm();
    await clock.pass(30_000);
    await take('two');
    await expect(held.confirm()).rejects.toMatchObject({ reason: 'fenced' });
    const keeping = held.keep(new AbortController().signal);
    await clock.pass(5_000);
    await keeping;
  });

  it('is lost when another had it meanwhile, although it is free again', async () => {
    const { clock, take } = await stage();
    const held = (await take('one')) as HeldLease;
    const kept = held.keep(new AbortController().signal);
    clock.jump(16_000);
    const other = (await take('two')) as HeldLease;
    await other.release();
    await clock.pass(5_000);
    await kept;
    await expect(held.confirm()).rejects.toMatchObject({ reason: 'fenced' });
  });
});
