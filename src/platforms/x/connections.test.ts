/** Which connections X is asked to close: ours alone. */
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openReceiver } from '../../../test/stages/receiver.ts';
import { freeConnections } from './connections.ts';
import { createQuota } from './quota.ts';

const OPENED = Date.parse('2026-11-15T08:30:00.000Z');
const SPAN = { from: new Date(OPENED), to: new Date(OPENED + 60_000) };
const UNKNOWN = { closed: 0, others: 1 };

/** A connection in X's list, opened this many milliseconds after ours. */
const listed = (id: string, after: number, more: object = {}) => ({
  id,
  endpoint_name: 'filtered_stream',
  connected_at: new Date(OPENED + after).toISOString(),
  ...more,
});

async function free(
  data: unknown,
  { single = false, listStatus = 200, closeStatus = 200, most = 20, headers = {}, connected = [SPAN] } = {},
) {
  const clock = fakeClock();
  await using server = await openReceiver((response, { path }) => {
    const isList = path.includes('?');
    response.writeHead(isList ? listStatus : closeStatus, headers);
    response.end(JSON.stringify({ data }));
  });
  const quota = createQuota({ most }, clock);
  const upstream = { baseUrl: server.url, token: () => 't', clock };
  const { signal } = new AbortController();
  const freed = await freeConnections({ upstream, quota, connected, single, signal });
  const closed = server.received.filter(({ path }) => path === '/2/connections').map(({ body }) => JSON.parse(body));
  return { freed, closed, quota, asked: server.received };
}

describe('connections that X still counts', () => {
  it('are closed if they were opened within two seconds of one of ours, and no other', async () => {
    const { freed, closed, asked } = await free([
      listed('ours-a', -2_000),
      listed('ours-b', 2_000),
      listed('before', -2_001),
      listed('after', 2_001),
    ]);
    expect(closed).toEqual([{ uuids: ['ours-a', 'ours-b'] }]);
    expect(freed).toEqual({ closed: 2, others: 2 });
    expect(asked[0]!.path).toBe(
      '/2/connections?status=active&endpoints=filtered_stream&connection.fields=id,endpoint_name,connected_at',
    );
  });

  it('are ours as well if the app may have only one and they were opened while we were connected', async () => {
    const data = [listed('during', 60_000), listed('later', 60_001)];
    expect(await free(data, { single: true })).toMatchObject({
      freed: { closed: 1, others: 1 },
      closed: [{ uuids: ['during'] }],
    });
    expect(await free(data)).toMatchObject({ freed: { closed: 0, others: 2 }, closed: [] });
  });

  it('are looked for among all the times at which we were connected', async () => {
    const earlier = { from: new Date(OPENED - 600_000), to: new Date(OPENED - 500_000) };
    const { freed } = await free([listed('first', -600_000)], { connected: [earlier, SPAN] });
    expect(freed).toEqual({ closed: 1, others: 0 });
  });

  it('do not count when they are closed, of another kind, or not named', async () => {
    const { freed, asked } = await free([
      listed('closed', 0, { disconnected_at: new Date(OPENED).toISOString() }),
      listed('sample', 0, { endpoint_name: 'sample_stream' }),
      listed('no name', 0),
      null,
    ]);
    expect(freed).toEqual({ closed: 0, others: 0 });
    expect(asked).toHaveLength(1);
  });

  it('are not counted as closed when X does not close them', async () => {
    const { freed } = await free([listed('ours', 0), listed('other', 9_000)], { closeStatus: 503 });
    expect(freed).toEqual({ closed: 0, others: 1 });
  });

  it('are taken for those of another program when X cannot be asked', async () => {
    expect((await free([listed('ours', 0)], { listStatus: 503 })).freed).toEqual(UNKNOWN);
    const upstream = { baseUrl: 'http://127.0.0.1:1', token: () => 't', clock: fakeClock() };
    const quota = createQuota({ most: 1 }, upstream.clock);
    const { signal } = new AbortController();
    const ask = () => freeConnections({ upstream, quota, connected: [SPAN], single: false, signal });
    expect(await ask()).toEqual(UNKNOWN);
    expect(quota.wait).toBeGreaterThan(0);
    expect(await ask()).toEqual(UNKNOWN);
  });

  it('are not asked for again before the time that X states', async () => {
    const headers = { 'retry-after': '120' };
    expect((await free([], { listStatus: 429, headers })).quota.wait).toBe(120_000);
    expect((await free([listed('ours', 0)], { closeStatus: 429, headers })).quota.wait).toBe(120_000);
    expect((await free([], { headers })).quota.wait).toBe(0);
  });
});
