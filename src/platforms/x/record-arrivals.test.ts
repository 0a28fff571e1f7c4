import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { BacklogEntry } from './backlog-entry.ts';
import { Coverage, X_DELAY_MS } from './coverage.ts';
import { readXCursor } from './cursor.ts';
import { ArrivalRecorder } from './record-arrivals.ts';
import { createSilenceDetector } from './silence.ts';

function stage() {
  const clock = fakeClock();
  const entries: BacklogEntry[] = [];
  const disk = { isFull: false };
  const push = (entry: BacklogEntry): boolean => !(disk.isFull && entry.kind === 'record') && entries.push(entry) > 0;
  const coverage = new Coverage({ clock, replay: false, start: undefined, push });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const parts = { clock, log, count: () => {}, token: () => 't', silence: createSilenceDetector(clock) };
  const recorder = new ArrivalRecorder(parts, coverage, push);
  coverage.live(clock.now());
  return { clock, entries, disk, coverage, live: recorder.live(clock.now(), () => {}) };
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
});
