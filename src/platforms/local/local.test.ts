import { describe, expect, it } from 'vitest';
import { platformConformance } from '../../../test/conformance/platform.ts';
import { localPlatform } from './local.ts';

platformConformance('local x', async () => localPlatform('x'));
platformConformance('local firehose', async () => localPlatform('firehose'));

describe('local platform', () => {
  it('gives a value the same id after a restart, and long digits as an upstream does', async () => {
    const id = await localPlatform('x').register('storm', {});
    expect(id).toMatch(/^[1-9]\d{18}$/);
    expect(await localPlatform('x').register('storm', {})).toBe(id);
  });

  it('tells flags apart', async () => {
    const platform = localPlatform('firehose');
    const ids = [{}, { quality: true }, { quality: false }, { nsfw: true }].map((flags) =>
      platform.register('storm', flags),
    );
    expect(new Set(await Promise.all(ids)).size).toBe(4);
  });
});
