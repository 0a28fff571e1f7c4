/** Fetching what is missing, with an X that is played by the test. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { StreamCounter } from '../platform.ts';
import { Coverage } from './coverage.ts';
import type { OpenResult } from './open-stream.ts';
import { createQuota } from './quota.ts';
import type { ConnectionRecorder } from './read-connection.ts';
import type { DisconnectReason } from './reconnect-policy.ts';
import { recoverMissing } from './recovery.ts';
import type { BacklogEntry } from './spill.ts';
import { problemIn, type StreamRange } from './wire.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-15T08:30:00.000Z');

type Script = (number: number) => OpenResult;

/** One gap of 20 minutes that ended just now, unless told otherwise; X's clock is 5 s ahead. */
function stand(script: Script, { ago = 20 * MINUTE } = {}) {
  const clock = fakeClock();
  const entries: BacklogEntry[] = [];
  const start = { at: new Date(NOW - ago), opened: undefined, missing: [] };
  const coverage = new Coverage({ clock, replay: true, start, push: (entry) => void entries.push(entry) });
  coverage.backfill();
  coverage.live(clock.now());
  const lines: string[] = [];
  const recorder: ConnectionRecorder = {
    record: (line) => lines.push(line.toString('utf8')) > 0,
    heartbeat: () => undefined,
    overlong: () => {},
    remark: () => {},
  };
  const counted: StreamCounter[] = [];
  const asked: { readonly span: StreamRange; readonly at: number }[] = [];
  const stopping = new AbortController();
  const quota = createQuota({ most: 100 }, clock);
  let spent = 0;
  const spend = () => {
    spent++;
  };
  const parts = {
    clock,
    coverage,
    recorder,
    random: () => 0,
    quota: {
      get wait() {
        return quota.wait;
      },
      spend,
      note: quota.note.bind(quota),
    },
    count: (counter: StreamCounter) => void counted.push(counter),
    skew: () => 5_000,
    signal: stopping.signal,
    async openStream(span: StreamRange) {
      asked.push({ span, at: clock.elapsed() - NOW });
      return script(asked.length - 1);
    },
  };
  const done = recoverMissing(parts);
  const closed = () => entries.flatMap((one) => (one.kind === 'gap' && one.to !== undefined ? [one.recovered] : []));
  return { clock, asked, counted, lines, closed, stopping, done, spent: () => spent, coverage };
}

const opened = (text: string): OpenResult => {
  const body = new PassThrough();
  body.end(text);
  return { kind: 'open', body, headers: {}, date: new Date(NOW) };
};
/** Without posts, with a heartbeat. */
const open = (...lines: string[]): OpenResult => opened(`${lines.join('\r\n')}\r\n`);
const refused = (reason: DisconnectReason, headers = {}): OpenResult => ({
  kind: 'refused',
  reason,
  status: 400,
  headers,
  problem: problemIn({}),
});
const failed = (reached: boolean): OpenResult => ({ kind: 'failed', reason: 'network', reached, message: 'gone' });

describe('what is missing', () => {
  it('is not taken for fetched by an empty answer, until that comes again after three minutes', async () => {
    const { clock, closed, asked, lines, done } = stand((number) => (number === 0 ? opened('') : open('one')));
    await clock.pass(2_000);
    expect([asked.length, closed()]).toEqual([1, []]);
    await clock.pass(3 * MINUTE);
    await done;
    expect([asked.length, lines, closed()]).toEqual([2, ['one'], [true]]);
    const quiet = stand(() => opened(''));
    await quiet.clock.pass(2_000 + 3 * MINUTE);
    await quiet.done;
    expect([quiet.asked.length, quiet.closed()]).toEqual([2, [true]]);
  });

  it("is asked for two seconds after its end, a minute more on each side, by X's clock", async () => {
    const { clock, asked, done, closed, lines, counted, spent } = stand(() => open('{"data":{"id":"1"}}'));
    await clock.pass(1_999);
    expect(asked).toEqual([]);
    await clock.pass(1);
    await done;
    const [{ span, at }] = asked as [{ span: StreamRange; at: number }];
    expect(span).toEqual({ start: new Date(NOW - 21 * MINUTE + 5_000), end: new Date(NOW + 2_000 + 5_000) });
    expect([at, closed(), lines, counted, spent()]).toEqual([2_000, [true], ['{"data":{"id":"1"}}'], ['connect'], 1]);
  });

  it('is not asked for further back than a day, and never for nothing', async () => {
    const { clock, asked, done } = stand(() => open(), { ago: 24 * 60 * MINUTE - 6 * MINUTE });
    await clock.pass(2_000);
    await done;
    const { span } = asked[0]!;
    expect('start' in span && span.start).toEqual(new Date(NOW - 24 * 60 * MINUTE + 5 * MINUTE + 5_000));
  });

  it('is asked for again when the connection breaks, after the wait that X recommends', async () => {
    const half = new PassThrough();
    half.end('{"da');
    const broken: OpenResult = { kind: 'open', body: half, headers: {}, date: new Date(NOW) };
    const script = [broken, failed(false), failed(true), open()];
    const { clock, asked, done, closed, spent } = stand((number) => script[number]!);
    await clock.pass(60_000);
    await done;
    expect(asked.map(({ at }) => at)).toEqual([2_000, 2_000, 2_250, 2_750]);
    // A request that reached no host is not counted.
    expect([closed(), spent()]).toEqual([[true], 3]);
  });

  it.each<[DisconnectReason, number]>([
    ['auth', 3],
    ['request', 3],
    ['no_rules', 3],
    ['rules', 3],
  ])('is given up after three refusals for %s', async (reason, times) => {
    const { clock, asked, done, closed, counted } = stand(() => refused(reason));
    await clock.pass(60 * MINUTE);
    await done;
    expect([asked.length, closed(), counted]).toEqual([times, [false], ['refused', 'refused', 'refused']]);
  });

  it('is asked for after as many other refusals as it takes', async () => {
    const { clock, asked, done, closed } = stand((number) => (number < 5 ? refused('server') : open()));
    await clock.pass(10 * MINUTE);
    await done;
    expect([asked.length, closed()]).toEqual([6, [true]]);
  });

  it('is not asked for before a time that X states', async () => {
    const script = [refused('rate', { 'retry-after': '300' }), open()];
    const { clock, asked, done } = stand((number) => script[number]!);
    await clock.pass(10 * MINUTE);
    await done;
    expect(asked.map(({ at }) => at)).toEqual([2_000, 302_000]);
  });

  it('is given up at a line that is too long', async () => {
    const { clock, asked, done, closed } = stand(() => open('x'.repeat(1024 * 1024 + 1)));
    await clock.pass(MINUTE);
    await done;
    expect([asked.length, closed()]).toEqual([1, [false]]);
  });

  it('stays missing when we stop, before a connection and during one', async () => {
    const early = stand(() => open());
    early.stopping.abort();
    await early.done;
    expect([early.asked, early.closed()]).toEqual([[], []]);
    const late = stand(() => ({ kind: 'open', body: new PassThrough(), headers: {}, date: new Date(NOW) }));
    await late.clock.pass(2_000);
    late.stopping.abort();
    await late.done;
    expect([late.asked.length, late.closed()]).toEqual([1, []]);
  });
});
