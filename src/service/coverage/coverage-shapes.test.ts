import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { upstreamStage } from '../../../test/stages/upstream-stage.ts';
import { openSqlite } from '../../store/sqlite.ts';

const MINUTE = 60_000;

describe('coverage of an upstream', () => {
  it('moves with marks and arrivals, and shows in lists and in Status', async () => {
    const { x, rule, store, clock, test, caller } = await upstreamStage();
    const ofX = async () => (await test.call(caller, 'listMatches', { platform: 'x' })).coverage;
    expect(await ofX()).toMatchObject({ complete: true, complete_through: clock.now().toISOString() });
    await rule('storm');
    expect(await ofX()).toMatchObject({ complete: false, complete_through: null, reasons: ['stream_down'], gaps: [] });
    const at = clock.now();
    x.push({ kind: 'state', state: 'live' }, { kind: 'mark', cursor: 'm', through: at });
    await clock.pass(7_000);
    expect(await store.cursor('x')).toBe('m');
    expect(await ofX()).toMatchObject({ complete: true, complete_through: at.toISOString(), reasons: [] });
    const { x: status } = (await test.call(caller, 'status')).platforms;
    expect(status).toMatchObject({
      shape: 'upstream',
      state: 'live',
      registered: 1,
      lag_seconds: 7,
      complete_through: at.toISOString(),
    });
    expect((await test.call(caller, 'listMatches', { platform: 'firehose' })).coverage).toMatchObject({
      complete: false,
      complete_through: null,
      reasons: ['no_feed'],
    });
  });

  it('keeps gaps on record: open, then closed, in lists of the time they overlap', async () => {
    const { x, rule, gaps, clock, test, caller } = await upstreamStage();
    await rule('storm');
    const from = clock.now();
    x.push({ kind: 'gap', gap: { from, to: undefined, cause: 'stall', recovered: false } });
    expect(await gaps()).toEqual([{ from: from.toISOString(), to: null, cause: 'stall', recovered: false }]);
    await clock.pass(MINUTE);
    const to = clock.now();
    x.push({ kind: 'gap', gap: { from, to, cause: 'stall', recovered: true } });
    const closed = { from: from.toISOString(), to: to.toISOString(), cause: 'stall', recovered: true };
    expect(await gaps()).toEqual([closed]);
    const listed = async (input: object) => (await test.call(caller, 'listMatches', input)).coverage.gaps;
    expect(await listed({})).toEqual([{ platform: 'x', ...closed }]);
    expect(await listed({ platform: 'firehose' })).toEqual([]);
    expect(await listed({ since: new Date(to.getTime() + 1).toISOString() })).toEqual([]);
    expect(await listed({ until: from.toISOString() })).toEqual([]);
  });

  it('tells live subscribers of a gap, once it is on record', async () => {
    const { x, rule, clock, test, caller, store } = await upstreamStage();
    await rule('storm');
    let heard = '';
    const outlet = {
      queued: 0,
      write(bytes: Uint8Array) {
        heard += Buffer.from(bytes).toString('utf8');
        return true;
      },
      end() {},
      destroy() {},
    };
    const after = await store.latest();
    test.service.context.live.subscribe({ accountId: caller.account.id, keyId: caller.key.id, after, outlet });
    await clock.pass(0);
    const gap = { from: clock.now(), to: undefined, cause: 'stall', recovered: false };
    x.push({ kind: 'gap', gap });
    await clock.pass(0);
    expect(heard).toContain(`event: gap\n`);
    expect(heard).toContain('"cause":"stall"');
  });

  it('closes what an earlier run left open, and claims no recovery', async () => {
    const clock = fakeClock();
    const store = await openSqlite(':memory:', { clock });
    const first = await upstreamStage({ clock, store });
    await first.rule('storm');
    const from = clock.now();
    first.x.push({ kind: 'gap', gap: { from, to: undefined, cause: 'away', recovered: false } });
    await clock.pass(1_000);
    await first.test.service.close();
    const { x, gaps } = await upstreamStage({ clock, store, x: first.x });
    x.push({ kind: 'state', state: 'live' });
    await clock.pass(0);
    const live = clock.now();
    x.push({ kind: 'mark', cursor: 'm', through: live });
    expect(await gaps()).toMatchObject([{ to: null }]);
    await clock.pass(MINUTE);
    x.push({ kind: 'mark', cursor: 'n', through: clock.now() });
    expect(await gaps()).toEqual([
      { from: from.toISOString(), to: live.toISOString(), cause: 'away', recovered: false },
    ]);
  });
});
