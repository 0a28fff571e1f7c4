/** `GET /export`: matches as a file, written as they are read. A reader that is slower than the store is waited for. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { limitReached, MAX_EXPORTS } from '../service/limits.ts';
import { exportMatches, type MatchExport } from '../service/matches/export-matches.ts';
import { type Admission, admit } from './admission.ts';
import type { HttpAppOptions } from './options.ts';
import { goneSignal, withHeaders } from './send.ts';
import { ticketCaller } from './stream.ts';

export const EXPORT_PATH = '/export';

/** A trailer: it is known when the last match was written. */
export const NEXT_CURSOR = 'Sluice-Next-Cursor';

/** A reader that takes nothing for this long is cut off. */
const STALLED_MS = 120_000;

export function addExport(
  app: FastifyInstance,
  { context, metrics }: Pick<HttpAppOptions, 'context' | 'metrics'>,
  admission: Admission,
): void {
  const open = new Map<string, number>();
  // A HEAD would cost as much as the whole file.
  app.get(EXPORT_PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const { ticket, ...query } = request.query as Record<string, unknown>;
    const calling = ticketCaller(admission, request, ticket);
    const needs = { access: 'read', grants: 'rules', cost: 1 } as const;
    const caller = await admit(admission, needs, request, reply, calling);
    const release = enter(open, caller.account.id, context.settings.support);
    try {
      const gone = goneSignal(reply.raw);
      const file = await exportMatches(context, caller, query, gone);
      withHeaders(request, reply);
      reply.hijack();
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'Content-Type': file.type,
        'Content-Disposition': `attachment; filename="${file.name}"`,
        Trailer: NEXT_CURSOR,
      });
      const sent = { rows: 0, bytes: 0 };
      const isWhole = await send(file, reply.raw, gone, sent).catch((error: unknown) => {
        // The head is sent: a connection that breaks is all that can still be said.
        context.log.warn({ err: error, request_id: request.id }, 'an export was cut off');
        reply.raw.destroy();
        return false;
      });
      metrics.exported(file.format, sent, isWhole);
    } finally {
      release();
    }
  });
}

/** Counts an export of an account until the answer is called. Throws when there are too many. */
function enter(open: Map<string, number>, accountId: string, support: string): () => void {
  const count = open.get(accountId) ?? 0;
  if (count >= MAX_EXPORTS)
    throw limitReached('exports', `${MAX_EXPORTS} exports of the account are under way, which is the limit.`, {
      support,
      details: { limit: MAX_EXPORTS },
      retryAfter: 5,
    });
  open.set(accountId, count + 1);
  return () => {
    const left = open.get(accountId)! - 1;
    if (left === 0) open.delete(accountId);
    else open.set(accountId, left);
  };
}

/** Counts what it has sent, also when it fails half-way. */
async function send(
  file: MatchExport,
  response: ServerResponse,
  gone: AbortSignal,
  sent: { rows: number; bytes: number },
): Promise<boolean> {
  response.setTimeout(STALLED_MS, () => response.destroy());
  for await (const part of file.parts) {
    gone.throwIfAborted();
    const isTaken = response.write(part);
    sent.rows = file.rows();
    sent.bytes += Buffer.byteLength(part);
    if (!isTaken) await once(response, 'drain', { signal: gone });
  }
  const next = file.nextCursor();
  if (next !== undefined) response.addTrailers({ [NEXT_CURSOR]: next });
  response.end();
  return true;
}
