/**
 * Closes connections of ours that X still counts although their sockets are gone. X lists all connections of an app and
 * does not say which process opened them. A connection is ours if it was opened at the moment we opened one. If the app
 * may have only one connection, it is also ours if it was opened while we were connected. No other is ever closed.
 */
import { listIn, recordIn, textIn } from '../../base/json.ts';
import { callUpstream, type UpstreamTarget } from '../upstream-call.ts';
import type { ConnectedSpan } from './coverage.ts';
import type { Quota } from './quota.ts';
import { answerIn, CONNECTIONS_PATH, xIdIn } from './wire.ts';

const ENDPOINT = 'filtered_stream';
/** X records a connection's start shortly before or after it answers, in whole seconds. */
const TOLERANCE_MS = 2_000;

export interface Freed {
  /** How many connections of ours were closed. */
  readonly closed: number;
  /** How many connections of other programs remain. */
  readonly others: number;
}

/** If X cannot be asked, we assume that another program is connected, and wait the full time. */
const NOTHING_KNOWN: Freed = { closed: 0, others: 1 };

interface Options {
  readonly upstream: UpstreamTarget;
  readonly quota: Quota;
  /** The times at which we were connected. */
  readonly connected: readonly ConnectedSpan[];
  /** The app may have only one connection. */
  readonly single: boolean;
  readonly signal: AbortSignal;
}

export async function freeConnections({ upstream, quota, connected, single, signal }: Options): Promise<Freed> {
  if (quota.wait > 0) return NOTHING_KNOWN;
  try {
    const path = `${CONNECTIONS_PATH}?status=active&endpoints=${ENDPOINT}&connection.fields=id,endpoint_name,connected_at`;
    quota.spend();
    const list = await callUpstream(upstream, { method: 'GET', path, signal });
    quota.note(list.headers, list.status === 429);
    if (list.status !== 200) return NOTHING_KNOWN;
    const active = listIn(answerIn(list.text)['data']).flatMap(connectionIn);
    const ours = active.filter(({ at }) => connected.some((time) => isOurs(at, time, single)));
    if (ours.length === 0) return { closed: 0, others: active.length };
    const body = { uuids: ours.map(({ id }) => id) };
    const answer = await callUpstream(upstream, { method: 'DELETE', path: CONNECTIONS_PATH, body, signal });
    quota.note(answer.headers, answer.status === 429);
    return { closed: answer.status === 200 ? ours.length : 0, others: active.length - ours.length };
  } catch {
    return NOTHING_KNOWN;
  }
}

/** Until our last receipt no other program can have had the only connection; after it, another may. */
const isOurs = (at: number, { from, to }: ConnectedSpan, single: boolean): boolean =>
  Math.abs(at - from.getTime()) <= TOLERANCE_MS || (single && at > from.getTime() && at <= to.getTime());

function connectionIn(value: unknown): { id: string; at: number }[] {
  const connection = recordIn(value);
  const id = xIdIn(connection?.['id']);
  const at = Date.parse(textIn(connection?.['connected_at']) ?? '');
  const isOpen = connection?.['disconnected_at'] === undefined && connection?.['endpoint_name'] === ENDPOINT;
  return id === undefined || !isOpen ? [] : [{ id, at }];
}
