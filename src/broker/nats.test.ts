import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../test/stages/free-port.ts';
import { describeWithNats, startNats, type TestNats } from '../../test/stages/nats.ts';
import { openWire } from '../../test/stages/wire.ts';
import { systemClock } from '../base/clock.ts';
import { type Broker, BrokerError, type Pack, type PackAnswer } from './broker.ts';
import { addressOf, openNats } from './nats.ts';
import { CONSUMER, STREAM, SUBJECT } from './pack-stream.ts';

const pack = (text: string, accountId?: string): Pack => ({ platform: 'x', accountId, lines: Buffer.from(text) });
const textOf = ({ lines }: Pack): string => Buffer.from(lines).toString();
const answerOf = (accepted: number): PackAnswer => ({ accepted, matches: 0, rejected: [], moreRejected: 0 });

/** A matcher that runs until it is disposed of. */
function serving(broker: Broker, match: (pack: Pack) => Promise<PackAnswer>): AsyncDisposable {
  const stopping = new AbortController();
  const done = broker.serve(match, stopping.signal);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
    },
  };
}

describe('the address of a broker', () => {
  it.each([
    ['nats://one:4222', { servers: ['one:4222'] }],
    ['nats://one:4222, nats://two:4222', { servers: ['one:4222', 'two:4222'] }],
    ['nats://me:a%40b@one:4222', { servers: ['one:4222'], user: 'me', pass: 'a@b' }],
    ['nats://secret@one:4222', { servers: ['one:4222'], token: 'secret' }],
    ['tls://one:4222', { servers: ['one:4222'], tls: {} }],
  ])('%s', (url, options) => {
    expect(addressOf(url)).toEqual(options);
  });
});

describeWithNats('the broker', () => {
  let server: TestNats;
  const open = (name = 'test') => openNats({ url: server.url, name });

  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function left(): Promise<number> {
    const connection = await connect({ servers: server.url });
    const { state } = await (await jetstreamManager(connection)).streams.info(STREAM);
    await connection.close();
    return state.messages;
  }

  it('carries the trace of a pack in the headers of its message, and none where there is none', async () => {
    await using broker = await open();
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };
    const seen: Pack['trace'][] = [];
    await using _ = serving(broker, async (given) => {
      seen.push(given.trace);
      return answerOf(1);
    });
    await broker.ask({ ...pack('{}'), trace });
    await broker.ask(pack('{}'));
    await broker.ask({ ...pack('{}'), trace: { traceparent: 'no context' } });
    expect(seen).toEqual([trace, undefined, undefined]);
  });

  it('says a notice to every process, until it hears no more', async () => {
    await using one = await open('one');
    await using other = await open('other');
    let heard = Promise.withResolvers<string>();
    const next = async (say: () => void) => {
      heard = Promise.withResolvers<string>();
      say();
      return heard.promise;
    };
    const deaf = other.hear((notice) => heard.resolve(notice));
    // A process hears itself: by then the server knows that it listens.
    expect(await next(() => other.tell('acct_1 1-2'))).toBe('acct_1 1-2');
    expect(await next(() => one.tell('acct_2 2-3'))).toBe('acct_2 2-3');
    deaf();
    const last = other.hear((notice) => heard.resolve(`again ${notice}`));
    expect(await next(() => other.tell('acct_3'))).toBe('again acct_3');
    last();
  });

  it('brings a pack to a matcher and its answer back, and keeps nothing', async () => {
    await using broker = await open();
    const seen: Pack[] = [];
    {
      await using _ = serving(broker, async (given) => {
        seen.push(given);
        return {
          accepted: 1,
          matches: 2,
          rejected: [{ line: 2, problem: 'it is no good' }],
          moreRejected: 0,
        };
      });
      expect(await broker.ask(pack('{"a":1}\n{"é"}', 'acct_1'))).toEqual({
        accepted: 1,
        matches: 2,
        rejected: [{ line: 2, problem: 'it is no good' }],
        moreRejected: 0,
      });
    }
    expect(seen.map(textOf)).toEqual(['{"a":1}\n{"é"}']);
    expect(seen[0]).toMatchObject({ platform: 'x', accountId: 'acct_1' });
    expect(await left()).toBe(0);
  });

  it('gives each pack to one of the matchers', async () => {
    await using one = await open('one');
    await using two = await open('two');
    await using sender = await open('sender');
    const seen: string[][] = [[], []];
    // Each holds its packs until the other has one too, and there are more than one may hold: one of them alone would never answer.
    const both = Promise.withResolvers<void>();
    const matcher = (own: number) => async (given: Pack) => {
      seen[own]!.push(textOf(given));
      if (seen.every((packs) => packs.length > 0)) both.resolve();
      await both.promise;
      return answerOf(1);
    };
    await using matchers = new AsyncDisposableStack();
    matchers.use(serving(one, matcher(0)));
    matchers.use(serving(two, matcher(1)));
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => sender.ask(pack(text))));
    expect(seen.flat().toSorted()).toEqual(texts.toSorted());
  });

  describe('with two matchers', () => {
    /** Sends packs one after another until one is answered by this matcher; answers how many the other one had until then. */
    async function untilAnsweredBy(sender: Broker, matcher: number): Promise<number> {
      for (let others = 0; ; others++) if ((await sender.ask(pack('{}'))).accepted === matcher) return others;
    }

    /** The second comes when the first has taken a pack: it is the younger one. */
    async function matchers(stack: AsyncDisposableStack, first: (given: Pack) => Promise<PackAnswer>) {
      const sender = stack.use(await open('sender'));
      const leaving = new AbortController();
      // This process is also the one that sends, which keeps it at work.
      const older = stack.use(await openNats({ url: server.url, name: 'older', workShare: () => 0 }));
      const done = older.serve(first, leaving.signal);
      expect(await untilAnsweredBy(sender, 1)).toBe(0);
      stack.use(serving(stack.use(await open('younger')), async () => answerOf(2)));
      return {
        sender,
        async leave() {
          leaving.abort();
          await done;
        },
      };
    }

    it('small packs gather at the one that was there first, until it leaves', async () => {
      await using stack = new AsyncDisposableStack();
      const { sender, leave } = await matchers(stack, async () => answerOf(1));
      let gathered = 0;
      while (gathered < 200) gathered = (await sender.ask(pack('{}'))).accepted === 1 ? gathered + 1 : 0;
      await leave();
      expect(await untilAnsweredBy(sender, 2)).toBe(0);
    }, 60_000);

    it('the younger one takes packs as soon as the older one stops, whatever that one still has to do', async () => {
      await using sender = await open('sender');
      // No time passes for it: it never finds that it is late.
      const clock = { ...systemClock, elapsed: () => 0 };
      await using older = await openNats({ url: server.url, name: 'older', clock, workShare: () => 0 });
      const [held, isDone, leaving] = [
        Promise.withResolvers<void>(),
        Promise.withResolvers<void>(),
        new AbortController(),
      ];
      const done = older.serve(async () => {
        held.resolve();
        await isDone.promise;
        return answerOf(1);
      }, leaving.signal);
      const first = sender.ask(pack('{}'));
      await held.promise;
      await using younger = await open('younger');
      await using _ = serving(younger, async () => answerOf(2));
      leaving.abort();
      expect(await sender.ask(pack('{}'))).toEqual(answerOf(2));
      isDone.resolve();
      expect(await first).toEqual(answerOf(1));
      await done;
    });

    it.each([{ holds: true }, { holds: false }])(
      'the younger one takes packs as well while the older one has much to do, or cannot store: %o',
      async ({ holds }) => {
        await using stack = new AsyncDisposableStack();
        const isBetter = Promise.withResolvers<void>();
        let isWell = false;
        const { sender, leave } = await matchers(stack, async ({ lines }) => {
          if (lines.length > 9 && holds) await isBetter.promise;
          else if (lines.length > 9 && !isWell) throw new Error('the store is away');
          return answerOf(1);
        });
        let gathered = 0;
        while (gathered < 50) gathered = (await sender.ask(pack('{}'))).accepted === 1 ? gathered + 1 : 0;
        const large = sender.ask(pack('a'.repeat(300_000)));
        await untilAnsweredBy(sender, 2);
        isWell = true;
        isBetter.resolve();
        expect((await large).accepted).toBeGreaterThan(0);
        await leave();
      },
      60_000,
    );
  });

  it('gives a pack that could not be stored to a matcher that can store it', async () => {
    await using broker = await open();
    let tries = 0;
    await using _ = serving(broker, async () => {
      if (++tries < 3) throw new Error('the store is away');
      return answerOf(1);
    });
    expect(await broker.ask(pack('{}'))).toEqual(answerOf(1));
    expect(tries).toBe(3);
  });

  it('gives what a dead matcher held to another', async () => {
    await using dead = await open('dead');
    await using alive = await open('alive');
    await using sender = await open('sender');
    const held = Promise.withResolvers<void>();
    void dead.serve(() => new Promise<PackAnswer>(() => held.resolve()), new AbortController().signal);
    const asked = sender.ask(pack('{}'));
    await held.promise;
    await dead[Symbol.asyncDispose]();
    await using _ = serving(alive, async () => answerOf(7));
    expect(await asked).toEqual(answerOf(7));
  });

  it('gives what a frozen matcher held to another, and hears the first answer alone', async () => {
    // It says nothing while it is at work, as a process that was stopped.
    const clock = { ...systemClock, sleep: () => new Promise<void>(() => {}) };
    await using frozen = await openNats({ url: server.url, name: 'frozen', clock });
    await using alive = await open('alive');
    await using sender = await open('sender');
    const held = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<PackAnswer>();
    const stopping = new AbortController();
    const done = frozen.serve(() => {
      held.resolve();
      return thawed.promise;
    }, stopping.signal);
    const asked = sender.ask(pack('{}'));
    await held.promise;
    stopping.abort();
    await using _ = serving(alive, async () => answerOf(7));
    expect(await asked).toEqual(answerOf(7));
    thawed.resolve(answerOf(8));
    await done;
    expect(await sender.ask(pack('{}'))).toEqual(answerOf(7));
    expect(await left()).toBe(0);
  });

  it.each([{ wipe: false }, { wipe: true }])('goes on after the broker was killed: %o', async ({ wipe }) => {
    await using matcher = await open('matcher');
    await using sender = await open('sender');
    const isHeld = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    let seen = 0;
    await using _ = serving(matcher, async () => {
      if (++seen === 1) isHeld.resolve();
      await mayGoOn.promise;
      return answerOf(seen);
    });
    const asked = sender.ask(pack('{"first":1}'));
    await isHeld.promise;
    await server.kill();
    await server.restart({ wipe });
    mayGoOn.resolve();
    expect((await asked).accepted).toBeGreaterThan(0);
    expect((await sender.ask(pack('{"second":1}'))).accepted).toBeGreaterThan(1);
    expect(sender.trouble).toBeUndefined();
  });

  it('creates the stream again when it was removed', async () => {
    await using broker = await open();
    await using _ = serving(broker, async () => answerOf(1));
    await broker.ask(pack('{}'));
    const connection = await connect({ servers: server.url });
    await (await jetstreamManager(connection)).streams.delete(STREAM);
    await connection.close();
    expect(await broker.ask(pack('{}'))).toEqual(answerOf(1));
  });

  it('compresses what a message cannot hold, and refuses what does not fit even so', async () => {
    await using broker = await open();
    let length = 0;
    await using _ = serving(broker, async ({ lines }) => {
      length = lines.length;
      return answerOf(1);
    });
    await broker.ask(pack('a'.repeat(3_000_000)));
    expect(length).toBe(3_000_000);
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const lines = Buffer.concat(Array.from({ length: 30 }, () => crypto.getRandomValues(noise).slice()));
    await expect(broker.ask({ platform: 'x', accountId: undefined, lines })).rejects.toThrow(
      expect.objectContaining({ name: 'BrokerError', reason: 'too-large' }),
    );
  });

  it('gives a matcher as many packs at once as have so many bytes when they are opened', async () => {
    await using broker = await open();
    const gate = Promise.withResolvers<void>();
    let [begun, done] = [0, 0];
    await using _ = serving(broker, async () => {
      begun++;
      await gate.promise;
      return answerOf(++done);
    });
    const large = { ...pack(''), lines: Buffer.alloc(3 * 1024 * 1024, 'a') };
    const asked = Array.from({ length: 6 }, () => broker.ask(large));
    try {
      await expect.poll(() => begun).toBe(2);
      // Those of one pull came together: a further one would have begun by now.
      await open().then((other) => other[Symbol.asyncDispose]());
      expect(begun).toBe(2);
    } finally {
      gate.resolve();
    }
    await Promise.all(asked);
    expect(done).toBe(6);
  });

  it('passes over what is not a pack', async () => {
    await using broker = await open();
    const connection = await connect({ servers: server.url });
    await jetstream(connection).publish(SUBJECT, 'hello');
    await connection.close();
    await using _ = serving(broker, async () => answerOf(1));
    expect(await broker.ask(pack('{}'))).toEqual(answerOf(1));
  });

  it('sets the stream right that has other settings, and refuses one that it cannot', async () => {
    const connection = await connect({ servers: server.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.update(STREAM, { max_bytes: 1024 });
    await manager.consumers.update(STREAM, CONSUMER, { max_deliver: 3 });
    await (await open())[Symbol.asyncDispose]();
    expect((await manager.streams.info(STREAM)).config).toMatchObject({
      max_bytes: 256 * 1024 * 1024,
      retention: 'workqueue',
      storage: 'file',
      discard: 'new',
      duplicate_window: 120_000_000_000,
    });
    expect((await manager.consumers.info(STREAM, CONSUMER)).config).toMatchObject({ max_deliver: 20 });
    await manager.streams.delete(STREAM);
    await manager.streams.add({ name: STREAM, subjects: [SUBJECT], storage: 'memory' });
    await expect(open()).rejects.toThrow(/storage is "memory" and must be "file"/);
    await manager.streams.delete(STREAM);
    await connection.close();
  });

  it('finds out that the broker says nothing, refuses what waits for it, and goes on when it is back', async () => {
    await using wire = await openWire(Number(new URL(server.url).port));
    await using silenced = await openNats({ url: `nats://127.0.0.1:${wire.port}`, name: 'silenced' });
    expect(silenced.trouble).toBeUndefined();
    wire.silence();
    await expect(silenced.ask(pack('a'))).rejects.toThrow('The broker cannot be reached.');
    expect(silenced.trouble).toBe('the broker is not connected');
    wire.mend();
    await expect.poll(() => silenced.trouble).toBeUndefined();
  }, 60_000);

  it('says that a broker is not there', async () => {
    const url = `nats://127.0.0.1:${await freePort()}`;
    await expect(openNats({ url, name: 'test', patience: 0 })).rejects.toThrow(/^The broker cannot be reached: /);
  });

  it('refuses a broker without JetStream', async () => {
    await using plain = await startNats({ jetstream: false });
    await expect(openNats({ url: plain.url, name: 'test' })).rejects.toThrow(BrokerError);
  });
});
