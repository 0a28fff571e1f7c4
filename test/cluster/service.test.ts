/** A client as with one process, whose every request goes to another node than the one before. */
import { describe } from 'vitest';
import { callServer, pushTo } from '../black-box/server.ts';
import type { ServiceUnderTest } from '../black-box/service/stage.ts';
import { SHARED_CASES, serviceSuite } from '../black-box/service-suite.ts';
import { describeWithNats } from '../stages/nats.ts';
import { type ClusterOptions, startCluster } from './cluster.ts';

const URL = 'https://sluice.test';

async function open(options: ClusterOptions): Promise<ServiceUnderTest> {
  const cluster = await startCluster({ ...options, settings: { ...options.settings, SLUICE_PUBLIC_URL: URL } });
  await cluster.ready();
  let calls = 0;
  const next = () => cluster.apis[calls++ % cluster.apis.length]!.url;
  return {
    url: URL,
    call: (method, path, body, how) => callServer(next(), method, path, body, how),
    push: (platform, events, key) => pushTo(next(), platform, events, key),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

describe('nodes on one PostgreSQL', () => {
  serviceSuite((settings) => open({ nodes: { all: 2 }, nats: false, isNew: true, settings }), SHARED_CASES);
});

describeWithNats('roles in processes of their own', () => {
  serviceSuite((settings) => open({ nodes: { api: 2, matcher: 2, delivery: 1 }, settings }), SHARED_CASES);
});
