import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { type XStage, xStage } from '../../../test/stages/x-stage.ts';
import type { Deletions } from '../platform.ts';
import { deletionIn, deletionPath, readDeletions } from './deletions.ts';
import type { OpenResult } from './open-stream.ts';
import { problemIn } from './wire.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');
const ago = (milliseconds: number) => new Date(NOW.getTime() - milliseconds);
const MINUTE = 60_000;

const line = (data: unknown) => Buffer.from(JSON.stringify({ data }));

/** Reads all parts, and notes what comes. */
function read({ platform }: XStage, since?: Date) {
  const stop = new AbortController();
  const ids: string[] = [];
  let through = since;
  const done = Promise.all(
    platform.deletions!.parts.map(async (part) => {
      for await (const found of platform.deletions!.read(part, since, stop.signal)) {
        ids.push(...found.postIds);
        through = found.through;
      }
    }),
  );
  return {
    ids,
    through: () => through,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}

const deleted = (id: string) => ({ delete: { tweet: { id }, event_at: NOW.toISOString() } });
const failed: OpenResult = { kind: 'failed', reason: 'network', reached: true, message: 'gone' };
const refused = (status: number): OpenResult => ({
  kind: 'refused',
  reason: 'server',
  status,
  headers: {},
  problem: problemIn({ title: 'Title' }),
});
function opened(...lines: Buffer[]): OpenResult {
  const body = new PassThrough();
  body.end(Buffer.concat(lines.map((one) => Buffer.concat([one, Buffer.from('\r\n')]))));
  return { kind: 'open', body, headers: {}, date: new Date('2026-11-15T08:30:00.000Z') };
}

/** Reads part 3 of an X that answers as told. */
function scripted(answer: (number: number) => OpenResult, since?: Date) {
  const clock = fakeClock();
  const start = clock.elapsed();
  const asked: { readonly path: string; readonly at: number }[] = [];
  const logged: object[] = [];
  const found: Deletions[] = [];
  const stopping = new AbortController();
  const deps = {
    clock,
    log: { warn: (fields: object) => void logged.push(fields) },
    async open(path: string) {
      asked.push({ path, at: clock.elapsed() - start });
      return answer(asked.length - 1);
    },
  };
  const done = (async () => {
    for await (const one of readDeletions(deps, '3', since, stopping.signal)) found.push(one);
  })();
  return {
    clock,
    asked,
    logged,
    found,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

const IDS = ['1000', '1001', '1002', '1003'];

describe('what X announces as deleted', () => {
  it('is read from four parts, and again after a broken connection, with nothing left out', async () => {
    await using stage = await xStage({ level: 'enterprise' });
    const { sandbox } = stage;
    await using reading = read(stage);
    await stage.until(() => sandbox.complianceReaders === 4);
    for (const id of IDS) sandbox.deletePost(id);
    await stage.until(() => reading.ids.length === 4);
    expect(reading.ids.toSorted()).toEqual(IDS);
    sandbox.endCompliance();
    await stage.until(() => sandbox.complianceReaders === 0);
    for (const id of ['2000', '2001', '2002', '2003']) sandbox.deletePost(id);
    await stage.until(() => ['2000', '2001', '2002', '2003'].every((id) => reading.ids.includes(id)), 1_000, 60);
  });

  it('goes on from the time of the last one after a longer stop', async () => {
    await using stage = await xStage({ level: 'enterprise' });
    const since = stage.clock.now();
    stage.sandbox.deletePost('1000');
    await stage.clock.pass(20 * MINUTE);
    await using reading = read(stage, since);
    await stage.until(() => reading.ids.length === 1);
    expect(reading.ids).toEqual(['1000']);
  });

  it('is given up for dead after a minute without a byte, and read again', async () => {
    const clock = fakeClock();
    const bodies: PassThrough[] = [];
    const open = async (): Promise<OpenResult> => {
      bodies.push(new PassThrough());
      return { kind: 'open', body: bodies.at(-1)!, headers: {}, date: clock.now() };
    };
    const stop = new AbortController();
    const items = readDeletions({ open, clock, log: { warn: () => {} } }, '1', undefined, stop.signal);
    const ended = items.next();
    await clock.pass(50_000);
    bodies[0]!.write('\r\n');
    await clock.pass(59_000);
    expect(bodies).toHaveLength(1);
    await clock.pass(3_000);
    expect(bodies).toHaveLength(2);
    stop.abort();
    expect(await ended).toMatchObject({ done: true });
  });

  it('waits longer from time to time while nothing comes, up to five minutes, and a second after something came', async () => {
    const stage = scripted((number) => (number < 11 || number > 12 ? failed : opened(line(deleted('7')))));
    await stage.clock.pass(3_600_000);
    const waits = stage.asked.map(({ at }, index) => (at - (stage.asked[index - 1]?.at ?? at)) / 1_000);
    expect(waits.slice(0, 16)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 1, 1, 2, 4]);
    expect(stage.found).toEqual([
      { postIds: ['7'], through: NOW },
      { postIds: ['7'], through: NOW },
    ]);
    await stage.stop();
  });

  it('goes on from the time of the last one, and from the first connection on where none has come', async () => {
    const event_at = '2026-11-15T08:20:00.000Z';
    const edited = line({ tweet_edit: { event_at } });
    const stage = scripted((number) => (number === 0 ? opened() : opened(edited)));
    await stage.clock.pass(2_000);
    expect(stage.asked.map(({ path }) => path.split('?')[1])).toEqual([
      'partition=3',
      'partition=3&backfill_minutes=1',
      `partition=3&start_time=${encodeURIComponent(event_at)}`,
    ]);
    expect(stage.found[0]).toEqual({ postIds: [], through: new Date(event_at) });
    await stage.stop();
  });

  it('says what is lost where X does not replay so far back, and goes on five minutes ago', async () => {
    const stage = scripted(() => refused(400), ago(48 * 60 * MINUTE));
    await stage.clock.pass(1_000);
    expect(stage.logged[0]).toEqual({
      platform: 'x',
      part: '3',
      from: ago(48 * 60 * MINUTE).toISOString(),
      to: '2026-11-15T08:25:00.000Z',
    });
    // A second later these are just over five minutes.
    expect(stage.asked[1]!.path).toContain(`start_time=${encodeURIComponent('2026-11-15T08:25:00.000Z')}`);
    await stage.stop();
  });

  it('keeps its time where X refuses for another reason, and says which', async () => {
    const answers = [refused(503), failed, refused(400)];
    const stage = scripted((number) => answers[Math.min(number, 2)]!);
    await stage.clock.pass(3_000);
    expect(stage.logged).toEqual([
      { platform: 'x', part: '3', reason: '503 Title' },
      { platform: 'x', part: '3', reason: 'gone' },
      { platform: 'x', part: '3', reason: '400 Title' },
    ]);
    expect(stage.asked.every(({ path }) => path.endsWith('partition=3'))).toBe(true);
    await stage.stop();
  });

  it.each([
    [401, 3_600_000],
    [403, 3_600_000],
    [404, 1_000],
  ])('comes back after status %i in %i ms', async (status, wait) => {
    const stage = scripted(() => refused(status));
    await stage.clock.pass(wait - 1);
    expect(stage.asked).toHaveLength(1);
    await stage.clock.pass(1);
    expect(stage.asked).toHaveLength(2);
    await stage.stop();
  });

  it('ends with its connection when we stop, and leaves no timer behind', async () => {
    const body = new PassThrough();
    const stage = scripted(() => ({ kind: 'open', body, headers: {}, date: NOW }));
    await stage.clock.pass(1_000);
    await stage.stop();
    expect([body.destroyed, stage.clock.sleepers]).toEqual([true, 0]);
  });

  it('is not offered on the small level, and not asked for there', async () => {
    await using stage = await xStage();
    expect(stage.platform.deletions).toBeUndefined();
  });

  it('asks again an hour after a refusal, and says why in the log', async () => {
    await using stage = await xStage({ level: 'enterprise', sandbox: { xLevel: 'payg' } });
    const calls = () => stage.sandbox.calls.filter(({ path }) => path.includes('compliance')).length;
    await using reading = read(stage);
    await stage.until(() => calls() === 4);
    await stage.until(() => stage.logged().includes('403 Client Forbidden'));
    await stage.clock.pass(59 * MINUTE);
    expect(calls()).toBe(4);
    await stage.until(() => calls() === 8, MINUTE, 5);
    expect(reading.ids).toEqual([]);
  });
});

describe('an event of the compliance stream', () => {
  it('names a post for its deletion or its removal from view, and for nothing else', () => {
    const at = '2026-11-15T12:00:00.000Z';
    const time = Date.parse(at);
    const tweet = { id: '1', author_id: '2' };
    expect(deletionIn(line({ delete: { tweet, event_at: at } }))).toEqual({ postId: '1', at: time });
    expect(deletionIn(line({ drop: { tweet, event_at: at } }))).toEqual({ postId: '1', at: time });
    for (const kind of ['undrop', 'withheld', 'tweet_edit', 'toString'])
      expect(deletionIn(line({ [kind]: { tweet, event_at: at } }))).toEqual({ postId: undefined, at: time });
  });

  it.each(['', '{', '[]', '{"data":null}', '{"data":{"delete":{}}}', '{"data":{"delete":{"tweet":{"id":"1"}}}}'])(
    'that cannot be read says nothing: %s',
    (text) => {
      expect(deletionIn(Buffer.from(text))).toBeUndefined();
    },
  );
});

describe('the address of a part', () => {
  it('asks for as many minutes as were missed, and from a time on beyond five', () => {
    const query = (from?: Date) => deletionPath('2', from, NOW).split('?')[1];
    expect(query()).toBe('partition=2');
    for (const time of [1, 0, -5_000]) expect(query(ago(time))).toBe('partition=2&backfill_minutes=1');
    expect(query(ago(5 * MINUTE))).toBe('partition=2&backfill_minutes=5');
    expect(query(ago(5 * MINUTE + 1))).toBe(`partition=2&start_time=${encodeURIComponent('2026-11-15T11:54:59.999Z')}`);
  });
});
