/** The server: plain HTTP, or HTTPS with a self-signed certificate. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { type Certificate, selfSigned } from './certificate.ts';
import type { Faults } from './faults/faults.ts';

const DAY = 24 * 3_600_000;

export interface Listener {
  readonly server: Server | SecureServer;
  /** The certificate that a client must trust; undefined for plain HTTP. */
  readonly certificate: string | undefined;
}

export function createListener(tls: boolean, faults: Faults, onRequest: RequestListener): Listener {
  if (!tls) return { server: createServer(onRequest), certificate: undefined };
  // Clients check certificates by the machine's clock, so this does not use the sandbox's.
  const good = validFor(-DAY, 365 * DAY);
  const server = createSecureServer(good, onRequest);
  const expired = validFor(-2 * DAY, -DAY);
  // Prepended, so that it runs before the handshake.
  server.prependListener('connection', () => {
    server.setSecureContext(faults.take('X30') === undefined ? good : expired);
  });
  // A client that trusts both sees that the second has expired, and no other problem.
  return { server, certificate: good.cert + expired.cert };
}

function validFor(from: number, to: number): Certificate {
  const now = Date.now();
  return selfSigned(new Date(now + from), new Date(now + to));
}

/** Resets the connection. TLS cannot, so a TLS socket is destroyed. */
export function resetSocket(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
