/** Processes replaced one after the other, as an upgrade does it: nobody who pushes or reads notices. */
import { expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/index.ts';
import { callServer, KEY, pushTo } from '../black-box/server.ts';
import { BATCH, batchFrom, createRules, eventOf, rulesOf } from '../campaign/load.ts';
import { describeWithNats } from '../stages/nats.ts';
import { type ClusterNode, startCluster, whenReady } from './cluster.ts';

const BATCHES = 5;

describeWithNats('processes replaced one by one', () => {
  it('refuse no push, and a stream that breaks off with its node brings every match once', async () => {
    await using cluster = await startCluster({ nodes: { api: 2, matcher: 2 } });
    await cluster.ready();
    await createRules(cluster.call, ['x']);
    const numbers = Array.from({ length: cluster.nodes.length * BATCHES * BATCH }, (_, number) => number);
    const expected = numbers.flatMap(rulesOf).length;
    const [front, back] = cluster.apis as [ClusterNode, ClusterNode];
    const client = createClient({ url: front.url, key: KEY });
    const { latest_cursor } = await client.matches.list({ limit: 1 });
    const reading = readMatches(client.matches.stream({ cursor: latest_cursor }), expected);
    await expect.poll(async () => (await callServer(front.url, 'GET', '/metrics')).text).toMatch(/^sluice_streams 1$/m);
    for (const [turn, node] of cluster.nodes.entries()) {
      const pushing = pushBatches((node === back ? front : back).url, turn * BATCHES);
      await replace(node);
      expect(await pushing).toEqual(Array.from({ length: BATCHES }, () => 200));
    }
    expect(new Set(await reading).size).toBe(expected);
  });
});

async function replace(node: ClusterNode): Promise<void> {
  await node.kill('SIGTERM');
  await node.start();
  await whenReady(node);
}

async function pushBatches(url: string, from: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let batch = from; batch < from + BATCHES; batch++) {
    const { status } = await pushTo(url, 'x', batchFrom(batch * BATCH).map(eventOf));
    statuses.push(status);
  }
  return statuses;
}

async function readMatches(stream: AsyncIterable<{ id: string }>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of stream) if (ids.push(id) === count) break;
  return ids;
}
