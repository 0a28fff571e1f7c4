import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { Backlog } from './backlog.ts';
import { type BacklogEntry, createSpill, type Spill } from './spill.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-backlog-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { signal } = new AbortController();
const clock = fakeClock();
const LIMITS = { records: 5, bytes: 10_000, block: 600 };

const record = (at: number): BacklogEntry => ({
  kind: 'record',
  at,
  through: at - 7_000,
  cursor: `cursor ${at}`,
  replayed: false,
  line: Buffer.from(`{"at":${at},"text":"größer"}`),
});
const mark = (at: number): BacklogEntry => ({ kind: 'mark', through: at, cursor: `mark ${at}` });
const plain = (entry: BacklogEntry | undefined) =>
  entry?.kind === 'record' ? { ...entry, line: entry.line.toString('utf8') } : entry;

describe('the backlog', () => {
  it('gives everything once and in order, whatever the pace of the two sides', async () => {
    const step = fc.record({ put: fc.nat(12), take: fc.nat(12) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        let spilled = 0;
        const backlog = new Backlog({
          spill: createSpill(folder, 'order'),
          clock,
          count: () => spilled++,
          limits: LIMITS,
        });
        const put: unknown[] = [];
        const taken: unknown[] = [];
        const takeOne = async () => taken.push(plain(await backlog.take(signal)));
        for (const { put: count, take } of steps) {
          for (let one = 0; one < count; one++) {
            const entry = put.length % 3 === 0 ? mark(put.length) : record(put.length);
            put.push(plain(entry));
            expect(backlog.push(entry)).toBe(true);
          }
          for (let one = 0; one < take && taken.length < put.length; one++) await takeOne();
        }
        while (taken.length < put.length) await takeOne();
        expect(taken).toEqual(put);
        backlog.close();
      }),
    );
  });

  it('spills what is more than memory should hold, into a file that leaves nothing behind', async () => {
    let spilled = 0;
    const backlog = new Backlog({ spill: createSpill(folder, 'named'), clock, count: () => spilled++, limits: LIMITS });
    for (let at = 0; at < 100; at++) backlog.push(record(at));
    expect(spilled).toBeGreaterThan(80);
    expect(readdirSync(folder)).toEqual([]);
    for (let at = 0; at < 100; at++) expect(await backlog.take(signal)).toMatchObject({ at });
    backlog.close();
  });

  it('writes whole blocks, and none before there is one', () => {
    const written: number[] = [];
    const spill: Spill = { write: (block) => written.push(block.length) > 0, read: () => undefined, close: () => {} };
    const backlog = new Backlog({ spill, clock, count: () => {}, limits: { records: 2, bytes: 10_000, block: 600 } });
    const pushed = (count: number) => {
      for (let at = 0; at < count; at++) backlog.push(record(at));
      return written.length;
    };
    // Two are in memory; three of 229 bytes make a block, which is written when a fourth comes.
    expect([pushed(2), pushed(3), pushed(1), pushed(2), pushed(1)]).toEqual([0, 0, 1, 1, 2]);
  });

  it('takes no more records when the disk does not, but the news that they are missing', async () => {
    const full: Spill = { write: () => false, read: () => undefined, close: () => {} };
    const backlog = new Backlog({ spill: full, clock, count: () => {}, limits: LIMITS });
    let at = 0;
    while (backlog.push(record(at))) at++;
    expect(backlog.push(mark(at))).toBe(true);
    for (let next = 0; next < at; next++)
      expect(await backlog.take(signal)).toMatchObject({ kind: 'record', at: next });
    expect(await backlog.take(signal)).toMatchObject({ kind: 'mark', through: at });
    expect(backlog.push(record(at))).toBe(true);
  });

  it('waits for what comes, and ends with the signal', async () => {
    const backlog = new Backlog({ spill: createSpill(folder, 'wait'), clock, count: () => {}, limits: LIMITS });
    const stopping = new AbortController();
    const next = backlog.take(stopping.signal);
    backlog.push(mark(1));
    expect(await next).toMatchObject({ through: 1 });
    const last = backlog.take(stopping.signal);
    stopping.abort();
    expect(await last).toBeUndefined();
  });
});
