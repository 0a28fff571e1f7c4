import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithNats, startNats } from '../../test/stages/nats.ts';
import { describeWithNatsCluster, type NatsCluster, startNatsCluster } from '../../test/stages/nats-cluster.ts';
import { type Broker, type BrokerError, type EventLog, LOG_SHARDS, type LoggedPack, type Pack } from './broker.ts';
import { LOG_STREAM } from './log-stream.ts';
import { openNats } from './nats.ts';

const BYTES = 1024 * 1024;

const pack = (text: string, accountId = 'acct_1'): Pack => ({ platform: 'x', accountId, lines: Buffer.from(text) });
const textOf = ({ lines }: Pack): string => Buffer.from(lines).toString();

type Kept = Broker & { readonly log: EventLog };

async function openLog(url: string, monitors: readonly string[], bytes = BYTES): Promise<Kept> {
  const broker = await openNats({ url, name: 'test', log: { bytes, monitors } });
  const { log } = broker;
  if (log === undefined) throw new Error('It keeps no log.');
  return Object.assign(broker, { log });
}

/** Reads the packs that all shards hand over, until there are so many. */
async function readAll({ log }: Kept, count: number, store: (packs: readonly LoggedPack[]) => void = () => {}) {
  const seen: LoggedPack[] = [];
  const ending = new AbortController();
  const take = async (packs: readonly LoggedPack[]) => {
    store(packs);
    seen.push(...packs);
    if (seen.length >= count) ending.abort();
  };
  await Promise.all(Array.from({ length: LOG_SHARDS }, (_, shard) => log.read(shard, take, ending.signal)));
  return seen;
}

describeWithNats('a log that is not seen to be durable', () => {
  it('takes nothing on one server, and says what is missing', async () => {
    await using server = await startNats();
    await using broker = await openLog(server.url, []);
    await expect(broker.log.append(pack('{}'))).rejects.toMatchObject({
      reason: 'not-durable',
      message: expect.stringContaining('docs/scale-out.md'),
    });
  });
});

describeWithNatsCluster('the log of events', () => {
  let cluster: NatsCluster;
  beforeAll(async () => {
    cluster = await startNatsCluster();
  }, 120_000);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  /** A cluster that begins has no leader for a while. */
  const open = async (bytes = BYTES): Promise<Kept> => {
    const broker = await openLog(cluster.url, cluster.monitors, bytes);
    await expect.poll(() => broker.log.problem(), { timeout: 60_000, interval: 500 }).toBeUndefined();
    return broker;
  };

  it('is durable where every server that has a copy is seen to write before it confirms', async () => {
    await using seen = await open();
    expect(await seen.log.problem()).toBeUndefined();
    await using partly = await openLog(cluster.url, cluster.monitors.slice(1));
    expect(await partly.log.problem()).toMatch(/server nats-0 .* cannot be seen: add its monitoring address/);
    await expect(partly.log.append(pack('{}'))).rejects.toMatchObject({ reason: 'not-durable' });
  });

  it('hands packs of an account over in their order, again until they are stored, and then never', async () => {
    await using broker = await open();
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    for (const text of texts) await broker.log.append(pack(text));
    await broker.log.append({ ...pack('for all'), accountId: undefined });
    let refusals = 2;
    const seen = await readAll(broker, 101, () => {
      if (refusals-- > 0) throw new Error('the store is away');
    });
    expect(seen.filter(({ accountId }) => accountId === 'acct_1').map(textOf)).toEqual(texts);
    await expect.poll(() => broker.log.backlog()).toMatchObject({ packs: 0, since: undefined, room: BYTES });
  });

  it('hands over packs of so many bytes at a time, however small their messages are', async () => {
    await using broker = await open();
    const large = Buffer.alloc(3 * 1024 * 1024, 'a');
    for (let count = 0; count < 6; count++) await broker.log.append({ ...pack(''), lines: large });
    const handed: number[] = [];
    const seen = await readAll(broker, 6, (packs) => handed.push(packs.length));
    expect([seen.length, Math.max(...handed)]).toEqual([6, 2]);
    await expect.poll(() => broker.log.backlog()).toMatchObject({ packs: 0 });
  });

  it('drops nothing of a log that was made anew while it stored packs of the one before', async () => {
    await using broker = await open();
    for (const text of ['one', 'two', 'three']) await broker.log.append(pack(text));
    const connection = await connect({ servers: cluster.url });
    const seen: string[] = [];
    const ending = new AbortController();
    const makeAnew = async () => {
      await (await jetstreamManager(connection)).streams.delete(LOG_STREAM);
      await expect.poll(() => append(broker, 'after it'), { timeout: 60_000 }).toBe('logged');
    };
    const store = async (packs: readonly LoggedPack[]) => {
      if (seen.length === 0) await makeAnew();
      seen.push(...packs.map(textOf));
      if (seen.includes('after it')) ending.abort();
    };
    const reading = Array.from({ length: LOG_SHARDS }, (_, shard) => broker.log.read(shard, store, ending.signal));
    await expect.poll(() => seen, { timeout: 20_000 }).toContain('after it');
    await Promise.all(reading);
    await connection.close();
  }, 120_000);

  it('loses nothing when all servers are killed, nor when one of them is wiped', async () => {
    await using broker = await open();
    const texts = Array.from({ length: 20 }, (_, index) => `before ${index}`);
    for (const text of texts) await broker.log.append(pack(text));
    await Promise.all(cluster.servers.map((server) => server.kill()));
    await Promise.all(cluster.servers.map((server) => server.restart()));
    await expect.poll(() => append(broker, 'between'), { timeout: 60_000 }).toBe('logged');
    await cluster.servers[0]!.kill();
    // Two of three are enough, and what the third said last stands.
    await expect.poll(() => append(broker, 'without one'), { timeout: 60_000 }).toBe('logged');
    await cluster.servers[0]!.restart({ wipe: true });
    const seen = await readAll(broker, texts.length + 2);
    expect([...new Set(seen.map(textOf))]).toEqual([...texts, 'between', 'without one']);
  }, 180_000);

  it('is read on by who waited for it while the servers were killed', async () => {
    await using broker = await open();
    await forgetRepeats(broker);
    const reading = readAll(broker, 1);
    await Promise.all(cluster.servers.map((server) => server.kill()));
    await Promise.all(cluster.servers.map((server) => server.restart()));
    await expect.poll(() => append(broker, 'after it'), { timeout: 60_000 }).toBe('logged');
    expect((await reading).map(textOf)).toEqual(['after it']);
  }, 180_000);

  /** An append that was not answered while servers were away may be in the log beside the one that came after it. */
  async function forgetRepeats(broker: Kept): Promise<void> {
    while ((await broker.log.backlog()).packs > 0) await readAll(broker, 1);
  }

  const append = async ({ log }: Kept, text: string) =>
    log.append(pack(text)).then(
      () => 'logged',
      (error: Error) => error.message,
    );

  it('refuses what has no room, keeps what it has, and takes more once that is stored', async () => {
    await using broker = await open();
    const large = Buffer.alloc(400_000, 'a');
    const give = () => broker.log.append({ platform: 'x', accountId: 'acct_1', lines: large });
    await forgetRepeats(broker);
    await give();
    await give();
    await expect(give()).rejects.toMatchObject({ reason: 'full' });
    expect(await readAll(broker, 2)).toHaveLength(2);
    await expect.poll(() => give().then(() => 'logged')).toBe('logged');
    await readAll(broker, 1);
  });

  it('keeps what was put aside, once, and out of the way of its readers', async () => {
    await using broker = await open();
    for (const text of ['refused', 'refused', 'refused, too'])
      await broker.log.setAside(pack(text), 'The store refuses it: no\nsuch value ü');
    await expect.poll(() => broker.log.backlog()).toMatchObject({ packs: 0, aside: 2 });
    await broker.log.append(pack('after it'));
    expect((await readAll(broker, 1)).map(textOf)).toEqual(['after it']);
    expect(await broker.log.backlog()).toMatchObject({ aside: 2 });
  });

  it('does no harm when two read a shard at once: both go along the same packs', async () => {
    await using broker = await open();
    const texts = Array.from({ length: 60 }, (_, index) => `${index}`);
    for (const text of texts) await broker.log.append(pack(text));
    const stored: string[] = [];
    const store = (packs: readonly LoggedPack[]) => {
      for (const text of packs.map(textOf)) if (!stored.includes(text)) stored.push(text);
    };
    const ending = new AbortController();
    const others = Array.from({ length: 2 * LOG_SHARDS }, (_, at) =>
      broker.log.read(at % LOG_SHARDS, async (packs) => store(packs), ending.signal),
    );
    await expect.poll(() => broker.log.backlog().then(({ packs }) => packs)).toBe(0);
    ending.abort();
    await Promise.all(others);
    expect(stored).toEqual(texts);
  });
});

describeWithNatsCluster('a log on servers that confirm before they write', () => {
  it('takes nothing, and says what to set', async () => {
    await using cluster = await startNatsCluster({ storage: '' });
    await using broker = await openLog(cluster.url, cluster.monitors);
    await expect
      .poll(() => broker.log.problem(), { timeout: 60_000, interval: 500 })
      .toMatch(/confirms before it writes: set `sync_interval: always`/);
    await expect(broker.log.append(pack('{}'))).rejects.toMatchObject({ reason: 'not-durable' });
  }, 120_000);
});

describeWithNatsCluster('a cluster without a leader', () => {
  it('is away until its servers see each other', async () => {
    await using cluster = await startNatsCluster();
    const [first, ...others] = cluster.servers;
    for (const server of cluster.servers) await server.kill();
    await first!.restart();
    const open = () => openNats({ url: first!.url, name: 'test', patience: 0 });
    await expect(open()).rejects.toMatchObject({
      reason: 'away',
      message: expect.stringMatching(/^The broker is not ready: /),
    });
    for (const server of others) await server.restart();
    const opened = () =>
      open().then(
        (broker) => broker[Symbol.asyncDispose](),
        (error: BrokerError) => error.reason,
      );
    await expect.poll(opened, { timeout: 60_000, interval: 500 }).toBeUndefined();
  }, 120_000);
});
