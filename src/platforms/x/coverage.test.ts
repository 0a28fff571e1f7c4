import { describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../test/stages/fake-clock.ts';
import { Coverage, X_DELAY_MS } from './coverage.ts';
import { readXCursor, writeXCursor, type XCursor } from './cursor.ts';
import type { BacklogEntry } from './spill.ts';

const MINUTE = 60_000;
/** Up to when a receipt at this time shows that the stream is complete. */
const shownBy = (time: Date): Date => new Date(time.getTime() - X_DELAY_MS);

function stage({
  replay = true,
  start,
  clock = fakeClock(),
}: {
  replay?: boolean;
  start?: XCursor;
  clock?: FakeClock;
} = {}) {
  const entries: BacklogEntry[] = [];
  const coverage = new Coverage({ clock, replay, start, push: (entry) => void entries.push(entry) });
  const gaps = () => entries.filter((entry) => entry.kind === 'gap');
  return { clock, coverage, entries, gaps };
}

describe('coverage', () => {
  it("opens one gap, X's delay before the last receipt, and marks its beginning first", async () => {
    const { clock, coverage, entries } = stage({ replay: false });
    coverage.live(clock.now());
    await clock.pass(5_000);
    coverage.receipt(coverage.reachNow(0));
    const from = shownBy(clock.now()).getTime();
    await clock.pass(2_000);
    coverage.lost('dropped');
    coverage.lost('server');
    expect(entries.slice(1)).toMatchObject([
      { kind: 'mark', through: from },
      { kind: 'gap', from, cause: 'dropped', recovered: false },
    ]);
    expect(readXCursor(coverage.cursor())).toMatchObject({ at: new Date(from), missing: [] });
  });

  it("asks for whole minutes, with X's delay and 20 s more; a longer gap needs a connection of its own", async () => {
    const { clock, coverage } = stage();
    coverage.live(clock.now());
    coverage.lost('dropped');
    const asked: number[] = [];
    for (const seconds of [0, 33, 1, 59, 179, 2]) {
      await clock.pass(seconds * 1_000);
      asked.push(coverage.backfill());
    }
    expect(asked).toEqual([1, 1, 2, 2, 5, 0]);
    coverage.live(clock.now());
    expect(coverage.toRecover()).toMatchObject({ cause: 'dropped' });
  });

  it('keeps in the cursor what is still to come, until it has', async () => {
    const { clock, coverage, gaps } = stage();
    coverage.live(clock.now());
    const from = shownBy(clock.now());
    coverage.lost('dropped');
    await clock.pass(MINUTE);
    coverage.backfill();
    coverage.live(clock.now());
    const to = clock.now();
    await clock.pass(1_000);
    coverage.receipt(coverage.reachNow(0));
    expect(readXCursor(coverage.cursor())).toMatchObject({
      at: shownBy(clock.now()),
      missing: [{ from, to, cause: 'dropped' }],
    });
    coverage.backfilled();
    expect(readXCursor(coverage.cursor())?.missing).toEqual([]);
    expect(gaps().at(-1)).toMatchObject({ from: from.getTime(), to: to.getTime(), recovered: true });
  });

  it.each([true, false])(
    'ends the gap of a doubtful connection when it is trusted; its backfill counts if it was whole: %s',
    async (isWhole) => {
      const { clock, coverage, gaps } = stage();
      coverage.live(clock.now());
      const through = shownBy(clock.now());
      coverage.lost('suspect');
      coverage.backfill();
      coverage.doubtful(clock.now());
      await clock.pass(MINUTE);
      coverage.stayed();
      expect(coverage.through).toEqual(through);
      expect(gaps()).toHaveLength(1);
      coverage.trust(isWhole);
      expect([coverage.awaitsBackfill, coverage.toRecover() !== undefined]).toEqual([isWhole, !isWhole]);
      coverage.backfilled();
      const ended = { kind: 'gap', from: through.getTime(), to: clock.now().getTime(), cause: 'suspect' };
      expect(gaps().slice(1)).toEqual(isWhole ? [{ ...ended, recovered: true }] : []);
    },
  );

  it('asks again for a backfill that was cut, together with what the cut cost', async () => {
    const { clock, coverage, gaps } = stage();
    coverage.live(clock.now());
    coverage.lost('dropped');
    await clock.pass(MINUTE);
    expect(coverage.backfill()).toBe(2);
    coverage.live(clock.now());
    coverage.receipt(coverage.reachNow(0));
    coverage.lost('dropped');
    await clock.pass(MINUTE);
    expect(coverage.backfill()).toBe(3);
    coverage.live(clock.now());
    coverage.backfilled();
    expect(gaps().filter(({ recovered }) => recovered)).toHaveLength(2);
  });

  it('tells at a start what an earlier run left open, before anything else', () => {
    const at = new Date('2026-11-15T08:00:00Z');
    const older = { from: new Date('2026-11-15T06:00:00Z'), to: new Date('2026-11-15T07:00:00Z'), cause: 'stall' };
    const { entries, coverage } = stage({ start: { at, opened: at, missing: [older] } });
    expect(entries).toEqual([
      { kind: 'gap', from: older.from.getTime(), cause: 'stall', recovered: false },
      { kind: 'gap', from: at.getTime(), cause: 'restart', recovered: false },
    ]);
    coverage.live(new Date());
    expect(coverage.toRecover()).toMatchObject({ from: older.from, to: older.to });
  });

  it('begins as much earlier as the bytes of the last receipt may have waited for us', async () => {
    const { clock, coverage, gaps, entries } = stage();
    coverage.live(clock.now());
    await clock.pass(40_000);
    coverage.receipt(coverage.reachNow(30_000));
    const from = shownBy(clock.now()).getTime() - 30_000;
    coverage.mark();
    coverage.lost('dropped');
    expect(gaps()).toMatchObject([{ from }]);
    const marks = entries.flatMap((entry) => (entry.kind === 'mark' ? [entry.through] : []));
    expect(Math.max(...marks)).toBe(from);
    // The replay has to bring all of it.
    expect(coverage.backfill()).toBe(1);
    await clock.pass(4_000);
    expect(coverage.backfill()).toBe(2);
  });

  it('begins before the last receipt where heartbeats are not to be believed', async () => {
    const { clock, coverage, gaps } = stage({ replay: false });
    coverage.live(clock.now());
    const since = clock.elapsed();
    const from = shownBy(clock.now()).getTime();
    await clock.pass(5 * MINUTE);
    coverage.receipt(coverage.reachNow(0));
    coverage.lost('suspect', since);
    expect(gaps()).toMatchObject([{ from, cause: 'suspect' }]);
    expect(readXCursor(coverage.cursor())?.missing).toEqual([
      { from: new Date(from), to: shownBy(clock.now()), cause: 'suspect' },
    ]);
  });

  it('measures by the clock that does not jump', async () => {
    const inner = fakeClock();
    let jumped = 0;
    const clock = {
      ...inner,
      now: () => new Date(inner.now().getTime() + jumped),
      elapsed: inner.elapsed,
      sleepers: 0,
    };
    const { coverage, gaps } = stage({ clock });
    coverage.live(clock.now());
    coverage.lost('dropped');
    jumped = -60 * MINUTE;
    await inner.pass(MINUTE);
    expect(coverage.backfill()).toBe(2);
    coverage.live(clock.now());
    coverage.backfilled();
    const last = gaps().at(-1);
    expect(last?.to).toBeGreaterThanOrEqual(last!.from);
    jumped = 60 * MINUTE;
    coverage.lost('dropped');
    expect(coverage.backfill()).toBe(1);
  });

  it('gives up, part by part, what grows too old', async () => {
    const { clock, coverage, gaps } = stage();
    coverage.live(clock.now());
    coverage.lost('dropped');
    await clock.pass(23 * 60 * MINUTE);
    coverage.live(clock.now());
    const whole = coverage.toRecover()!;
    expect(coverage.trim(whole)).toBe(whole);
    await clock.pass(60 * MINUTE);
    const rest = coverage.trim(whole)!;
    expect(rest.from.getTime() - whole.from.getTime()).toBe(5 * MINUTE + X_DELAY_MS);
    expect(coverage.toRecover()).toBe(rest);
    expect(gaps().slice(1)).toMatchObject([
      { from: whole.from.getTime(), to: rest.from.getTime(), recovered: false },
      { from: rest.from.getTime(), recovered: false },
    ]);
    await clock.pass(24 * 60 * MINUTE);
    expect(coverage.trim(rest)).toBeUndefined();
    expect(coverage.toRecover()).toBeUndefined();
  });

  it('knows when it was connected, up to the last receipt of each connection', async () => {
    const { clock, coverage } = stage();
    const opened = new Date('2030-01-01T00:00:00Z');
    coverage.live(opened);
    await clock.pass(30_000);
    coverage.receipt(coverage.reachNow(0));
    await clock.pass(5_000);
    coverage.lost('dropped');
    expect(coverage.connected).toEqual([{ from: opened, to: new Date(opened.getTime() + 30_000) }]);
    for (let more = 1; more <= 11; more++) {
      coverage.live(new Date(opened.getTime() + more * MINUTE));
      coverage.lost('dropped');
    }
    expect(coverage.connected).toHaveLength(10);
    expect(coverage.connected.at(-1)).toEqual({
      from: new Date(opened.getTime() + 11 * MINUTE),
      to: new Date(opened.getTime() + 11 * MINUTE),
    });
  });

  it('remembers over a restart when the last connection was opened, and that it lasted up to the cursor', async () => {
    const clock = fakeClock();
    const at = new Date(clock.now().getTime() - MINUTE);
    const opened = new Date(clock.now().getTime() - 10 * MINUTE);
    const { coverage } = stage({ clock, start: { at, opened, missing: [] } });
    expect(coverage.connected).toEqual([{ from: opened, to: at }]);
    expect(readXCursor(coverage.cursor())).toEqual({ at, opened, missing: [] });
    expect(stage({ clock, start: { at, opened: undefined, missing: [] } }).coverage.connected).toEqual([]);
  });

  it('begins at this moment where nothing was committed, and says of no gap', () => {
    const { clock, coverage, entries } = stage();
    expect(coverage.through).toEqual(shownBy(clock.now()));
    expect([entries, coverage.awaitsBackfill, coverage.backfill()]).toEqual([[], false, 0]);
  });

  it('closes a gap that nothing will mend as soon as the stream is open again', async () => {
    const { clock, coverage, gaps } = stage();
    coverage.live(clock.now());
    coverage.lost('overlong');
    coverage.refuseReplay();
    await clock.pass(MINUTE);
    expect(coverage.backfill()).toBe(0);
    coverage.live(clock.now());
    expect(gaps().at(-1)).toMatchObject({ to: clock.now().getTime(), recovered: false });
    expect([coverage.awaitsBackfill, coverage.toRecover()]).toEqual([false, undefined]);
  });

  it('waits for a backfill from the moment on at which the stream is open again', async () => {
    const { clock, coverage } = stage();
    coverage.live(clock.now());
    coverage.lost('dropped');
    coverage.backfill();
    expect(coverage.awaitsBackfill).toBe(false);
    coverage.live(clock.now());
    expect([coverage.awaitsBackfill, coverage.toRecover()]).toEqual([true, undefined]);
  });

  it('writes a cursor anew when a gap is closed or the stream is open again', async () => {
    const { clock, coverage } = stage();
    const opened = clock.now();
    coverage.live(opened);
    expect(readXCursor(coverage.cursor())).toMatchObject({ opened });
    coverage.lost('dropped');
    coverage.backfill();
    const again = new Date(opened.getTime() + 1);
    coverage.live(again);
    expect(readXCursor(coverage.cursor())).toMatchObject({ opened: again, missing: [{ cause: 'dropped' }] });
    coverage.backfilled();
    expect(readXCursor(coverage.cursor())?.missing).toEqual([]);
  });

  it('marks at most once a second', async () => {
    const { clock, coverage, entries } = stage();
    for (let beat = 0; beat < 50; beat++) {
      coverage.receipt(coverage.reachNow(0));
      coverage.mark();
      await clock.pass(100);
    }
    expect(entries).toHaveLength(5);
  });
});

describe('a cursor', () => {
  it('is read as it was written, and anything else is none', () => {
    const at = new Date('2026-11-15T08:00:00.123Z');
    const cursor: XCursor = { at, opened: undefined, missing: [{ from: at, to: at, cause: 'stall' }] };
    expect(readXCursor(writeXCursor(cursor))).toEqual(cursor);
    expect(writeXCursor({ at, opened: undefined, missing: [] })).toBe('{"at":"2026-11-15T08:00:00.123Z"}');
    for (const text of [
      undefined,
      '',
      '{}',
      '1800000000000000001',
      '{"at":"now"}',
      '{"at":"2026-11-15","missing":1}',
    ]) {
      expect(readXCursor(text)).toBeUndefined();
    }
  });
});
