/** The port: plain HTTP, or HTTPS with a certificate of our own. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { type Certificate, selfSigned } from './certificate.ts';
import type { Faults } from './faults/faults.ts';

const DAY = 24 * 3_600_000;

export interface Listener {
  readonly server: Server | SecureServer;
  /** What a client must trust; undefined where there is nothing to trust. */
  readonly certificate: string | undefined;
}

export function createListener(tls: boolean, faults: Faults, onRequest: RequestListener): Listener {
  if (!tls) return { server: createServer(onRequest), certificate: undefined };
  // Clients look at their own clock, which is the machine's, whatever clock the sandbox goes by.
  const good = validFor(-DAY, 365 * DAY);
  const server = createSecureServer(good, onRequest);
  const expired = validFor(-2 * DAY, -DAY);
  // First of those who hear of a connection: the handshake is still to come.
  server.prependListener('connection', () => {
    server.setSecureContext(faults.take('X30') === undefined ? good : expired);
  });
  // Whoever trusts both finds nothing wrong with the second but its age.
  return { server, certificate: good.cert + expired.cert };
}

function validFor(from: number, to: number): Certificate {
  const now = Date.now();
  return selfSigned(new Date(now + from), new Date(now + to));
}

/** Ends a connection the rude way, where the transport can. */
export function resetSocket(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
