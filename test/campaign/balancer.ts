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
/** A server that is only slow to answer is not given up at once; one that says that it is not ready is. */
const MOST_SILENCES = 3;

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
  /** The things that went wrong, one line each. */
  readonly troubles: readonly string[];
  isReady(server: string): boolean;
}

interface State {
  readonly agent: Agent;
  /** Servers that are ready, and how many looks in a row had no answer. */
  readonly ready: Map<string, number>;
  /** The last words of each server that is not ready. */
  readonly said: Map<string, string>;
  /** Servers that are being asked: a look begins when the one before has ended, as with other balancers. */
  readonly looking: Set<string>;
  readonly counts: BalancerCounts;
  readonly troubles: string[];
  turn: number;
}

export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  const state: State = {
    agent: new Agent({ keepAlive: true }),
    ready: new Map(),
    said: new Map(),
    looking: new Set(),
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
async function look({ ready, said, looking }: State, server: string): Promise<void> {
  if (looking.has(server)) return;
  looking.add(server);
  const answer = await asked(server);
  looking.delete(server);
  if (answer === undefined) {
    const silences = (ready.get(server) ?? MOST_SILENCES) + 1;
    if (silences < MOST_SILENCES) ready.set(server, silences);
    else ready.delete(server);
  } else if (answer === '') ready.set(server, 0);
  else ready.delete(server);
  said.set(server, answer ?? 'no answer');
}

/** Empty when the server is ready, else what it says; undefined when it says nothing in time. */
const asked = (server: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const sent = request(`${server}/readyz`, { agent: false, timeout: PATIENCE_MS }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.once('end', () => resolve(answer.statusCode === 200 ? '' : text));
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? error.code : undefined),
    );
    sent.end();
  });

function pass(state: State, servers: readonly string[], incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { agent, ready, said, counts, troubles } = state;
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
    fail('refused', `no server is ready: ${[...said.values()].join(' | ')}`);
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
