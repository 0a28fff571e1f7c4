import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../test/stages/fake-clock.ts';
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { createLive, type Live } from './live.ts';
import type { MatchLog } from './match-log.ts';
import type { Outlet } from './outlet.ts';

const settled = async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Matches in the order they were stored; positions have gaps, as the store's have. */
function matchLog(length = 10) {
  const matches: Match[] = [];
  const pages: { matches: number; after: number }[] = [];
  const log: MatchLog = {
    latest: async () => matches.at(-1)?.position ?? 0,
    async matchesAfter({ after, limit, bytes, ruleId, platform }) {
      const latest = matches.at(-1)?.position ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
      const found = matches
        .filter((match) => match.position > after && match.position <= latest)
        .filter((match) => ruleId === undefined || match.ruleId === ruleId)
        .filter((match) => platform === undefined || match.platform === platform);
      let size = 0;
      const full = found.findIndex(({ payload }) => {
        size += JSON.stringify(payload).length;
        return size >= bytes;
      });
      const page = found.slice(0, Math.min(limit, full === -1 ? limit : full + 1));
      pages.push({ matches: page.length, after });
      const more = page.length < found.length || page.length === limit;
      return { matches: page, last: more ? page.at(-1)!.position : Math.max(latest, after), more };
    },
  };
  const add = (ruleId = 'rule_1', platform: Platform = 'x') => {
    const position = (matches.at(-1)?.position ?? 0) + 3;
    const payload = { text: 'x'.repeat(length) };
    const base = { id: `m${position}`, createdAt: new Date(0), platformPostId: '', ruleName: '', ruleVersion: 1 };
    matches.push({ ...base, position, platform, ruleId, payload, highlights: [] });
  };
  return { matches, pages, log, add };
}

/** A connection that takes `capacity` bytes until the client reads. */
class Connection implements Outlet {
  readonly capacity: number;
  text = '';
  waiting = '';
  most = 0;
  ended = false;
  destroyed = false;
  drained = () => {};

  constructor(capacity = Number.POSITIVE_INFINITY) {
    this.capacity = capacity;
  }
  get queued(): number {
    return this.waiting.length;
  }
  write(bytes: Uint8Array): boolean {
    this.waiting += Buffer.from(bytes).toString();
    this.most = Math.max(this.most, this.waiting.length);
    if (this.capacity === Number.POSITIVE_INFINITY) this.read();
    return this.waiting.length < this.capacity;
  }
  end(bytes: Uint8Array): void {
    this.write(bytes);
    this.ended = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
  /** Reads all that waits. */
  read(): void {
    this.text += this.waiting;
    this.waiting = '';
    this.drained();
  }
  /** Reads this many bytes of it. */
  sip(bytes: number): void {
    this.text += this.waiting.slice(0, bytes);
    this.waiting = this.waiting.slice(bytes);
    if (this.waiting === '') this.drained();
  }
  get ids(): number[] {
    return [...this.text.matchAll(/^event: match\nid: (\d+)$/gm)].map(([, id]) => Number(id));
  }
  get lastId(): number {
    return Number([...this.text.matchAll(/^id: (\d+)$/gm)].at(-1)![1]);
  }
}

interface Stand {
  readonly live: Live;
  readonly clock: FakeClock;
  readonly keys: Set<string>;
  readonly sessions: Set<string>;
  connect(
    connection: Connection,
    options?: {
      accountId?: string;
      after?: number;
      ruleId?: string;
      platform?: Platform;
      keyId?: string;
      session?: string;
    },
  ): () => void;
}

function stand(log: MatchLog, warnings: object[] = [], coverage?: () => Promise<string>): Stand {
  const clock = fakeClock();
  const keys = new Set(['key_1', 'key_2']);
  const sessions = new Set(['session_1', 'session_2']);
  const live = createLive({
    matches: log,
    clock,
    log: { info: () => {}, warn: (fields) => void warnings.push(fields) },
    cursor: (_, position) => String(position),
    placeCursor: (_, position) => String(position),
    silences: async () => [],
    encode: ({ id, payload }) => JSON.stringify({ id, payload }),
    works: async (_, keyId) => keys.has(keyId),
    sessionWorks: async (session) => sessions.has(session),
    ...(coverage && { coverage }),
  });
  return {
    live,
    clock,
    keys,
    sessions,
    connect(outlet, { accountId = 'one', after = 0, keyId = 'key_1', ...wish } = {}) {
      const subscriber = live.subscribe({ accountId, keyId, after, outlet, ...wish });
      outlet.drained = () => subscriber.drained();
      return () => subscriber.closed();
    },
  };
}

describe('live subscribers', () => {
  it('hear every match once and in order, whatever is cut, slow or stored meanwhile', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant('store' as const), count: fc.integer({ min: 1, max: 60 }) }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), count: fc.nat(2) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const), count: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), count: fc.nat(2) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const), count: fc.nat(12) }) },
    );
    const wishes = [{}, { ruleId: 'rule_1' }, { platform: 'firehose' as const }];
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(300), async (steps, length) => {
      // Long matches push each other out of the ring.
      const { log, add, matches } = matchLog(length * 100);
      const { live, connect } = stand(log);
      const readers = wishes.map((wish) => ({
        wish,
        heard: [] as number[],
        connection: new Connection(20_000),
        leave: () => {},
      }));
      for (const reader of readers) reader.leave = connect(reader.connection, reader.wish);
      for (const { do: what, count } of steps) {
        const reader = readers[count % readers.length]!;
        if (what === 'store') {
          for (let each = 0; each < count; each++) add(each % 3 ? 'rule_1' : 'rule_2', each % 2 ? 'x' : 'firehose');
          live.committed(['one']);
        } else if (what === 'read') reader.connection.read();
        else if (what === 'forget') live.forget('one');
        else if (what === 'turn')
          for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
        else {
          reader.connection.drained = () => {};
          reader.connection.read();
          reader.leave();
          reader.heard.push(...reader.connection.ids);
          const after = reader.connection.lastId;
          reader.connection = new Connection(20_000);
          reader.leave = connect(reader.connection, { ...reader.wish, after });
        }
      }
      for (const reader of readers) {
        for (let quiet = 0; quiet < 3; quiet++) {
          if (reader.connection.waiting !== '') quiet = 0;
          reader.connection.read();
          await settled();
        }
        const wanted = matches.filter(
          ({ ruleId, platform }) =>
            (reader.wish.ruleId ?? ruleId) === ruleId && (reader.wish.platform ?? platform) === platform,
        );
        expect([...reader.heard, ...reader.connection.ids]).toEqual(wanted.map(({ position }) => position));
        // Its buffer takes no more than it holds, a piece and a frame.
        expect(reader.connection.most).toBeLessThan(20_000 + 32 * 1024 + length * 100 + 1_000);
      }
      live.close();
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('hear nothing twice when the store is ahead of what is shared', async () => {
    const { log, add, matches } = matchLog();
    for (let count = 0; count < 5; count++) add();
    let isAhead = false;
    const racing: MatchLog = {
      ...log,
      async matchesAfter(query) {
        // A subscriber that reads from the beginning finds more than the others were told of.
        if (query.after === 0 && !isAhead) {
          isAhead = true;
          for (let count = 0; count < 3; count++) add();
        }
        return log.matchesAfter(query);
      },
    };
    const { live, connect } = stand(racing);
    const [first, second] = [new Connection(), new Connection()];
    connect(first, { after: 15 });
    await settled();
    connect(second);
    await settled();
    live.committed(['one']);
    await settled();
    expect(isAhead).toBe(true);
    expect(first.ids).toEqual([18, 21, 24]);
    expect(second.ids).toEqual(matches.map(({ position }) => position));
  });

  it('hear nothing that was deleted while it was read for them', async () => {
    const { log, add, matches } = matchLog();
    for (let count = 0; count < 5; count++) add(count === 2 ? 'rule_2' : 'rule_1');
    let isDeleted = false;
    const racing: MatchLog = {
      ...log,
      async matchesAfter(query) {
        const page = await log.matchesAfter(query);
        if (query.after === 0 && !isDeleted) {
          isDeleted = true;
          matches.splice(2, 1);
          live.forget('one');
        }
        return page;
      },
    };
    const { live, connect } = stand(racing);
    const connection = new Connection();
    connect(connection);
    await settled();
    expect(isDeleted).toBe(true);
    expect(connection.ids).toEqual([3, 6, 12, 15]);
  });

  it('hear nothing that was deleted while they were given what came before it', async () => {
    // Each match fills a chunk of its own.
    const { log, add, matches } = matchLog(40_000);
    const { live, connect } = stand(log);
    const connection = new Connection();
    connect(connection);
    await settled();
    for (let count = 0; count < 3; count++) add();
    const write = connection.write.bind(connection);
    let isDeleted = false;
    connection.write = (bytes) => {
      const takesMore = write(bytes);
      if (!isDeleted) {
        isDeleted = true;
        matches.splice(1, 1);
        live.forget('one');
      }
      return takesMore;
    };
    live.committed(['one']);
    await settled();
    expect(isDeleted).toBe(true);
    expect(connection.ids).toEqual([3, 9]);
  });

  it('are read for in pages that end by bytes as well as by count', async () => {
    const { log, add, pages, matches } = matchLog(1_000_000);
    for (let count = 0; count < 12; count++) add();
    const { live, connect } = stand(log);
    const [catchingUp, inStep] = [new Connection(), new Connection()];
    connect(inStep, { after: 36 });
    connect(catchingUp);
    await settled();
    for (let count = 0; count < 12; count++) add();
    live.committed(['one']);
    await settled();
    expect(catchingUp.ids).toEqual(matches.map(({ position }) => position));
    expect(inStep.ids).toEqual(catchingUp.ids.slice(12));
    expect(Math.max(...pages.map((page) => page.matches))).toBe(2);
  });

  it('catch up in turn with those of other accounts, however many an account has', async () => {
    const { log, add } = matchLog();
    for (let count = 0; count < 20; count++) add();
    const read: string[] = [];
    const noted: MatchLog = {
      ...log,
      async matchesAfter(query) {
        if (query.limit < 100) read.push(query.accountId);
        return log.matchesAfter(query);
      },
    };
    const { live, connect } = stand(noted);
    // Each wants matches of a rule of its own, of which there are none: nothing that one reads serves another.
    for (let number = 0; number < 50; number++) connect(new Connection(), { ruleId: `rule_${number + 10}` });
    const other = new Connection();
    connect(other, { accountId: 'two' });
    await settled();
    expect(other.ids).toHaveLength(20);
    expect(read.indexOf('two')).toBeLessThan(5);
    live.close();
  });

  it('hear of a single match of over a megabyte as of any other', async () => {
    const { log, add } = matchLog(1_500_000);
    const warnings: object[] = [];
    const { live, connect } = stand(log, warnings);
    const connection = new Connection();
    connect(connection);
    await settled();
    add();
    live.committed(['one']);
    await settled();
    expect(connection.ids).toEqual([3]);
    expect(warnings).toEqual([]);
  });

  it('are ended at once when the server has stopped, and leave nothing to look after', async () => {
    const { log } = matchLog();
    let asked = 0;
    const counting: MatchLog = {
      ...log,
      latest() {
        asked++;
        return log.latest();
      },
    };
    const { live, connect, clock } = stand(counting);
    live.close();
    const connection = new Connection();
    connect(connection);
    expect(connection.text).toContain('"reason":"stopping"');
    live.committed(undefined);
    await clock.pass(60_000);
    expect([asked, live.count('one'), live.figures.subscribers, clock.sleepers]).toEqual([0, 0, 0, 0]);
  });

  it('are told that the server stops, all of them, with how to go on', async () => {
    const { log } = matchLog();
    const { live, connect } = stand(log);
    const connections = [new Connection(), new Connection()];
    for (const connection of connections) connect(connection);
    await settled();
    live.close();
    for (const { ended, text } of connections)
      expect([ended, text.includes('"reason":"stopping"')]).toEqual([true, true]);
    expect(live.figures.subscribers).toBe(0);
  });

  it('end when their rule is deleted, and only those of that rule', async () => {
    const { log } = matchLog();
    const { live, connect } = stand(log);
    const [one, all] = [new Connection(), new Connection()];
    connect(one, { ruleId: 'rule_1' });
    connect(all);
    live.endRule('rule_1');
    expect([one.ended, all.ended, one.text.includes('"reason":"rule_deleted"')]).toEqual([true, false, true]);
  });

  it('read a past in which they want nothing once, and then wait', async () => {
    const { log, add, pages } = matchLog();
    for (let count = 0; count < 500; count++) add('rule_1');
    const { live, connect } = stand(log);
    const connection = new Connection();
    connect(connection, { ruleId: 'rule_2' });
    await settled();
    await settled();
    expect(pages.length).toBeLessThan(6);
    add('rule_2');
    live.committed(['one']);
    await settled();
    expect(connection.ids).toEqual([1503]);
  });

  it('that catch up together have the store read once for all of them', async () => {
    const { log, add, pages, matches } = matchLog();
    for (let count = 0; count < 320; count++) add();
    const { connect } = stand(log);
    const connections = Array.from({ length: 20 }, () => new Connection());
    for (const connection of connections) connect(connection);
    for (let round = 0; round < 40; round++) await settled();
    for (const { ids } of connections) expect(ids).toEqual(matches.map(({ position }) => position));
    const read = pages.filter((page) => page.matches > 0);
    expect(read.length).toBe(320 / 32);
  });

  it('that left are counted no more, and cost nothing more', async () => {
    const { log } = matchLog();
    const { live, connect } = stand(log);
    const leave = connect(new Connection());
    connect(new Connection());
    expect([live.count('one'), live.count('other')]).toEqual([2, 0]);
    leave();
    expect([live.count('one'), live.figures.subscribers]).toEqual([1, 1]);
  });

  it('try again within a moment when the store failed, and have lost nothing', async () => {
    const { log, add } = matchLog();
    for (let count = 0; count < 3; count++) add();
    let failures = 3;
    const failing: MatchLog = {
      ...log,
      async matchesAfter(query) {
        if (failures-- > 0) throw new Error('The database is away.');
        return log.matchesAfter(query);
      },
    };
    const warnings: object[] = [];
    const { connect, clock } = stand(failing, warnings);
    const connection = new Connection();
    connect(connection);
    await clock.pass(2_000);
    expect(connection.ids).toEqual([3, 6, 9]);
    expect(warnings).toHaveLength(3);
  });

  it('begin with their place, so that a cut before the first match loses nothing', async () => {
    const { log, add } = matchLog();
    add();
    const { connect } = stand(log);
    const connection = new Connection();
    connect(connection, { after: 3 });
    expect(connection.text).toBe('retry: 3000\nid: 3\n\n');
    await settled();
    expect(connection.ids).toEqual([]);
  });

  it('get a sign of life every fifteen seconds, which moves their cursor on', async () => {
    const { log, add } = matchLog();
    const { live, connect, clock } = stand(log);
    const connection = new Connection();
    const leave = connect(connection, { ruleId: 'rule_2' });
    await clock.pass(14_000);
    add('rule_1');
    live.committed(['one']);
    await settled();
    expect(connection.text).not.toContain('heartbeat');
    await clock.pass(1_500);
    expect(connection.text.match(/: heartbeat/g)).toHaveLength(1);
    expect(connection.lastId).toBe(3);
    await clock.pass(30_000);
    expect(connection.text.match(/: heartbeat/g)).toHaveLength(3);
    leave();
    await clock.pass(1_000);
    expect(clock.sleepers).toBe(0);
  });

  it('get it with their coverage in one, and with an id, however long coverage takes to be read', async () => {
    const { log } = matchLog();
    const stage: Stand = stand(log, [], async () => {
      await stage.clock.sleep(700);
      return '{}';
    });
    const connection = new Connection();
    const leave = stage.connect(connection);
    await stage.clock.pass(55_000);
    expect(connection.text.match(/: heartbeat\nid: 0\nevent: coverage\ndata: \{\}/g)).toHaveLength(3);
    expect(connection.text.match(/event: coverage/g)).toHaveLength(4);
    leave();
    await stage.clock.pass(1_000);
  });

  it('are told every fifteen seconds how far they can rely on a stream on which there is always something', async () => {
    const { log, add } = matchLog();
    let asked = 0;
    const { live, connect, clock } = stand(log, [], async () => JSON.stringify({ asked: ++asked }));
    const connection = new Connection();
    const leave = connect(connection);
    await settled();
    for (let second = 1; second <= 45; second++) {
      add();
      live.committed(['one']);
      await clock.pass(1_000);
    }
    expect(connection.ids).toHaveLength(45);
    expect(connection.text).not.toContain('heartbeat');
    // Without an id: it comes between matches, and moves no cursor.
    const told = connection.text.split('\n\n').filter((frame) => frame.includes('event: coverage'));
    expect(told).toEqual([1, 2, 3, 4].map((time) => `event: coverage\ndata: {"asked":${time}}`));
    expect(asked).toBe(4);
    leave();
    await clock.pass(1_000);
  });

  it('are cut off with a reason when they do not read, and go on later', async () => {
    const { log, add, matches } = matchLog(5_000);
    const { live, connect, clock } = stand(log);
    const [stalled, healthy] = [new Connection(10_000), new Connection()];
    connect(stalled);
    connect(healthy);
    for (let count = 0; count < 40; count++) add();
    live.committed(['one']);
    await settled();
    expect(healthy.ids).toHaveLength(40);
    await clock.pass(24_000);
    expect(stalled.ended).toBe(false);
    await clock.pass(2_000);
    expect([stalled.ended, live.figures]).toMatchObject([true, { subscribers: 1, evicted: 1 }]);
    await clock.pass(5_000);
    expect(stalled.destroyed).toBe(true);
    stalled.read();
    expect(stalled.text).toContain('event: end\ndata: {"reason":"too_slow"');
    const resumed = new Connection();
    connect(resumed, { after: stalled.lastId });
    await settled();
    expect([...stalled.ids, ...resumed.ids]).toEqual(matches.map(({ position }) => position));
  });

  it('are cut off as well when they read ten bytes a second', async () => {
    const { log, add } = matchLog(5_000);
    const { live, connect, clock } = stand(log);
    const [slow, healthy] = [new Connection(10_000), new Connection()];
    connect(slow);
    connect(healthy);
    for (let count = 0; count < 40; count++) add();
    live.committed(['one']);
    await settled();
    for (let second = 0; second < 31 && !slow.ended; second++) {
      slow.sip(10);
      await clock.pass(1_000);
    }
    expect([slow.ended, live.figures]).toMatchObject([true, { subscribers: 1, evicted: 1 }]);
    expect(healthy.ids).toHaveLength(40);
  });

  it('end when their key is revoked, here at once and elsewhere within a moment', async () => {
    const { log } = matchLog();
    const { live, connect, clock, keys } = stand(log);
    const [here, elsewhere, other] = [new Connection(), new Connection(), new Connection()];
    connect(here);
    connect(elsewhere, { keyId: 'key_2' });
    connect(other, { keyId: 'key_1' });
    live.endKey('key_1');
    expect([here.ended, other.ended, elsewhere.ended]).toEqual([true, true, false]);
    // They were not too slow.
    expect(live.figures).toMatchObject({ subscribers: 1, evicted: 0 });
    keys.delete('key_2');
    await clock.pass(600);
    expect(elsewhere.text).toContain('"reason":"key_revoked"');
  });

  it('end with the session that they were opened in, here at once and elsewhere within a moment', async () => {
    const { log } = matchLog();
    const { live, connect, clock, sessions } = stand(log);
    const [here, elsewhere, other] = [new Connection(), new Connection(), new Connection()];
    connect(here, { session: 'session_1' });
    connect(elsewhere, { session: 'session_2' });
    connect(other);
    live.endSession('session_1');
    expect([here.ended, elsewhere.ended, other.ended]).toEqual([true, false, false]);
    sessions.delete('session_2');
    await clock.pass(600);
    expect(elsewhere.text).toContain('"reason":"session_ended"');
    expect(other.ended).toBe(false);
  });

  it('hear of gaps, of the platforms they want', async () => {
    const { log } = matchLog();
    const { live, connect } = stand(log);
    const [all, pages] = [new Connection(), new Connection()];
    connect(all);
    connect(pages, { platform: 'firehose' });
    await settled();
    live.announce({ platform: 'x', from: new Date(0), to: new Date(1_000), cause: 'outage', recovered: false });
    await settled();
    const data =
      '{"platform":"x","from":"1970-01-01T00:00:00.000Z","to":"1970-01-01T00:00:01.000Z","cause":"outage","recovered":false}';
    expect(all.text).toContain(`event: gap\nid: 0\ndata: ${data}\n\n`);
    expect(pages.text).not.toContain('gap');
  });

  it('hear of alerts of their account, but for those of another rule or platform', async () => {
    const { log } = matchLog();
    const { live, connect } = stand(log);
    const [all, own, other] = [new Connection(), new Connection(), new Connection()];
    connect(all);
    connect(own, { ruleId: 'rule_1' });
    connect(other, { ruleId: 'rule_2' });
    await settled();
    const alert = { id: 'alert_1', ruleId: 'rule_1', ruleName: 'r', platform: 'x', kind: 'surge' } as const;
    const rates = { from: new Date(0), to: undefined, rate: 120.004, usualRate: 1 / 3 };
    live.alert({ ...alert, ...rates, accountId: 'one' });
    live.alert({ ...alert, ...rates, id: 'alert_2', accountId: 'two' });
    await settled();
    const data =
      '{"id":"alert_1","rule_id":"rule_1","platform":"x","kind":"surge","from":"1970-01-01T00:00:00.000Z","to":null,"rate":120,"usual_rate":0.33}';
    for (const one of [all, own]) expect(one.text).toContain(`event: alert\nid: 0\ndata: ${data}\n\n`);
    expect(other.text).not.toContain('alert');
    expect(all.text).not.toContain('alert_2');
  });

  it('hear of matches that another process stored', async () => {
    const { log, add } = matchLog();
    const { connect, clock } = stand(log);
    const connection = new Connection();
    connect(connection);
    await settled();
    add();
    await clock.pass(600);
    expect(connection.ids).toEqual([3]);
  });
});
