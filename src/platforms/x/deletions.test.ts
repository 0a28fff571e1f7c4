import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { type XStage, xStage } from '../../../test/stages/x-stage.ts';
import { deletionIn, deletionPath, readDeletions } from './deletions.ts';
import type { OpenResult } from './open-stream.ts';

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
    expect(query(ago(1))).toBe('partition=2&backfill_minutes=1');
    expect(query(ago(5 * MINUTE))).toBe('partition=2&backfill_minutes=5');
    expect(query(ago(5 * MINUTE + 1))).toBe(`partition=2&start_time=${encodeURIComponent('2026-11-15T11:54:59.999Z')}`);
  });
});
