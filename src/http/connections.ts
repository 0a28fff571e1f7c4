/**
 * The socket side of the server: time limits against slow clients, caps on connections, and answers in our shape where
 * HTTP itself is broken and no route is ever reached.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { STATUS_CODES } from '../base/node-http.ts';
import { failureOf, type RequestError, unreadable } from './errors.ts';
import { networkOf } from './rate-limit.ts';

/** Node's own limits. Sweeping every 2 s keeps a 10 s limit from becoming 40. */
export const SERVER_LIMITS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 8 * 1024,
  // A request without Host is answered by us, in the one error shape.
  requireHostHeader: false,
};

const MAX_REQUESTS_PER_SOCKET = 1_000;
const MAX_HEADERS = 64;
const MAX_CONNECTIONS = 12_000;
const MAX_CONNECTIONS_PER_ADDRESS = 200;
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');
/** A connection on which nothing moves for this long is looked at. */
const QUIET_MS = 120_000;
/**
 * A proxy sends a request on a connection that it kept idle: it must be the one that closes it. Google's balancer keeps one for
 * 600 s, which is the longest that is usual.
 */
const PROXY_IDLE_MS = 620_000;
/** A client that was told to go away has this long to read why. */
const LINGER_MS = 1_000;

export function guardConnections(
  server: Server,
  trustProxy: readonly string[],
  process: { readonly isLeaving: boolean },
): void {
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = QUIET_MS;
  // Behind a proxy every connection has the same address.
  if (trustProxy.length === 0) capByAddress(server);
  answerExpectations(server);
  renewConnections(server, process, listed(trustProxy));
}

/** The addresses and ranges of SLUICE_TRUST_PROXY. */
function listed(trustProxy: readonly string[]): BlockList {
  const list = new BlockList();
  for (const part of trustProxy) {
    const [address, bits] = part.split('/') as [string, string?];
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const isFrom = (list: BlockList, { remoteAddress, remoteFamily }: Socket): boolean =>
  remoteAddress !== undefined && list.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4');

/**
 * The last answer on a long-used connection says so, and closes it. Node's own limit would answer a client that does
 * not listen with an empty 503, again and again. So does the next one on every connection of a server that stops soon.
 * Any other answer keeps the connection, and a proxy's for longer than the proxy does.
 * This comes before the framework, which answers some requests at once: a header that comes after the answer is an error that
 * nobody catches.
 */
function renewConnections(server: Server, process: { readonly isLeaving: boolean }, proxies: BlockList): void {
  const answered = new WeakMap<Socket, number>();
  server.prependListener('request', ({ socket }, response) => {
    const count = (answered.get(socket) ?? 0) + 1;
    answered.set(socket, count);
    if (count >= MAX_REQUESTS_PER_SOCKET || process.isLeaving) response.setHeader('Connection', 'close');
    else if (response.shouldKeepAlive && isFrom(proxies, socket)) keepForProxy(socket, response);
  });
}

/** Node sets its own time when an answer has ended, before it tells others so, and takes it back at the next request. */
function keepForProxy(socket: Socket, response: ServerResponse): void {
  response.setHeader('Keep-Alive', `timeout=${PROXY_IDLE_MS / 1_000}`);
  response.once('finish', () => socket.setTimeout(PROXY_IDLE_MS));
}

function capByAddress(server: Server): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    // This machine itself: a proxy that is not in SLUICE_TRUST_PROXY, or tests.
    if (isFrom(LOOPBACK, socket)) return;
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    if (count > MAX_CONNECTIONS_PER_ADDRESS) socket.destroy();
  });
}

/** `Expect: 100-continue` is Node's business; any other expectation is one we cannot meet. */
function answerExpectations(server: Server): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, text } = rawFailure(
      unreadable('The Expect header asks for something this server does not do.', 417),
    );
    response.writeHead(status, headers).end(text);
  });
}

export interface Sockets {
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** Cuts off a client that does not read its answer: Node would keep it, and the answer, for ever. */
  onTimeout(socket: Socket): void;
  /** The `clientErrorHandler`: bytes that are no HTTP request, or one that did not come in time. */
  onError(error: Error, socket: Socket): void;
  /** From now on a connection ends with its last answer: no client's idle one holds up the stop. */
  stop(): void;
}

type Exchange = readonly [IncomingMessage, ServerResponse];

export function watchSockets(): Sockets {
  /** The requests of each socket that are not answered yet. */
  const open = new WeakMap<Socket, Set<Exchange>>();
  let isStopping = false;
  return {
    onRequest(request, response) {
      const { socket } = request;
      const exchanges = open.get(socket) ?? new Set();
      const exchange: Exchange = [request, response];
      open.set(socket, exchanges.add(exchange));
      response.once('close', () => {
        exchanges.delete(exchange);
        if (exchanges.size === 0 && isStopping) socket.end();
      });
    },
    stop() {
      isStopping = true;
    },
    onTimeout(socket) {
      // A request that waits for matches is quiet, and nothing is wrong with it.
      const isWaiting = (open.get(socket)?.size ?? 0) > 0 && socket.writableLength === 0;
      if (!isWaiting) socket.destroy();
    },
    onError(error, socket) {
      if (socket.writable && mayAnswer(open.get(socket) ?? [])) answerRaw(socket, refusal(error));
      else socket.destroy();
    },
  };
}

/**
 * An answer out of turn would be taken for another request's. The oldest open request is the one that failed only when
 * its body is still on the way: a later request arrives after it is whole.
 */
function mayAnswer([oldest]: Iterable<Exchange>): boolean {
  if (oldest === undefined) return true;
  const [request, response] = oldest;
  return !request.complete && !response.headersSent;
}

function answerRaw(socket: Socket, error: RequestError): void {
  const { status, headers, text } = rawFailure(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n');
  socket.end(`${head}\r\n\r\n${text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function refusal(error: Error): RequestError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'HPE_HEADER_OVERFLOW') return unreadable('The request headers are too large.', 431);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return unreadable('The request did not arrive in time.', 408);
  return unreadable('This is not a valid HTTP request.');
}

function rawFailure(error: RequestError): { status: number; headers: Record<string, string>; text: string } {
  const { status, headers, body } = failureOf(error);
  const text = JSON.stringify(body);
  return {
    status,
    text,
    headers: {
      ...headers,
      'Content-Length': String(Buffer.byteLength(text)),
      'Content-Type': 'application/json; charset=utf-8',
      'X-Request-Id': newRequestId(),
      'Cache-Control': 'no-store',
      Connection: 'close',
    },
  };
}

/** Request ids: the log has each request under its id. */
const PROCESS = randomBytes(8).toString('hex');
let requests = 0;

/** Unlike any other: a random part for the process, and a count. */
export const newRequestId = (): string => `req_${PROCESS}${(++requests).toString(36).padStart(6, '0')}`;

/** A caller's own request id is kept when it is one that can stand in a log. */
export const requestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : newRequestId();
