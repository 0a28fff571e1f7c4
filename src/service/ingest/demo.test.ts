import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { chosenDemo, createDemo, NO_DEMO } from './demo.ts';

describe('the demo feed', () => {
  const terms = { impossible: undefined, byDefault: true, platforms: ['x'] as const };

  it('plays by default or by choice, and never where it cannot', async () => {
    expect(createDemo(terms, undefined)).toMatchObject({ isPlaying: true, platforms: ['x'] });
    expect(createDemo({ ...terms, byDefault: false }, undefined)).toMatchObject({ isPlaying: false, platforms: [] });
    expect(createDemo({ ...terms, byDefault: false }, 'start').isPlaying).toBe(true);
    expect(createDemo(terms, 'stop').isPlaying).toBe(false);
    expect(createDemo({ ...terms, impossible: 'No.' }, 'start').isPlaying).toBe(false);
    const demo = createDemo(NO_DEMO, undefined);
    await expect(demo.choose('start', async () => {})).rejects.toMatchObject({ code: 'failed_precondition' });
    await demo.choose('stop', async () => {});
  });

  it('keeps the choice before it follows it, and tells of it', async () => {
    const kept: unknown[] = [];
    let told = 0;
    const demo = createDemo({ ...terms, changed: () => void told++ }, undefined);
    await demo.choose('stop', async (cursor) => {
      kept.push([cursor, demo.isPlaying]);
    });
    expect([kept, demo.isPlaying, told]).toEqual([[[{ name: 'demo', value: 'stop' }, true]], false, 1]);
    await expect(demo.choose('start', () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect([demo.isPlaying, told]).toEqual([false, 1]);
  });

  it('reads a choice that is one', async () => {
    const chosen = (value: string | undefined) => chosenDemo({ cursor: async () => value });
    expect([await chosen('start'), await chosen('stop'), await chosen('x'), await chosen(undefined)]).toEqual([
      'start',
      'stop',
      undefined,
      undefined,
    ]);
  });

  it('is started and stopped by the operator', async () => {
    const demo = createDemo({ ...terms, byDefault: false }, undefined);
    await using test = await openService({ demo });
    const operator = await test.caller('default');
    expect(await test.call(operator, 'setDemo')).toEqual({ playing: false, platforms: [] });
    expect(await test.call(operator, 'setDemo', { playing: true })).toEqual({ playing: true, platforms: ['x'] });
    expect(await chosenDemo(test.store)).toBe('start');
    expect(await test.call(operator, 'setDemo', { playing: false })).toEqual({ playing: false, platforms: [] });
    expect(await chosenDemo(test.store)).toBe('stop');
    const alice = await test.caller('alice');
    await expect(test.call(alice, 'setDemo')).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
