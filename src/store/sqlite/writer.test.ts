import { describe, expect, it } from 'vitest';
import { threadWriter } from './writer.ts';

const DYING = new URL('../../../test/store/dying-writer.ts', import.meta.url);
const DATA = { path: ':memory:', options: { retentionDays: 30, erasureDays: 400, recent: { events: 1, bytes: 1 } } };

describe('a writer whose thread dies', () => {
  it('fails what the thread had not answered, and serves what is asked next by another thread', async () => {
    const writer = threadWriter(DATA, DYING);
    const asked = [writer.write('backup', ['']), writer.write('removeNode', ['a'])];
    for (const one of asked) await expect(one).rejects.toMatchObject({ reason: 'unwritable', retryable: true });
    expect(await writer.write('removeNode', ['b'])).toBe('removeNode');
    await writer.close();
  });

  it('hears of the death twice, and the second time does not take the new thread for the old one', async () => {
    const writer = threadWriter(DATA, DYING);
    for (let death = 0; death < 5; death++) {
      // The next request is made between the error and the end of the thread.
      const asked = await writer.write('backup', ['']).catch(() => ({ next: writer.write('removeNode', ['a']) }));
      expect(await Promise.resolve(Reflect.get(Object(asked), 'next'))).toBe('removeNode');
    }
    await writer.close();
  });
});

describe('the figures of a writer', () => {
  it('count those that wait behind the one that is written, and how long the next ones had waited', async () => {
    const writer = threadWriter(DATA, DYING);
    const idle = { connections: { open: 1, idle: 1, waiting: 0 }, lock: { waits: 0, seconds: 0 } };
    expect(writer.figures()).toEqual(idle);
    const asked = ['a', 'b', 'c'].map((id) => writer.write('removeNode', [id]));
    expect(writer.figures()).toEqual({ ...idle, connections: { open: 1, idle: 0, waiting: 2 } });
    await Promise.all(asked);
    const { connections, lock } = writer.figures();
    expect([connections, lock.waits, lock.seconds > 0]).toEqual([idle.connections, 2, true]);
    await writer.close();
  });

  it('has nothing to end where nothing was written, and takes nothing more when it is closed', async () => {
    const writer = threadWriter(DATA, DYING);
    await writer.close();
    await expect(writer.write('removeNode', ['a'])).rejects.toMatchObject({ reason: 'defect' });
  });
});
