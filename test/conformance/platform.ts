/** The duties of every platform, local or upstream. A platform's own test calls this with a way to open one. */
import { describe, expect, it } from 'vitest';
import type { LivePlatform } from '../../src/platforms/platform.ts';

export function platformConformance(name: string, open: () => Promise<LivePlatform>): void {
  describe(`platform: ${name}`, () => {
    it('takes a value and answers its id', async () => {
      const platform = await open();
      await platform.validate('storm', {});
      expect(await idOf(platform, 'storm')).toMatch(/^\S+$/);
    });

    it('answers for each of several values in its place', async () => {
      const platform = await open();
      const values = ['storm', 'Storm', 'storm'];
      const answers = await platform.register(values.map((value) => ({ value, flags: {}, tag: `tag-${value}` })));
      const ids = answers.map((answer) => 'id' in answer && answer.id);
      expect(ids).toHaveLength(3);
      expect(ids[0]).toBe(ids[2]);
      expect(ids[0]).not.toBe(ids[1]);
    });

    it('holds equal values once, and tells others apart', async () => {
      const platform = await open();
      const id = await idOf(platform, 'storm');
      expect(await idOf(platform, 'storm')).toBe(id);
      expect(await idOf(platform, 'Storm')).not.toBe(id);
    });

    it('takes a value again after it was taken away', async () => {
      const platform = await open();
      const id = await idOf(platform, 'storm');
      await platform.unregister([id]);
      await platform.unregister([id]);
      expect(await idOf(platform, 'storm')).toMatch(/^\S+$/);
    });

    it('ends its stream when it is told to', async () => {
      const platform = await open();
      const signal = AbortSignal.abort();
      const control = { signal, committed: () => undefined, rulesHeld: async () => {} };
      for await (const { kind } of platform.stream(control)) expect(kind).not.toBe('arrival');
    });
  });
}

async function idOf(platform: LivePlatform, value: string): Promise<string> {
  const [answer] = await platform.register([{ value, flags: {}, tag: 'tag' }]);
  if (answer === undefined || !('id' in answer)) throw new Error('It has no id.');
  return answer.id;
}
