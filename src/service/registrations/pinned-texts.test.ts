import { describe, expect, it } from 'vitest';
import { slow } from '../../../test/stages/slow.ts';
import { PlatformError } from '../../platforms/platform.ts';
import { type PinnedText, pinTexts } from './pinned-texts.ts';
import { activate, activeHolders, idsOf } from './registration-lifecycle.ts';

const text = { value: 'storm', flags: {} };

function stage(change: { hold?: () => Promise<string>; idNow?: string; release?: () => Promise<void> } = {}) {
  const done: unknown[] = [];
  const queue = slow({
    pin: () => void done.push('pin'),
    unpin: () => void done.push('unpin'),
    hold: change.hold ?? (async () => 'id'),
    idOf: () => change.idNow ?? 'id',
    release: async () => {
      done.push('release');
      await change.release?.();
    },
  });
  const upstream = { platform: { name: 'x' }, text, queue } as unknown as PinnedText;
  const local = (register: () => Promise<object[]>): PinnedText =>
    ({ platform: { name: 'firehose', register }, text, queue: undefined }) as unknown as PinnedText;
  const deps = {
    store: slow({ changeRegistrations: async (changed: object) => void done.push(changed) }),
    log: { warn: (_: object, message: string) => void done.push(message) },
  } as unknown as Parameters<typeof pinTexts>[0];
  const pin = (...places: PinnedText[]) => pinTexts(deps, places);
  return { done, upstream, local, pin };
}

describe('texts that a request has held', () => {
  it('are pinned at once, and let go when nothing needs them', async () => {
    const { done, upstream, pin } = stage();
    const pinned = pin(upstream);
    expect(done).toEqual(['pin']);
    expect(await pinned.hold()).toEqual({ x: 'id' });
    await pinned[Symbol.asyncDispose]();
    expect(done).toEqual(['pin', 'unpin', 'release']);
  });

  it('stay when a rule needs them, under the id that they have by then', async () => {
    const same = stage();
    const kept = same.pin(same.upstream);
    await kept.hold();
    kept.keep();
    await kept[Symbol.asyncDispose]();
    expect(same.done).toEqual(['pin', 'unpin']);
    const moved = stage({ idNow: 'another' });
    const pinned = moved.pin(moved.upstream);
    await pinned.hold();
    pinned.keep();
    await pinned[Symbol.asyncDispose]();
    expect(moved.done.at(-1)).toEqual({
      holders: [{ platform: 'x', ...text, status: 'active', platformRuleId: 'another' }],
    });
  });

  it('of a platform of ours need no queue', async () => {
    const { done, local, pin } = stage();
    const pinned = pin(local(async () => [{ id: 'local' }]));
    expect(await pinned.hold()).toEqual({ firehose: 'local' });
    await pinned[Symbol.asyncDispose]();
    pinned.keep();
    await pinned[Symbol.asyncDispose]();
    expect(done).toEqual([]);
  });

  it('that are refused are refused by the name of the platform', async () => {
    const { local, upstream, pin } = stage({ hold: () => Promise.reject(new PlatformError('limit', 'full')) });
    await expect(pin(upstream).hold()).rejects.toMatchObject({ code: 'resource_exhausted' });
    await expect(pin(local(async () => [])).hold()).rejects.toMatchObject({ code: 'unavailable' });
    const error = new PlatformError('refused', 'no');
    await expect(pin(local(async () => [{ error }])).hold()).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('that cannot be tidied up do not fail the request', async () => {
    const { done, upstream, pin } = stage({ release: () => Promise.reject(new Error('away')) });
    await pin(upstream)[Symbol.asyncDispose]();
    expect(done.at(-1)).toBe('registrations could not be tidied up after a request');
  });
});

describe('the status of a rule', () => {
  it('is active on every platform that took it', async () => {
    const done: unknown[] = [];
    const store = { setRuleStatus: async (...given: unknown[]) => void done.push(given) };
    await activate(store, 'r', { x: 'one' });
    await activate(store, 'r', { x: 'one', firehose: 'two' });
    expect(done).toEqual([
      ['r', 'x', { status: 'active', platformRuleId: 'one' }],
      ['r', 'x', { status: 'active', platformRuleId: 'one' }],
      ['r', 'firehose', { status: 'active', platformRuleId: 'two' }],
    ]);
    expect(activeHolders('x', [text], 'one')).toEqual([
      { platform: 'x', ...text, status: 'active', platformRuleId: 'one' },
    ]);
  });

  it('knows the ids that there are', () => {
    const rule = { platforms: { x: { platformRuleId: 'one' }, firehose: { platformRuleId: undefined } } };
    expect(idsOf(rule as never)).toStrictEqual({ x: 'one' });
    expect(idsOf({ platforms: {} })).toStrictEqual({});
  });
});
