import { describe, expect, it } from 'vitest';
import { platformConformance } from '../../../test/conformance/platform.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import { localPlatform } from './local.ts';

platformConformance('local x', async () => localPlatform('x'));
platformConformance('local firehose', async () => localPlatform('firehose'));

const idOf = async (name: 'x' | 'firehose', value: string, flags: RuleFlags): Promise<string> => {
  const [answer] = await localPlatform(name).register([{ value, flags, tag: '' }]);
  return answer !== undefined && 'id' in answer ? answer.id : expect.fail('no id');
};

describe('local platform', () => {
  it('gives a value the same id after a restart, and long digits as an upstream does', async () => {
    const id = await idOf('x', 'storm', {});
    expect(id).toMatch(/^[1-9]\d{18}$/);
    expect(await idOf('x', 'storm', {})).toBe(id);
  });

  it('tells flags apart', async () => {
    const ids = [{}, { quality: true }, { quality: false }, { nsfw: true }].map((flags) =>
      idOf('firehose', 'storm', flags),
    );
    expect(new Set(await Promise.all(ids)).size).toBe(4);
  });
});
