/** One connection from its first frame to its end, with bytes that the test writes. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { StreamCounter, StreamItem } from '../platform.ts';
import { StreamConnection } from './connection.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { readFirehoseConnection } from './read-connection.ts';
import type { Disconnect } from './reconnect-policy.ts';
import { StreamSession } from './session.ts';
import { type Resume, readPosition, type StreamPosition } from './stream-position.ts';

const NOW = Date.parse('2026-11-15T08:30:00.000Z');
const DELAY = 10_000;

interface Options {
  readonly resume?: Resume;
  readonly position?: Partial<StreamPosition>;
  /** The result of a probe, or the lines of updates that it brings. */
  readonly probe?: ProbeResult & { readonly found?: readonly string[] };
  /** Before the connection is read. */
  readonly before?: (session: StreamSession) => void;
}

function stand({ resume = { kind: 'live' }, position, probe, before }: Options = {}) {
  const clock = fakeClock();
  const body = new PassThrough();
  const headers = { date: new Date(NOW).toUTCString() };
  const answer = Object.assign(body, { headers }) as unknown as IncomingMessage;
  const connection = new StreamConnection(clock, answer, 120_000, new AbortController());
  const session = new StreamSession(clock);
  session.position = { ...session.position, ...position };
  before?.(session);
  const counted: StreamCounter[] = [];
  const logged: string[] = [];
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const options = {
    baseUrl: 'http://127.0.0.1:1',
    token: () => 'fh_secret',
    clock,
    random: () => 0,
    log: { info: note, warn: note, error: note },
    count: (counter: StreamCounter) => void counted.push(counter),
  };
  const probed: unknown[] = [];
  const ask: Probe = async function* ask(missing, { isAfterOutage, read }) {
    probed.push({ ...missing, isAfterOutage });
    for (const data of probe?.found ?? []) {
      const frame = { event: 'update', data, id: `0-${JSON.parse(data).document.n}`, tooLong: false };
      yield* read({ frame, at: clock.now(), readThrough: clock.now() });
    }
    return probe ?? { isComplete: true, reachesBack: true };
  };
  const { signal } = new AbortController();
  const items: StreamItem[] = [];
  const state: { end?: Disconnect } = {};
  const reading = (async () => {
    const context = { options, session, probe: ask, resume, signal };
    const generator = readFirehoseConnection(context, connection);
    for (let step = await generator.next(); ; step = await generator.next()) {
      if (step.done) {
        state.end = step.value;
        return;
      }
      items.push(step.value);
    }
  })();
  return {
    clock,
    session,
    items,
    counted,
    logged,
    probed,
    state,
    async send(text: string) {
      body.write(text);
      await clock.pass(0);
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      await reading;
    },
  };
}

const data = (n: number, matchedAt: number | undefined = NOW - 1_000, more: object = {}): string =>
  JSON.stringify({
    tap_id: 't',
    query_ids: ['7'],
    ...(matchedAt !== undefined && { matched_at: new Date(matchedAt).toISOString() }),
    document: { url: 'https://a.example/', n },
    ...more,
  });
const update = (n: number, ...rest: [number?, object?]): string =>
  `id: 0-${n}\nevent: update\ndata: ${data(n, ...rest)}\n\n`;
const CONNECTED = 'event: connected\ndata: {}\n\n';
const kinds = (items: readonly StreamItem[]): string[] => items.map(({ kind }) => kind);

describe('a connection that is read', () => {
  it('is live with its first event, and not with its headers or a comment', async () => {
    await using stage = stand();
    await stage.send(': hello\n\nevent: news\ndata: x\n\n');
    expect(stage.items).toEqual([]);
    expect(stage.counted).toEqual(['unknown_message']);
    await stage.send(CONNECTED);
    expect(stage.items).toEqual([{ kind: 'state', state: 'live' }]);
    await using other = stand();
    await other.send(update(1));
    expect(kinds(other.items)).toEqual(['state', 'arrival']);
  });

  it('ends as it was lost, as it was announced, or with the words of an error', async () => {
    const ends: unknown[] = [];
    for (const text of ['event: end\ndata: {}\n\n', 'event: error\ndata: {"message":"No fh_secret"}\n\n']) {
      await using stage = stand();
      await stage.send(text);
      ends.push(stage.state.end);
    }
    const lost = stand();
    await lost[Symbol.asyncDispose]();
    ends.push(lost.state.end);
    expect(ends).toEqual([{ kind: 'ended' }, { kind: 'error', message: 'No [secret]' }, { kind: 'dropped' }]);
  });

  it('has everything up to its end once it is live, and not when it ended in a replay', async () => {
    await using live = stand();
    await live.send(CONNECTED);
    await live.clock.pass(1_000);
    await live.clock.pass(20_000);
    await live.send('event: end\ndata: {}\n\n');
    expect(live.items.at(-1)).toMatchObject({ kind: 'mark', through: new Date(NOW + 20_000 - DELAY) });
    await using replay = stand();
    await replay.send(`${CONNECTED}event: end\ndata: {}\n\n`);
    expect(kinds(replay.items)).toEqual(['state']);
  });

  it('is complete when nothing comes for a second after it was opened', async () => {
    await using stage = stand();
    await stage.send(CONNECTED);
    await stage.clock.pass(999);
    expect(kinds(stage.items)).toEqual(['state']);
    await stage.clock.pass(1);
    expect(stage.items.at(-1)).toMatchObject({ kind: 'mark', through: new Date(NOW - DELAY) });
    await stage.clock.pass(20_000);
    expect(stage.items).toHaveLength(2);
  });

  it('marks by comments, every five seconds at most and only when it is live', async () => {
    await using stage = stand();
    await stage.send(CONNECTED);
    await stage.clock.pass(500);
    await stage.send(': one\n\n');
    expect(kinds(stage.items)).toEqual(['state']);
    await stage.clock.pass(4_499);
    const { length } = stage.items;
    await stage.send(': two\n\n');
    expect(stage.items).toHaveLength(length);
    await stage.clock.pass(1);
    await stage.send(': three\n\n');
    expect(stage.items).toHaveLength(length + 1);
    expect(stage.items.at(-1)).toMatchObject({ kind: 'mark', through: new Date(NOW + 4_000 - DELAY) });
    await stage.clock.pass(4_999);
    await stage.send(': four\n\n');
    expect(stage.items).toHaveLength(length + 1);
  });
});

describe('an event', () => {
  it('moves the position, with the time up to which nothing is missing', async () => {
    await using stage = stand();
    await stage.send(update(5));
    const arrival = stage.items.at(-1)!;
    expect(arrival).toMatchObject({
      kind: 'arrival',
      postId: '0-5',
      verdicts: ['7'],
      payload: { n: 5 },
      at: new Date(NOW),
      through: new Date(NOW - DELAY),
    });
    expect('cursor' in arrival && readPosition(arrival.cursor)).toMatchObject({ ids: { 0: '0-5' }, tap: 't' });
  });

  it('that was matched after the connection was opened ends the replay', async () => {
    await using stage = stand();
    await stage.send(update(5, NOW + 999));
    expect(kinds(stage.items)).toEqual(['state', 'arrival']);
    await stage.send(update(6, NOW + 1_000));
    expect(kinds(stage.items)).toEqual(['state', 'arrival', 'arrival', 'mark']);
    await stage.send(update(7, NOW + 1_000));
    expect(kinds(stage.items)).toEqual(['state', 'arrival', 'arrival', 'mark', 'arrival']);
  });

  it('without an id that can be sent back is known by its content, and moves no position', async () => {
    await using stage = stand({ position: { ids: { 0: '0-4' } } });
    await stage.send(`event: update\ndata: ${data(9)}\n\n`);
    expect(stage.items.at(-1)).toMatchObject({ postId: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
    await stage.send(`id: ${'9'.repeat(200)}\nevent: update\ndata: ${data(9)}\n\n`);
    expect(stage.items.at(-1)).toMatchObject({ postId: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
    expect(JSON.stringify(stage.session.position.ids)).toBe('{"0":"0-4"}');
    expect(Object.keys(stage.session.position.ids)).toEqual(['0']);
  });

  it('that cannot be read is kept aside, and the position moves past it', async () => {
    await using stage = stand();
    await stage.send(`id: 0-5\nevent: update\ndata: {"x":"${'y'.repeat(9_000)}"}\n\n`);
    const broken = stage.items.at(-1)!;
    expect(broken).toMatchObject({ kind: 'broken', reason: 'It has no document.', through: new Date(NOW - DELAY) });
    expect(broken.kind === 'broken' && broken.sample).toBe(`{"x":"${'y'.repeat(4_090)}`);
    expect(stage.session.position.ids).toEqual({ 0: '0-5' });
    await stage.send(`event: update\ndata: 7\n\n`);
    expect(stage.session.position.ids).toEqual({ 0: '0-5' });
    expect(stage.counted).toEqual(['broken', 'broken']);
  });

  it('that is too long says so', async () => {
    await using stage = stand();
    await stage.send(`id: 0-5\nevent: update\ndata: ${'x'.repeat(4 * 1024 * 1024)}\n\n`);
    expect(stage.items.at(-1)).toMatchObject({ kind: 'broken', reason: 'It is longer than 4 MiB.' });
  });

  it('with an old id and a new time begins the ids again, which is logged', async () => {
    await using stage = stand();
    await stage.send(update(5, NOW - 5_000) + update(6, NOW - 4_000) + update(1, NOW - 1_000));
    expect(stage.items.at(-1)).toMatchObject({ postId: '0-1@1' });
    expect(stage.logged).toEqual(['the ids of the stream began again {"platform":"firehose","id":"0-1"}']);
  });

  it('that comes again on the same connection below the first one begins the ids again as well', async () => {
    await using stage = stand();
    const at = NOW - 5_000;
    await stage.send(update(5, at) + update(6, at) + update(5, at) + update(4, at));
    const ids = stage.items.flatMap((item) => (item.kind === 'arrival' ? [item.postId] : []));
    expect(ids).toEqual(['0-5', '0-6', '0-5', '0-4@1']);
  });
});

describe('ids that are left out', () => {
  const position = { ids: { 0: '0-4' } };

  it('are asked for, and what is found comes first', async () => {
    await using stage = stand({ position, probe: { isComplete: true, reachesBack: false, found: [data(5), data(6)] } });
    await stage.send(update(8));
    expect(stage.probed).toEqual([{ last: 4, before: 8, isAfterOutage: false }]);
    const ids = stage.items.flatMap((item) => (item.kind === 'arrival' ? [item.postId] : []));
    expect(ids).toEqual(['0-5', '0-6', '0-8']);
  });

  it('are not asked for where the buffer is known to begin later', async () => {
    await using stage = stand({
      position,
      before: (session) => {
        session.isAged = true;
      },
    });
    await stage.send(update(8));
    expect(stage.probed).toEqual([]);
    expect(stage.session.isAged).toBe(false);
  });

  it('after an outage mean that the buffer is too short: the event is not taken, and the gap is for good', async () => {
    const before = (session: StreamSession) => {
      session.openGap('disconnected', true);
    };
    await using stage = stand({ position, before, probe: { isComplete: true, reachesBack: false } });
    await stage.send(update(8));
    expect(stage.probed).toEqual([{ last: 4, before: 8, isAfterOutage: true }]);
    expect(stage.state.end).toEqual({ kind: 'aged' });
    expect(kinds(stage.items)).toEqual(['state']);
  });

  it('after an outage that seemed to be made good open its gap again', async () => {
    const before = (session: StreamSession) => {
      session.openGap('disconnected', true);
      session.closeGap();
    };
    await using stage = stand({ position, before, probe: { isComplete: false, reachesBack: false } });
    await stage.send(update(8));
    expect(kinds(stage.items)).toEqual(['state', 'gap', 'arrival']);
    expect(stage.session.gap).toMatchObject({ cause: 'disconnected', recoverable: false });
    expect(stage.session.suspect).toBeUndefined();
  });

  it('after an outage that is still open make its gap one for good when Firehose does not say all', async () => {
    const before = (session: StreamSession) => {
      session.openGap('disconnected', true);
    };
    await using stage = stand({ position, before, probe: { isComplete: false, reachesBack: false } });
    await stage.send(update(8));
    expect(stage.session.gap).toMatchObject({ cause: 'disconnected', recoverable: false });
    expect(stage.items.at(-1)).toMatchObject({ postId: '0-8' });
  });

  it('after an outage prove nothing when the buffer has the last event that we know', async () => {
    const before = (session: StreamSession) => {
      session.openGap('disconnected', true);
    };
    await using stage = stand({ position, before, probe: { isComplete: true, reachesBack: true } });
    await stage.send(update(8));
    expect(stage.session.gap).toMatchObject({ recoverable: true });
    expect(stage.state.end).toBeUndefined();
    expect(stage.items.at(-1)).toMatchObject({ postId: '0-8' });
  });
});

describe('a replay by time', () => {
  const resume = { kind: 'since', minutes: 5 } as const;
  const known = { ids: { 0: '0-4', 1: '1-4' }, began: NOW - 100_000, latest: NOW - 60_000, through: NOW - 60_000 };

  it('that has to begin with what we know is waited for ten seconds, and is too short when nothing comes', async () => {
    await using stage = stand({ resume, position: known });
    await stage.send(CONNECTED);
    await stage.clock.pass(9_999);
    expect(kinds(stage.items)).toEqual(['state']);
    await stage.clock.pass(1);
    expect(kinds(stage.items)).toEqual(['state', 'gap', 'gap', 'mark']);
    expect(stage.items[2]).toMatchObject({ gap: { cause: 'aged out', recovered: false } });
  });

  it('that begins with what we know is followed by a second of quiet', async () => {
    await using stage = stand({ resume, position: known });
    await stage.send(update(4, NOW - 60_000));
    await stage.clock.pass(1_000);
    expect(kinds(stage.items)).toEqual(['state', 'arrival', 'mark']);
  });

  it('that begins with something else was cut short: a gap up to there, and one from there on', async () => {
    await using stage = stand({ resume, position: known });
    await stage.send(update(9, NOW - 30_000));
    expect(stage.items.slice(1)).toMatchObject([
      { gap: { cause: 'aged out', from: new Date(NOW - 60_000 - DELAY), to: undefined } },
      { gap: { cause: 'aged out', to: new Date(NOW - 30_000), recovered: false } },
      { gap: { cause: 'aged out', from: new Date(NOW - 30_000), to: undefined } },
      { kind: 'arrival', postId: '0-9' },
    ]);
    await stage.send(update(10, NOW - 20_000));
    expect(stage.items).toHaveLength(6);
    await stage.clock.pass(1_000);
    expect(stage.items.slice(6)).toMatchObject([{ gap: { recovered: true, to: new Date(NOW) } }, { kind: 'mark' }]);
  });

  it('closes the gap before it with the first event that comes as it happens', async () => {
    const before = (session: StreamSession) => {
      session.openGap('disconnected', true);
    };
    await using stage = stand({ before });
    await stage.send(update(4, NOW - 1_000));
    expect(kinds(stage.items)).toEqual(['state', 'arrival']);
    await stage.clock.pass(1_000);
    expect(kinds(stage.items)).toEqual(['state', 'arrival', 'gap', 'mark']);
    stage.session.openGap('stalled', true);
    await stage.send(update(5, NOW - 1_000));
    expect(kinds(stage.items).slice(4)).toEqual(['gap', 'arrival']);
  });
});
