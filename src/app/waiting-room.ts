/**
 * A start waits for a store or a broker that is not there yet: in a cluster all parts start together, in any order. Meanwhile a
 * small server stands at the address of the real one, so that `/healthz` says that the process lives and `/readyz` why it waits.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { createServer } from '../base/node-http.ts';
import { BrokerError } from '../broker/broker.ts';
import { NOT_READY, type NotReady } from '../service/readiness.ts';
import type { Log } from '../service/telemetry.ts';
import { StoreError } from '../store/error.ts';
import type { Config } from './config.ts';

const RETRY_MS = 500;
const SECONDS_TO_RETRY = '1';

export interface WaitingRoom extends AsyncDisposable {
  /** Tries until what it opens is there. Throws what a longer wait would not mend. */
  until<T>(reason: NotReady, open: () => Promise<T>): Promise<T>;
}

type Address = Pick<Config, 'host' | 'port'>;

export function createWaitingRoom(
  { host, port }: Address,
  { log, clock }: { readonly log: Log; readonly clock: Clock },
): WaitingRoom {
  let door: Server | undefined;
  let waitsFor: NotReady | undefined;
  return {
    async until(reason, open) {
      for (;;) {
        try {
          return await open();
        } catch (error) {
          if (!isAway(error)) throw error;
          if (waitsFor !== reason) log.warn({ err: error }, `${NOT_READY[reason]}; the start waits for it`);
          waitsFor = reason;
          door ??= await openDoor({ host, port }, () => waitsFor);
        }
        await clock.sleep(RETRY_MS);
      }
    },
    async [Symbol.asyncDispose]() {
      if (door === undefined) return;
      const closed = once(door, 'close');
      door.close();
      door.closeAllConnections();
      await closed;
    },
  };
}

async function openDoor(address: Address, reason: () => NotReady | undefined): Promise<Server> {
  const server = createServer((request, response) => {
    const isAlive = request.url === '/healthz';
    response.writeHead(isAlive ? 200 : 503, {
      'content-type': 'application/json; charset=utf-8',
      connection: 'close',
      ...(!isAlive && { 'retry-after': SECONDS_TO_RETRY }),
    });
    response.end(JSON.stringify(isAlive ? { status: 'ok' } : refusal(reason())));
  });
  server.listen(address);
  await once(server, 'listening');
  return server;
}

const refusal = (reason: NotReady = 'store_away') => ({
  code: 'unavailable',
  message: `Not ready: ${NOT_READY[reason]}.`,
  details: { reasons: [reason] },
});

/** A name, password or database that PostgreSQL does not know is a mistake: nobody should wait for it. */
const REFUSED = /^(?:28|3D)/;

function isAway(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof BrokerError) return cause.reason === 'away';
  if (!(cause instanceof StoreError) || cause.reason !== 'away') return false;
  const code = cause.cause instanceof Error && 'code' in cause.cause ? String(cause.cause.code) : '';
  return !REFUSED.test(code);
}
