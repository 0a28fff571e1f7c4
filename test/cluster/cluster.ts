/**
 * Several processes of the real program on one real PostgreSQL and, unless it is left out, one real NATS. Each may be
 * killed at any time and comes back on its own port, as its supervisor would bring it back.
 */
import { randomBytes } from 'node:crypto';
import { ROLES, type Role } from '../../src/domain/role.ts';
import { type Answer, callServer, type Started, startServer } from '../black-box/server.ts';
import { freePort } from '../stages/free-port.ts';
import { startNats, type TestNats } from '../stages/nats.ts';
import { startPostgres, startPostgresWithTables, type TestPostgres } from '../stages/postgres.ts';

export interface ClusterOptions {
  /** How many of each role; or so many processes that have them all. */
  readonly nodes: Readonly<Partial<Record<Role | 'all', number>>>;
  readonly nats?: boolean;
  /** On a database without tables, which the nodes make; else they find them there. */
  readonly isNew?: boolean;
  /** For every node, and beside that for those of a role. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly ofRole?: Readonly<Partial<Record<Role, Readonly<Record<string, string>>>>>;
  /** The address by which the nodes get to the database; else they go there straight. */
  readonly wayToStore?: (url: string) => Promise<string>;
  /** The address by which they get to the broker; else they go there straight. */
  readonly wayToBroker?: (url: string) => Promise<string>;
}

export interface ClusterNode {
  readonly name: string;
  readonly role: Role | 'all';
  readonly url: string;
  /** Ends it with SIGKILL, or another signal, and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves when it listens. It may be a program of another version. */
  start(program?: string): Promise<void>;
  /** Stops it as a machine would that hangs: its process, its sockets and its leases stay. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  pid(): Promise<number | undefined>;
  hasEnded(): Promise<boolean>;
}

export interface Cluster extends AsyncDisposable {
  readonly storeUrl: string;
  /** The settings of every node. */
  readonly settings: Readonly<Record<string, string>>;
  readonly postgres: TestPostgres;
  readonly nats: TestNats | undefined;
  readonly nodes: readonly ClusterNode[];
  /** The nodes that answer requests. */
  readonly apis: readonly ClusterNode[];
  of(role: Role): readonly ClusterNode[];
  /** Asks the first node that answers requests. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Resolves when every node says that it is ready. */
  ready(): Promise<void>;
}

export async function startCluster({
  nodes: wanted,
  nats: withNats = true,
  isNew = false,
  settings = {},
  ofRole = {},
  wayToStore = async (url) => url,
  wayToBroker = async (url) => url,
}: ClusterOptions): Promise<Cluster> {
  const parts = new AsyncDisposableStack();
  try {
    const postgres = parts.use(await (isNew ? startPostgres() : startPostgresWithTables()));
    const nats = withNats ? parts.use(await startNats()) : undefined;
    const storeUrl = await postgres.newDatabase();
    const shared = {
      SLUICE_STORE_URL: await wayToStore(storeUrl),
      ...(nats !== undefined && { SLUICE_NATS_URL: await wayToBroker(nats.url) }),
      SLUICE_SEALING_KEY: randomBytes(32).toString('base64'),
      ...settings,
    };
    const nodes: ClusterNode[] = [];
    for (const role of [...ROLES, 'all'] as const) {
      for (let number = 1; number <= (wanted[role] ?? 0); number++) {
        const own = role === 'all' ? {} : { SLUICE_ROLES: role, ...ofRole[role] };
        const node = await nodeOf(`${role}-${number}`, role, { ...shared, ...own });
        parts.defer(() => node.kill());
        nodes.push(node);
      }
    }
    await Promise.all(nodes.map((node) => node.start()));
    const apis = nodes.filter(({ role }) => role === 'api' || role === 'all');
    const kept = parts.move();
    return {
      storeUrl,
      settings: shared,
      postgres,
      nats,
      nodes,
      apis,
      of: (role) => nodes.filter((node) => node.role === role),
      call: (method, path, body) => callServer(apis[0]!.url, method, path, body),
      ready: async () => void (await Promise.all(nodes.map(whenReady))),
      [Symbol.asyncDispose]: () => kept.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

async function nodeOf(
  name: string,
  role: ClusterNode['role'],
  settings: Readonly<Record<string, string>>,
): Promise<ClusterNode> {
  const port = await freePort();
  let running: Promise<Started> | undefined;
  return {
    name,
    role,
    url: `http://127.0.0.1:${port}`,
    async kill(signal = 'SIGKILL') {
      const server = await running?.catch(() => undefined);
      running = undefined;
      if (signal !== 'SIGKILL') await server?.end(signal);
      // With its folder: a machine that is gone takes that along.
      await server?.[Symbol.asyncDispose]();
    },
    async start(program) {
      running = startServer({ ...settings, SLUICE_PORT: String(port) }, undefined, undefined, program);
      await running;
    },
    async freeze() {
      (await running)?.process.kill('SIGSTOP');
    },
    async thaw() {
      (await running)?.process.kill('SIGCONT');
    },
    pid: async () => (await running)?.process.pid,
    async hasEnded() {
      const { exitCode, signalCode } = (await running)?.process ?? {};
      return (exitCode ?? signalCode) != null;
    },
  };
}

/** Throws when the node ended by itself: nobody would bring it back. */
export async function whenReady(node: Pick<ClusterNode, 'name' | 'url' | 'hasEnded'>): Promise<void> {
  for (;;) {
    const answer = await callServer(node.url, 'GET', '/readyz').catch(() => undefined);
    if (answer?.status === 200) return;
    if (await node.hasEnded()) throw new Error(`${node.name} has ended by itself`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
