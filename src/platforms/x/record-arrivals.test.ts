import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { StreamCounter } from '../platform.ts';
import { Coverage, X_DELAY_MS } from './coverage.ts';
import { readXCursor } from './cursor.ts';
import type { ConnectionRecorder } from './read-connection.ts';
import { ArrivalRecorder } from './record-arrivals.ts';
import { createSilenceDetector } from './silence.ts';
import type { BacklogEntry } from './spill.ts';
import { problemIn, readMessage } from './wire.ts';

function stage({ replay = false, isSuspect = () => false }: { replay?: boolean; isSuspect?: () => boolean } = {}) {
  const clock = fakeClock();
  const entries: BacklogEntry[] = [];
  const disk = { isFull: false };
  const push = (entry: BacklogEntry): boolean => !(disk.isFull && entry.kind === 'record') && entries.push(entry) > 0;
  const coverage = new Coverage({ clock, replay, start: undefined, push });
  const logged: object[] = [];
  const log = { info: () => {}, warn: (fields: object) => void logged.push(fields), error: () => {} };
  const counted: StreamCounter[] = [];
  const silences: number[] = [];
  const silence = {
    ...createSilenceDetector(clock),
    isSuspect: (milliseconds: number) => silences.push(milliseconds) > 0 && isSuspect(),
  };
  const count = (counter: StreamCounter) => void counted.push(counter);
  const parts = { clock, log, count, token: () => 'secret', silence };
  const recorder = new ArrivalRecorder(parts, coverage, push);
  coverage.live(clock.now());
  return {
    clock,
    entries,
    disk,
    coverage,
    recorder,
    counted,
    silences,
    logged,
    live: recorder.live(clock.now(), () => {}),
  };
}

const LINE = Buffer.from('{"data":{"id":"1"}}');

describe('the recorder of arrivals', () => {
  it('takes a record for a receipt only if there was room for it', async () => {
    const { clock, entries, disk, coverage, live } = stage();
    await clock.pass(10_000);
    expect(live.record(LINE, 0)).toBe(true);
    const last = coverage.through;
    await clock.pass(10_000);
    disk.isFull = true;
    expect(live.record(LINE, 0)).toBe(false);
    coverage.lost('overflow');
    expect(coverage.through).toEqual(last);
    expect(readXCursor(coverage.cursor())?.at).toEqual(last);
    expect(entries.slice(-2)).toMatchObject([
      { kind: 'mark', through: last.getTime() },
      { kind: 'gap', from: last.getTime(), cause: 'overflow' },
    ]);
  });

  it("gives each record a cursor X's delay before it, and earlier if its bytes waited", async () => {
    const { clock, entries, live } = stage();
    await clock.pass(60_000);
    live.record(LINE, 0);
    const at = clock.now().getTime();
    expect(entries.at(-1)).toMatchObject({ at, through: at - X_DELAY_MS });
    await clock.pass(60_000);
    live.record(LINE, 30_000);
    const through = clock.now().getTime() - X_DELAY_MS - 30_000;
    const record = entries.at(-1);
    expect(record).toMatchObject({ kind: 'record', through });
    expect(record?.kind === 'record' && readXCursor(record.cursor)?.at.getTime()).toBe(through);
  });

  it('asks how likely the silence is since the last record, and suspects the stream once in half an hour', async () => {
    const { clock, live, silences } = stage({ isSuspect: () => true });
    await clock.pass(20_000);
    live.record(LINE, 0);
    await clock.pass(70_000);
    expect(live.heartbeat(0)).toBe('suspect');
    expect(silences).toEqual([70_000]);
    await clock.pass(30 * 60_000 - 1);
    expect(live.heartbeat(0)).toBeUndefined();
    await clock.pass(1);
    expect(live.heartbeat(0)).toBe('suspect');
  });

  it('begins to count the silence when a connection is opened', async () => {
    const { clock, recorder, silences } = stage();
    await clock.pass(50_000);
    const live = recorder.live(clock.now(), () => {});
    expect(recorder.heardUntil).toBe(clock.elapsed());
    await clock.pass(10_000);
    expect(live.heartbeat(0)).toBeUndefined();
    expect(silences).toEqual([10_000]);
    live.record(LINE, 3_000);
    expect(recorder.heardUntil).toBe(clock.elapsed() - 3_000);
  });

  it('takes a heartbeat for a receipt, and marks', async () => {
    const { clock, entries, coverage, live } = stage();
    await clock.pass(20_000);
    live.heartbeat(5_000);
    const through = clock.now().getTime() - X_DELAY_MS - 5_000;
    expect(coverage.through.getTime()).toBe(through);
    expect(entries.at(-1)).toMatchObject({ kind: 'mark', through });
  });

  it('keeps the beginning of a line that is too long, and counts it', async () => {
    const { clock, entries, live, counted, recorder } = stage();
    await clock.pass(20_000);
    live.overlong(Buffer.from('größer'), 1_000);
    const through = clock.now().getTime() - X_DELAY_MS - 1_000;
    const broken = { kind: 'broken', through, reason: 'it is longer than 1 MiB', sample: 'größer' };
    expect(entries.at(-1)).toMatchObject(broken);
    await clock.pass(20_000);
    recorder.replay.overlong(Buffer.from('größer'), 0);
    expect(entries.at(-1)).toMatchObject(broken);
    expect(counted).toEqual(['broken', 'broken']);
  });

  it('takes a replay for what it is: it moves no mark and ends no connection', async () => {
    const { clock, entries, coverage, recorder } = stage({ isSuspect: () => true });
    const { through } = coverage;
    await clock.pass(20_000);
    expect(recorder.replay.record(LINE, 0)).toBe(true);
    expect(entries.at(-1)).toMatchObject({ kind: 'record', replayed: true, through: through.getTime() });
    expect(recorder.replay.heartbeat(0)).toBeUndefined();
    expect(coverage.through).toEqual(through);
  });

  it.each([
    [LINE.toString(), true],
    ['{"data":{"id":"1"},"meta":{"replay":true}}', false],
    ['{"errors":[{"title":"operational"}]}', false],
    ['{"data":{}}', false],
  ])('of deliveries takes %s for a sign that posts come: %s', async (body, isSign) => {
    const { clock, recorder, live } = stage({ isSuspect: () => true });
    await clock.pass(70_000);
    live.heartbeat(0);
    recorder.deliver(Buffer.from(body), readMessage(Buffer.from(body)));
    expect([recorder.isDoubted, recorder.heardUntil === clock.elapsed()]).toEqual([!isSign, isSign]);
  });

  it('counts a message that it does not know, and logs each without our token', () => {
    const { live, recorder, counted, logged } = stage();
    const problem = problemIn({ title: 'New', detail: 'with secret' });
    live.remark([problem], undefined);
    recorder.replay.remark([problem], 'operational');
    expect(counted).toEqual(['unknown_message']);
    const line = { platform: 'x', detail: ['New with [secret]'] };
    expect(logged).toEqual([line, line]);
  });

  it.each([
    ['a heartbeat', (live: ConnectionRecorder) => live.heartbeat(0), true],
    ['a younger post', (live: ConnectionRecorder, at: number) => live.record(post(at), 0), true],
    ['an older post', (live: ConnectionRecorder, at: number) => live.record(post(at - 1), 0), false],
    ['a post without a time', (live: ConnectionRecorder) => live.record(LINE, 0), false],
  ])('after a gap takes %s for the end of the backfill only if it must be', (_, come, isOver) => {
    const { clock, coverage, recorder, entries } = stage({ replay: true });
    coverage.lost('dropped');
    coverage.backfill();
    coverage.live(clock.now());
    come(
      recorder.live(clock.now(), () => {}),
      clock.now().getTime(),
    );
    expect(coverage.awaitsBackfill).toBe(!isOver);
    const record = entries.findLast((entry) => entry.kind === 'record');
    expect(record?.replayed ?? true).toBe(true);
  });
});

const post = (at: number): Buffer =>
  Buffer.from(JSON.stringify({ data: { id: '1', created_at: new Date(at).toISOString() } }));
