import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { StoreError } from '../../store/error.ts';
import { checkStreamLimit, startStream } from './open-stream.ts';

const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

it('tells a client to try again when the store cannot be read', async () => {
  await using test = await openService();
  const alice = await test.caller('alice');
  const latest = () => Promise.reject(new StoreError('unwritable', 'The disk is gone.'));
  const context = { ...test.service.context, store: { ...test.store, latest } };
  await expect(startStream(context, alice, {}, undefined)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfter: 1,
  });
});

describe('a stream', () => {
  it('begins with the newest match, as the key and for what was asked', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { context } = test.service;
    const start = { accountId: alice.account.id, keyId: alice.key.id, after: await test.store.latest() };
    expect(await startStream(context, alice, {}, undefined)).toEqual(start);
    const { rule_id } = await test.call(alice, 'createRule', RULE);
    const asked = { rule_id, platform: 'x', source: 'news', wake: 'story' };
    expect(await startStream(context, { ...alice, session: 's' }, asked, '')).toMatchObject({
      ...start,
      session: 's',
      ruleId: rule_id,
      platform: 'x',
      source: 'news',
      wake: { per: 'story' },
    });
  });

  it('charges its account for matches that it passes over', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', RULE);
    await test.post(alice, ...Array.from({ length: 40 }, (_, number) => `storm ${number}`));
    const { context } = test.service;
    const charged: [string, number, string][] = [];
    context.cpuUse.listen(({ account }, milliseconds, by) => charged.push([account.id, milliseconds, by]));
    const outlet = { write: () => true, queued: 0, end() {}, destroy() {} };
    const start = await startStream(context, alice, { source: 'nobody' }, undefined);
    context.live.subscribe({ ...start, after: 0, outlet });
    await expect.poll(() => charged).toEqual([[alice.account.id, expect.closeTo(0.4), 'main']]);
  });

  it('is refused for a rule of another account', async () => {
    await using test = await openService();
    const { rule_id } = await test.call(await test.caller('alice'), 'createRule', RULE);
    const theirs = startStream(test.service.context, await test.caller('bob'), { rule_id }, undefined);
    await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
  });

  it('goes on after the last event that its reader has, whatever the address says', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { context } = test.service;
    const cursorAt = (position: number) => context.cursors.write(alice.account.id, 'newer', position);
    const begun = async (cursor: string, lastEventId?: string) =>
      (await startStream(context, alice, { cursor }, lastEventId)).after;
    expect(await begun(cursorAt(5))).toBe(5);
    expect(await begun(cursorAt(5), cursorAt(7))).toBe(7);
  });

  it('is refused from before the oldest match that is kept, and told where to go on', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { cursors } = test.service.context;
    const context = { ...test.service.context, store: { ...test.store, oldest: async () => 9 } };
    const from = (position: number) =>
      startStream(context, alice, { cursor: cursors.write(alice.account.id, 'newer', position) }, undefined);
    expect((await from(8)).after).toBe(8);
    const refused = await from(7).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'failed_precondition', details: { reason: 'cursor_expired' } });
    const { oldest_cursor } = (refused as { details: { oldest_cursor: string } }).details;
    expect(cursors.read(alice.account.id, 'newer', 'cursor', oldest_cursor)).toBe(8);
  });

  it('is refused to an account that has as many as it may', async () => {
    await using test = await openService();
    const { context } = test.service;
    const alice = await test.caller('alice');
    const check = (open: number, limits = {}) =>
      checkStreamLimit(
        { ...context, live: Object.create(context.live, { count: { value: () => open } }) as typeof context.live },
        { account: { ...alice.account, limits } },
      );
    const { streams } = context.deliveryLimits;
    check(streams - 1);
    expect(() => check(streams)).toThrow(
      expect.objectContaining({
        code: 'resource_exhausted',
        details: { limit_code: 'streams', limit: streams, used: streams },
        retryAfter: 5,
      }),
    );
    expect(() => check(2, { streams: 2 })).toThrow('The account has 2 open streams');
    check(streams, { streams: null });
  });
});
