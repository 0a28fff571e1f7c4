/** How the caller reached this server. */
import type { FastifyRequest } from 'fastify';

export const ownAddress = (request: FastifyRequest, publicUrl: string | undefined): string =>
  publicUrl ?? `${request.protocol}://${hostOf(request)}`;

/** A Host header may hold anything; only what can be a host is repeated. */
const hostOf = ({ host }: FastifyRequest): string =>
  /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host) ? host : '127.0.0.1:4800';
