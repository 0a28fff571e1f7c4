/** `GET /matches/stream`: server-sent events. The rest of the program writes; this is the connection it writes to. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { checkStreamLimit, startStream } from '../service/matches/open-stream.ts';
import { type Admission, admit } from './admission.ts';
import { withHeaders } from './send.ts';

export const MATCH_STREAM_PATH = '/matches/stream';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // A proxy that collects an answer before it passes it on would hold every match back.
  'X-Accel-Buffering': 'no',
};

export function addStream(app: FastifyInstance, context: Context, admission: Admission): void {
  // A HEAD of something without end would never end either.
  app.get(MATCH_STREAM_PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const { ticket, ...query } = request.query as Record<string, unknown>;
    const caller = await admit(
      admission,
      { access: 'read', cost: 1 },
      request,
      reply,
      ticketCaller(admission, request, ticket),
    );
    const start = await startStream(context, caller, query, lastEventId(request));
    checkStreamLimit(context, caller);
    withHeaders(request, reply).hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
    const subscriber = context.live.subscribe({ ...start, outlet: outletOf(raw) });
    raw.on('drain', () => subscriber.drained());
    raw.once('close', () => subscriber.closed());
    if (raw.destroyed) subscriber.closed();
  });
  // Streams never end by themselves, and a server that stops waits for what is open.
  app.addHook('preClose', async () => context.live.close());
}

/** A browser sends a ticket where others send a key. */
export function ticketCaller({ auth }: Admission, request: FastifyRequest, ticket: unknown): Promise<Caller> {
  const isTicket = typeof ticket === 'string' && request.headers.authorization === undefined;
  return isTicket ? auth.ticketHolder(request, ticket) : auth.caller(request);
}

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' ? id : undefined;
}

export const outletOf = (response: ServerResponse) => ({
  write: (bytes: Uint8Array) => response.write(bytes),
  get queued() {
    return response.writableLength;
  },
  end: (bytes: Uint8Array) => void response.end(bytes),
  destroy: () => void response.destroy(),
});
