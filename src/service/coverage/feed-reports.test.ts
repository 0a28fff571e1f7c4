import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { createFeedReports } from './feed-reports.ts';

const ignore = () => {};

async function stage() {
  const clock = fakeClock();
  const store = await openSqlite(':memory:', { clock });
  const reports = createFeedReports({ store, clock, log: { info: ignore, warn: ignore, error: ignore } });
  const stop = new AbortController();
  void reports.run(stop.signal);
  const stored = async () => (await store.feeds('x')).map(({ through }) => through);
  return { clock, store, reports, stored, stop };
}

describe('the time of the last push', () => {
  it('is known to this node at once, and to the others after five seconds', async () => {
    const { clock, reports, stored, stop } = await stage();
    await reports.pushed('x', undefined, clock.now());
    const first = clock.now();
    await clock.pass(1_000);
    await reports.pushed('x', undefined, clock.now());
    const second = clock.now();
    expect(reports.own('x').map(({ through }) => through)).toEqual([second]);
    expect(await stored()).toEqual([first]);
    await clock.pass(5_000);
    expect(await stored()).toEqual([second]);
    stop.abort();
  });

  it('and of the first one is when it began: what it brought is covered', async () => {
    const { clock, store, reports, stop } = await stage();
    const began = clock.now();
    await clock.pass(1_000);
    await reports.pushed('x', undefined, began);
    expect(reports.own('x')).toMatchObject([{ since: began }]);
    expect(await store.feeds('x')).toMatchObject([{ since: began, through: clock.now() }]);
    stop.abort();
  });

  it('costs one statement in five seconds, whatever the number of pushes', async () => {
    const { clock, store, reports, stop } = await stage();
    const noted = vi.spyOn(store, 'noteFeeds');
    for (let push = 0; push < 100; push++) {
      await reports.pushed('x', undefined, clock.now());
      await clock.pass(100);
    }
    expect(noted.mock.calls.length).toBeLessThanOrEqual(4);
    stop.abort();
  });

  it('ends a silence that is a gap, also when the store fails at the first push after it', async () => {
    const { clock, store, reports, stop } = await stage();
    const last = clock.now();
    await reports.pushed('x', undefined, last);
    await clock.pass(5 * 3_600_000);
    vi.spyOn(store, 'feeds').mockRejectedValueOnce(new Error('The store is away.'));
    await reports.pushed('x', undefined, clock.now());
    await clock.pass(1_000);
    await reports.pushed('x', undefined, clock.now());
    const gaps = await store.gaps({ platform: 'x', limit: 9 });
    expect(gaps).toMatchObject([{ from: last, to: clock.now(), cause: 'no_feed' }]);
    stop.abort();
  });

  it('of one account is not told to another', async () => {
    const { clock, reports, stop } = await stage();
    await reports.pushed('x', 'acc_1', clock.now());
    expect(reports.own('x', 'acc_1')).toHaveLength(1);
    expect([reports.own('x', 'acc_2'), reports.own('x'), reports.own('firehose', 'acc_1')]).toEqual([[], [], []]);
    stop.abort();
  });
});
