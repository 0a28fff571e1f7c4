/** Server-sent events as bytes. Data is JSON on one line; ids are cursors, which have no line breaks either. */
import type { Gap } from '../../domain/gap.ts';

/** A client that lost its connection waits so many milliseconds before it comes back. */
const RECONNECT_MS = 3_000;

export const matchFrame = (id: string, data: string): Buffer =>
  Buffer.from(`event: match\nid: ${id}\ndata: ${data}\n\n`);

export function gapFrame(id: string, { platform, from, to, cause, recovered }: Gap): Buffer {
  const data = { platform, from: from.toISOString(), to: to?.toISOString() ?? null, cause, recovered };
  return Buffer.from(`event: gap\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** The first bytes: no event, but a client that is cut off before the first match knows where to go on. */
export const openingFrame = (id: string): Buffer => Buffer.from(`retry: ${RECONNECT_MS}\nid: ${id}\n\n`);

/** A sign of life; the id keeps the cursor of a quiet stream from growing too old. */
export const heartbeatFrame = (id: string): Buffer => Buffer.from(`: heartbeat\nid: ${id}\n\n`);

/** Why the server ends a stream. */
export type EndReason = 'too_slow' | 'key_revoked' | 'rule_deleted' | 'stopping';

const SAID: Readonly<Record<EndReason, string>> = {
  too_slow: 'You did not read for too long. Connect again with the last id: nothing is lost.',
  key_revoked: 'The key no longer works.',
  rule_deleted: 'The rule was deleted.',
  stopping: 'The server is stopping. Connect again with the last id: nothing is lost.',
};

export const endFrame = (reason: EndReason): Buffer =>
  Buffer.from(`event: end\ndata: ${JSON.stringify({ reason, message: SAID[reason] })}\n\n`);
