import { describe, expect, it } from 'vitest';
import { threadWriter } from './writer.ts';

const DYING = new URL('../../../test/store/dying-writer.ts', import.meta.url);
const DATA = { path: ':memory:', options: { retentionDays: 30, erasureDays: 400, recent: { events: 1, bytes: 1 } } };

describe('a writer whose thread dies', () => {
  it('fails what the thread had not answered, and serves what is asked next by another thread', async () => {
    const writer = threadWriter(DATA, DYING);
    const asked = [writer.write('backup', ''), writer.write('removeNode', 'a')];
    for (const one of asked) await expect(one).rejects.toMatchObject({ reason: 'unwritable', retryable: true });
    expect(await writer.write('removeNode', 'b')).toBe('removeNode');
    await writer.close();
  });

  it('hears of the death twice, and the second time does not take the new thread for the old one', async () => {
    const writer = threadWriter(DATA, DYING);
    for (let death = 0; death < 5; death++) {
      // The next request is made between the error and the end of the thread.
      const next = await writer.write('backup', '').catch(() => ({ asked: writer.write('removeNode', 'a') }));
      expect(await next?.asked).toBe('removeNode');
    }
    await writer.close();
  });
});
