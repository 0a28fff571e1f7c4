/** The same client as with one process, whose every request goes to another node than the one before. */
import { describe } from 'vitest';
import { callServer } from '../black-box/server.ts';
import { serviceSuite } from '../black-box/service-suite.ts';
import { pushTo, startCluster } from './cluster.ts';

describe('nodes on one PostgreSQL', () => {
  serviceSuite(async (settings) => {
    const url = 'https://sluice.test';
    const cluster = await startCluster({
      nodes: { all: 2 },
      nats: false,
      settings: { ...settings, SLUICE_PUBLIC_URL: url },
    });
    let calls = 0;
    const next = () => cluster.apis[calls++ % cluster.apis.length]!.url;
    return {
      url,
      call: (method, path, body, options) => callServer(next(), method, path, body, options),
      push: (platform, events, key) => pushTo(next(), platform, events, key),
      [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
    };
  });
});
