/** Load on a cluster that says when it last got on: pushes and new rules by each api, and deliveries. */
import { setTimeout as pause } from 'node:timers/promises';
import { callServer, pushTo } from '../black-box/server.ts';
import type { Cluster, ClusterNode } from '../cluster/cluster.ts';
import { BATCH, batchFrom, eventOf } from './load.ts';

/** The first event of every batch matches a rule. */
export interface Progress {
  /** The number of the next event that is pushed. */
  readonly next: number;
  /** First numbers of the batches that were acknowledged. */
  readonly acknowledged: readonly number[];
  readonly refused: number;
  readonly rulesCreated: number;
  /** The number of the last batch that each api acknowledged, and of the rules begun there since it started. */
  readonly pushedBy: ReadonlyMap<string, number>;
  readonly createdBy: ReadonlyMap<string, number>;
  /** How many creations have begun. */
  readonly begun: number;
  stop(): Promise<void>;
}

/** Apart, so that what is counted in the end stays small. */
const BETWEEN_PUSHES_MS = 250;
const BETWEEN_RULES_MS = 500;

type State = { -readonly [Key in keyof Omit<Progress, 'stop'>]: Progress[Key] } & {
  readonly acknowledged: number[];
  readonly pushedBy: Map<string, number>;
  readonly createdBy: Map<string, number>;
};

export function loadCluster({ apis }: Cluster): Progress {
  const state: State = {
    next: 0,
    acknowledged: [],
    refused: 0,
    rulesCreated: 0,
    pushedBy: new Map(),
    createdBy: new Map(),
    begun: 0,
  };
  const stopping = new AbortController();
  const loops = apis.flatMap((api) => [
    pushUntil(state, api, stopping.signal),
    createUntil(state, api, stopping.signal),
  ]);
  return Object.assign(state, {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  });
}

/** A batch that was not acknowledged is pushed again until it is. */
async function pushUntil(state: State, { name, url }: ClusterNode, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const first = state.next;
    state.next += BATCH;
    for (;;) {
      const answer = await pushTo(url, 'x', batchFrom(first).map(eventOf)).catch(() => undefined);
      if (answer?.status === 200) break;
      state.refused++;
      await pause(50);
    }
    state.acknowledged.push(first);
    state.pushedBy.set(name, first);
    await pause(BETWEEN_PUSHES_MS);
  }
}

/** Creates a rule that matches nothing, and deletes it again. */
async function createUntil(state: State, { name, url }: ClusterNode, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const number = state.begun++;
    const rule = { name: 'passing', intent: '', platforms: ['x'], overrides: { x: `passing${number}` } };
    const created = await insist(state, url, '/api.CreateRule', rule, `passing-${number}`);
    state.createdBy.set(name, number);
    state.rulesCreated++;
    await insist(state, url, '/api.DeleteRule', { rule_id: created['rule_id'] });
    await pause(BETWEEN_RULES_MS);
  }
}

async function insist(
  state: State,
  url: string,
  path: string,
  body: unknown,
  key?: string,
): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  for (let tries = 1; ; tries++) {
    const answer = await callServer(url, 'POST', path, body, { headers }).catch(() => undefined);
    if (answer?.status === 200) return answer.body;
    // An attempt whose answer was lost has deleted it.
    if (answer?.status === 404 && tries > 1) return {};
    if (answer !== undefined && answer.status < 500) throw new Error(`${path} was refused: ${answer.text}`);
    state.refused++;
    await pause(100);
  }
}
