/**
 * A small balancer, as plain ones are: it asks every server for `/readyz` a few times a second, keeps connections open,
 * sends each request to the next server that was ready when it last asked, and tries nothing twice. What it meets is
 * what a client of a bare balancer would meet, and it counts that.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ASK_EVERY_MS = 200;
const PATIENCE_MS = 1_000;

export interface BalancerCounts {
  answered: number;
  /** No server took the connection, or there was none to choose. */
  refused: number;
  /** A connection broke before the answer was whole. */
  reset: number;
}

export interface Balancer extends AsyncDisposable {
  readonly url: string;
  readonly counts: Readonly<BalancerCounts>;
  /** What went wrong, one line each. */
  readonly troubles: readonly string[];
  isReady(server: string): boolean;
}

interface State {
  readonly agent: Agent;
  readonly ready: Set<string>;
  readonly counts: BalancerCounts;
  readonly troubles: string[];
  turn: number;
}

export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  const state: State = {
    agent: new Agent({ keepAlive: true }),
    ready: new Set(),
    counts: { answered: 0, refused: 0, reset: 0 },
    troubles: [],
    turn: 0,
  };
  const server = createServer((incoming, outgoing) => pass(state, servers, incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = setInterval(() => void Promise.all(servers.map((one) => look(state, one))), ASK_EVERY_MS);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts: state.counts,
    troubles: state.troubles,
    isReady: (one) => state.ready.has(one),
    async [Symbol.asyncDispose]() {
      clearInterval(asking);
      server.closeAllConnections();
      server.close();
      state.agent.destroy();
    },
  };
}

/** With a connection of its own each time, so that a closed listener is seen. */
async function look({ ready }: State, server: string): Promise<void> {
  const isReady = await new Promise<boolean>((resolve) => {
    const asked = request(`${server}/readyz`, { agent: false, timeout: PATIENCE_MS }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(false));
    asked.end();
  });
  if (isReady) ready.add(server);
  else ready.delete(server);
}

function pass(state: State, servers: readonly string[], incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { agent, ready, counts, troubles } = state;
  const choice = servers.filter((one) => ready.has(one));
  const server = choice[state.turn++ % choice.length];
  const fail = (kind: 'refused' | 'reset', why: string): void => {
    if (outgoing.destroyed) return;
    counts[kind]++;
    troubles.push(`${kind}: ${incoming.method} ${incoming.url} at ${server}: ${why}`);
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  };
  if (server === undefined) {
    fail('refused', 'no server is ready');
    return;
  }
  const { connection: _, ...headers } = incoming.headers;
  const sent = request(`${server}${incoming.url}`, { agent, method: incoming.method!, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode!, { ...answer.headers, connection: 'keep-alive' });
    answer.pipe(outgoing);
    answer.once('error', (error) => fail('reset', error.message));
    answer.once('end', () => void counts.answered++);
  });
  sent.once('error', (error: NodeJS.ErrnoException) =>
    fail(error.code === 'ECONNREFUSED' ? 'refused' : 'reset', error.message),
  );
  // A client that goes away takes its request along; that is no fault of the server's.
  outgoing.once('close', () => outgoing.writableFinished || sent.destroy());
  incoming.pipe(sent);
}
