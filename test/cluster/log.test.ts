/** Pushes that are answered when the log has them, on real processes, while PostgreSQL stands still and matchers are killed. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, callServer, KEY, startServer } from '../black-box/server.ts';
import { describeWithNatsCluster, type NatsCluster, startNatsCluster } from '../stages/nats-cluster.ts';
import { type Cluster, startCluster, whenReady } from './cluster.ts';

const PATIENCE = { timeout: 120_000, interval: 200 };

describeWithNatsCluster('pushes that wait for the log alone', () => {
  let nats: NatsCluster;
  let cluster: Cluster;
  beforeAll(async () => {
    nats = await startNatsCluster();
    const settings = {
      SLUICE_NATS_URL: nats.url,
      SLUICE_LOG_MIB: '8',
      SLUICE_NATS_MONITOR: nats.monitors.join(','),
    };
    cluster = await startCluster({ nodes: { api: 1, matcher: 2 }, nats: false, settings });
    await cluster.ready();
  }, 240_000);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await nats?.[Symbol.asyncDispose]();
  });

  const push = (lines: string, query = '&ack=log', key = KEY): Promise<Answer> =>
    callServer(cluster.apis[0]!.url, 'POST', `/events?platform=x${query}`, undefined, {
      key,
      raw: lines,
      headers: { 'content-type': 'application/x-ndjson' },
    });
  const lineOf = (id: number) => JSON.stringify({ data: { id: String(id), text: 'a storm' } });
  const probe = async (path: string) => (await callServer(cluster.apis[0]!.url, 'GET', path)).status;

  async function storedIds(): Promise<number[]> {
    const { body } = await cluster.call('POST', '/matches', { limit: 1_000 });
    const matches = body['matches'] as { platform_post_id: string }[];
    return matches.map(({ platform_post_id }) => Number(platform_post_id));
  }

  it('are all answered while the store stands still, and stored once and in order when it goes on', async () => {
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    expect((await cluster.call('POST', '/api.CreateRule', rule)).status).toBe(200);
    await expect.poll(() => probe('/readyz?ack=log'), PATIENCE).toBe(200);
    expect((await push(lineOf(0), '')).body).toEqual({ accepted: 1, matches: 1, rejected: [] });
    const logged = async () => {
      const { text } = await callServer(cluster.of('matcher')[0]!.url, 'GET', '/metrics');
      return Number(/^sluice_log_packs (\d+)$/m.exec(text)?.[1]);
    };
    expect(await logged()).toBe(0);
    cluster.postgres.freeze();
    const ids = Array.from({ length: 60 }, (_, index) => index + 1);
    try {
      await expect.poll(() => probe('/readyz'), PATIENCE).toBe(503);
      for (const id of ids) expect((await push(lineOf(id))).body).toEqual({ accepted: 1, rejected: [], logged: true });
      // One line of these is no event; which one is found later.
      expect((await push(`${lineOf(61)}\nno event\n\n`)).body).toEqual({ accepted: 2, rejected: [], logged: true });
      expect(await probe('/readyz?ack=log')).toBe(200);
      // The figures say how many wait, although the store knows no key now.
      await expect.poll(logged, PATIENCE).toBe(61);
      expect((await push(lineOf(62), '&ack=log', 'a-key-that-nobody-knows')).status).not.toBe(200);
    } finally {
      cluster.postgres.thaw();
    }
    const [killed] = cluster.of('matcher');
    await killed!.kill();
    await expect.poll(async () => (await storedIds()).length, PATIENCE).toBe(62);
    // The newest first.
    expect(await storedIds()).toEqual([...ids, 61].toReversed().concat(0));
    await killed!.start();
    await whenReady(killed!);
    const { body } = await cluster.call('POST', '/matches', { limit: 1_000 });
    expect((body['coverage'] as { gaps: object[] }).gaps).toMatchObject([{ cause: 'source_unread:push' }]);
  }, 400_000);

  it('are stored but for one that the store refuses, which is put aside and told', async () => {
    const database = new pg.Client({ connectionString: cluster.storeUrl });
    await database.connect();
    await database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.payload LIKE '%poison%' THEN RAISE 'no poison here'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse()`);
    try {
      const poison = JSON.stringify({ data: { id: '205', text: 'a storm of poison' } });
      const lines = Array.from({ length: 10 }, (_, at) => (at === 5 ? poison : lineOf(200 + at)));
      for (const pushed of [lines.slice(0, 8).join('\n'), ...lines.slice(8)])
        expect((await push(pushed)).body).toMatchObject({ logged: true });
      const good = [200, 201, 202, 203, 204, 206, 207, 208, 209];
      const found = async () => (await storedIds()).filter((id) => id >= 200).toReversed();
      await expect.poll(found, PATIENCE).toEqual(good);
      const logOf = async () => (await cluster.call('GET', '/api.Status')).body['instance'] as { log: object };
      await expect.poll(async () => (await logOf()).log, PATIENCE).toMatchObject({ packs: 0, aside: 1 });
      const { text } = await callServer(cluster.of('matcher')[0]!.url, 'GET', '/metrics');
      expect(text).toMatch(/^sluice_log_aside 1$/m);
      // A push that comes after it is stored, without it and with a push that waits for its answer.
      expect((await push(lineOf(210))).body).toMatchObject({ logged: true });
      await expect.poll(found, PATIENCE).toEqual([...good, 210]);
    } finally {
      await database.query('DROP TRIGGER refuse ON events');
      await database.end();
    }
  }, 200_000);

  it('are refused while a server that confirms before it writes may have a copy', async () => {
    // A node whose operator forgot one address.
    const settings = { ...cluster.settings, SLUICE_NATS_MONITOR: nats.monitors.slice(1).join(',') };
    await using node = await startServer({ ...settings, SLUICE_ROLES: 'api' });
    const answer = await node.call('POST', '/events?platform=x&ack=log', undefined, {
      raw: lineOf(100),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: expect.stringContaining('SLUICE_NATS_MONITOR') },
    });
    expect((await node.call('GET', '/readyz?ack=log')).status).toBe(400);
  }, 120_000);
});
