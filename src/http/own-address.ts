/** How the caller reached this server. */
import type { FastifyRequest } from 'fastify';

export const ownAddress = (request: FastifyRequest, publicUrl: string | undefined): string =>
  publicUrl ?? `${schemeOf(request)}://${hostOf(request)}`;

/** A proxy may pass on whatever a client says of it. */
const schemeOf = ({ protocol }: FastifyRequest): string => (protocol.toLowerCase() === 'https' ? 'https' : 'http');

/** A Host header may hold anything; only what can be a host is repeated. Port 99999 and the address 1.2.3.256 cannot. */
const hostOf = ({ host }: FastifyRequest): string =>
  /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host) && URL.canParse(`http://${host}`) ? host : '127.0.0.1:4800';
