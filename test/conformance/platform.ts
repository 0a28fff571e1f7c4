/** What every platform must do, local or upstream. A platform's own test calls this with a way to open one. */
import { describe, expect, it } from 'vitest';
import type { LivePlatform } from '../../src/platforms/platform.ts';

export function platformConformance(name: string, open: () => Promise<LivePlatform>): void {
  describe(`platform: ${name}`, () => {
    it('takes a value and answers its id', async () => {
      const platform = await open();
      await platform.validate('storm', {});
      expect(await platform.register('storm', {})).toMatch(/^\S+$/);
    });

    it('holds equal values once, and tells others apart', async () => {
      const platform = await open();
      const id = await platform.register('storm', {});
      expect(await platform.register('storm', {})).toBe(id);
      expect(await platform.register('Storm', {})).not.toBe(id);
    });

    it('takes a value again after it was taken away', async () => {
      const platform = await open();
      const id = await platform.register('storm', {});
      await platform.unregister(id);
      await platform.unregister(id);
      expect(await platform.register('storm', {})).toMatch(/^\S+$/);
    });

    it('ends its stream when it is told to', async () => {
      const platform = await open();
      for await (const { cursor } of platform.stream(undefined, AbortSignal.abort())) expect.fail(cursor);
    });
  });
}
