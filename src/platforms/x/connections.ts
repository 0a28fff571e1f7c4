/**
 * Frees the place that a connection of ours still holds although its socket is gone. X lists all connections of an
 * app, and does not say whose they are. Ours are those that were opened when we opened one; and where there is room for
 * one only, those that were opened while we had it. No other is ever closed.
 */
import { callUpstream, type Upstream } from '../upstream-call.ts';
import type { Connected } from './coverage.ts';
import type { Quota } from './quota.ts';
import { answerIn, CONNECTIONS_PATH, idIn, listIn, recordIn, textIn } from './wire.ts';

const ENDPOINT = 'filtered_stream';
/** X notes a connection's start a little before or after it answers, and its clock shows whole seconds. */
const TOLERANCE_MS = 2_000;

export interface Freed {
  /** Connections of ours that were closed. */
  readonly closed: number;
  /** Connections of others that go on. */
  readonly others: number;
}

const NOTHING_KNOWN: Freed = { closed: 0, others: 1 };

interface Options {
  readonly upstream: Upstream;
  readonly quota: Quota;
  /** When we were connected. */
  readonly connected: readonly Connected[];
  /** The app may have one connection and no more. */
  readonly single: boolean;
  readonly signal: AbortSignal;
}

/** When X cannot be asked, that is as if others were connected: it is no reason to hurry. */
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

/** Up to our last receipt nobody else can have had the only place; after that somebody may. */
const isOurs = (at: number, { from, to }: Connected, single: boolean): boolean =>
  Math.abs(at - from.getTime()) <= TOLERANCE_MS || (single && at > from.getTime() && at <= to.getTime());

function connectionIn(value: unknown): { id: string; at: number }[] {
  const connection = recordIn(value);
  const id = idIn(connection?.['id']);
  const at = Date.parse(textIn(connection?.['connected_at']));
  const isOpen = connection?.['disconnected_at'] === undefined && connection?.['endpoint_name'] === ENDPOINT;
  return id === undefined || !isOpen ? [] : [{ id, at }];
}
