/** The connections of the app, open and past, and the interface that lists and closes them. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { listIn, recordIn } from '../../src/base/json.ts';
import { type Answer, type Call, jsonOf } from '../http.ts';
import { append } from '../recorder.ts';
import type { Wire } from '../wire.ts';
import { invalidRequest, NOT_FOUND } from './problems.ts';

/** A phantom is a connection without a reader that still counts. */
export type ConnectionKind = 'live' | 'recovery' | 'phantom';

export interface Connection {
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly wire: Wire | undefined;
  readonly connectedAt: Date;
  readonly clientIp: string;
  disconnectedAt: Date | undefined;
  reason: string | undefined;
}

export interface Connections {
  add(kind: ConnectionKind, wire: Wire | undefined, clientIp: string): Connection;
  /** Returns whether there was an open connection with this id. */
  close(id: string, reason: string): boolean;
  open(...kinds: ConnectionKind[]): Connection[];
  handle(call: Call): Answer;
}

const HISTORY = 1_000;

export function createConnections(clock: Clock): Connections {
  const all: Connection[] = [];
  const open = (...kinds: ConnectionKind[]) =>
    all.filter(({ kind, disconnectedAt }) => kinds.includes(kind) && disconnectedAt === undefined);

  const close = (id: string, reason: string): boolean => {
    const one = all.find((connection) => connection.id === id && connection.disconnectedAt === undefined);
    if (one === undefined) return false;
    one.disconnectedAt = clock.now();
    one.reason = reason;
    one.wire?.close('end');
    return true;
  };

  return {
    add(kind, wire, clientIp) {
      const connection: Connection = {
        id: randomUUID(),
        kind,
        wire,
        connectedAt: clock.now(),
        clientIp,
        disconnectedAt: undefined,
        reason: undefined,
      };
      append(all, connection, HISTORY);
      wire?.signal.addEventListener('abort', () => close(connection.id, 'ClientDisconnected'));
      return connection;
    },
    close,
    open,
    handle(call) {
      if (call.method === 'GET') return list(call, all);
      const ids = idsToClose(call, open('live', 'recovery', 'phantom'));
      return Array.isArray(ids) ? closed(ids, (id) => close(id, 'ForceDisconnect')) : ids;
    },
  };
}

function list({ query }: Call, all: readonly Connection[]): Answer {
  const status = query.get('status') ?? 'active';
  if (!['active', 'inactive', 'all'].includes(status)) {
    return invalidRequest(
      'status',
      [status],
      `The \`status\` query parameter value [${status}] is not one of [active,inactive,all]`,
    );
  }
  const data = all
    .filter(({ disconnectedAt }) => status === 'all' || (disconnectedAt === undefined) === (status === 'active'))
    .map(shown);
  return { status: 200, body: { ...(data.length > 0 && { data }), meta: { result_count: data.length } } };
}

const shown = ({ id, connectedAt, disconnectedAt, reason, clientIp }: Connection): object => ({
  id,
  endpoint_name: 'filtered_stream',
  connected_at: connectedAt.toISOString(),
  ...(disconnectedAt && { disconnected_at: disconnectedAt.toISOString(), disconnect_reason: reason }),
  client_ip: clientIp,
});

/** The ids in the body, or all open ones. There is only one endpoint. */
function idsToClose({ path, text }: Call, open: readonly Connection[]): string[] | Answer {
  if (path === '/2/connections/all' || path === '/2/connections/filtered_stream') return open.map(({ id }) => id);
  if (path !== '/2/connections') return NOT_FOUND;
  const uuids = listIn(recordIn(jsonOf(text))?.['uuids']).filter((one) => typeof one === 'string');
  if (uuids.length < 1 || uuids.length > 100)
    return invalidRequest('uuids', [], 'between 1 and 100 uuids are required');
  return uuids;
}

function closed(ids: readonly string[], close: (id: string) => boolean): Answer {
  const results = ids.map((uuid) =>
    close(uuid) ? { uuid, success: true } : { uuid, success: false, error_message: 'Connection not found' },
  );
  const successful = results.filter(({ success }) => success).length;
  return {
    status: 200,
    body: { data: { successful_kills: successful, failed_kills: results.length - successful, results } },
  };
}
