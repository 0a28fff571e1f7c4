/**
 * Three real NATS servers as one cluster, each with its monitoring. Writing before confirming needs NATS 2.10: where the server at
 * hand is older, that of a newer Debian is fetched once and kept beside the packages.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { natsPath, startNats, type TestNats } from './nats.ts';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/nats-server');
const VERSION = '2.10.27-1+b2';
const UNPACKER = '/usr/bin/dpkg-deb';
/** The package for each machine, by what must come. */
const PACKAGES: Readonly<Partial<Record<NodeJS.Architecture, { name: string; sha256: string }>>> = {
  arm64: { name: 'arm64', sha256: '0c9a617510b28c1b4fb4a38aabea6ab8cd7f026247f2abdff8b955b2278ce049' },
  x64: { name: 'amd64', sha256: '6d913ac987b78734c08537c2adeb1526cf735f216173a9170d94b185fcfe6f8a' },
};

async function syncingPath(): Promise<string | undefined> {
  if (natsPath !== undefined && isNew(natsPath)) return natsPath;
  const kept = join(CACHE, VERSION, 'usr/sbin/nats-server');
  if (!existsSync(kept)) await fetchPackage().catch(() => {});
  return existsSync(kept) ? kept : undefined;
}

function isNew(path: string): boolean {
  const [major = 0, minor = 0] =
    /v(\d+)\.(\d+)/
      .exec(String(execFileSync(path, ['--version'])))
      ?.slice(1)
      .map(Number) ?? [];
  return major > 2 || (major === 2 && minor >= 10);
}

async function fetchPackage(): Promise<void> {
  const wanted = PACKAGES[process.arch];
  if (wanted === undefined || process.env['SLUICE_TEST_INSTALL'] === 'off' || !existsSync(UNPACKER)) return;
  const file = `nats-server_${VERSION}_${wanted.name}.deb`;
  const answer = await fetch(`http://deb.debian.org/debian/pool/main/n/nats-server/${file}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (createHash('sha256').update(bytes).digest('hex') !== wanted.sha256) return;
  const own = join(CACHE, `${process.pid}`);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, file), bytes);
  execFileSync(UNPACKER, ['-x', join(own, file), join(own, 'tree')]);
  renameSync(join(own, 'tree'), join(CACHE, VERSION));
}

const path = await syncingPath();

export function describeWithNatsCluster(name: string, body: () => void): void {
  if (path === undefined && process.env['CI'] === 'true') {
    it(`has a nats-server for ${name}`, () => {
      expect.fail('There is no nats-server of 2.10 or newer here; SLUICE_TEST_NATS says where one is.');
    });
  }
  describe.runIf(path !== undefined)(`nats: ${name}`, () => {
    body();
  });
}

export interface NatsCluster extends AsyncDisposable {
  readonly servers: readonly TestNats[];
  /** Addresses of all servers, for clients. */
  readonly url: string;
  readonly monitors: readonly string[];
}

/** Servers that took all this time found a port of the cluster in use by others: then no cluster ever comes. */
const PATIENCE_MS = 20_000;

/** A server is, when the cluster has a leader and it has caught up. */
async function whenHealthy(port: number, patience: AbortSignal): Promise<void> {
  for (;;) {
    patience.throwIfAborted();
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Peers {
  /** On the leader alone. */
  readonly meta_cluster?: { readonly replicas?: readonly { readonly current: boolean; readonly offline?: boolean }[] };
}

/** The leader sees both others: before that it may place no stream on them. */
async function whenAllAreSeen(monitors: readonly number[], patience: AbortSignal): Promise<void> {
  for (;;) {
    patience.throwIfAborted();
    for (const port of monitors) {
      const answer = await fetch(`http://127.0.0.1:${port}/jsz`).catch(() => undefined);
      const { replicas = [] } = ((await answer?.json()) as Peers | undefined)?.meta_cluster ?? {};
      if (replicas.length === 2 && replicas.every(({ current, offline }) => current && offline !== true)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const MOST_TRIES = 5;

/** Another program may take one of nine ports before its server does: then all are chosen anew. */
export async function startNatsCluster({ storage = 'sync_interval: always' } = {}): Promise<NatsCluster> {
  for (let tries = 1; ; tries++) {
    try {
      return await startServers(storage);
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
  }
}

async function startServers(storage: string): Promise<NatsCluster> {
  const ports = await Promise.all(Array.from({ length: 9 }, () => freePort()));
  const [clients, routes, monitors] = [ports.slice(0, 3), ports.slice(3, 6), ports.slice(6)];
  const among = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  await using parts = new AsyncDisposableStack();
  const servers: TestNats[] = [];
  for (const [at, port] of clients.entries()) {
    const more = `server_name: nats-${at}
http: "127.0.0.1:${monitors[at]}"
cluster { name: test, listen: "127.0.0.1:${routes[at]}", routes: [${among}] }`;
    servers.push(parts.use(await startNats({ path, port, storage, more })));
  }
  const patience = AbortSignal.timeout(PATIENCE_MS);
  await Promise.all(monitors.map((port) => whenHealthy(port, patience)));
  await whenAllAreSeen(monitors, patience);
  const kept = parts.move();
  return {
    servers,
    url: servers.map(({ url }) => url).join(','),
    monitors: monitors.map((port) => `http://127.0.0.1:${port}`),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
