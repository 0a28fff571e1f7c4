/**
 * Whether what the log took survives a kill, a power cut and the loss of a server. That rests on settings of the operator: how many
 * servers have a copy, and whether each of them writes to its disk before it confirms. JetStream tells the first; the second is told
 * by the monitoring address of each server alone, so that address must be known for all that have a copy.
 */
import { JetStreamApiError, type StreamInfo } from '@nats-io/jetstream';
import type { Clock } from '../base/clock.ts';
import { LEAST_REPLICAS, WrongStreamError } from './log-stream.ts';

const LOOK_EVERY_MS = 5_000;
const ANSWER_MS = 2_000;

const GUIDE = 'See "Answered when logged" in docs/scale-out.md.';

interface Deps {
  /** Makes the stream where it is missing. Throws when it cannot be had with the settings that the log needs. */
  readonly stream: () => Promise<StreamInfo>;
  readonly monitors: readonly string[];
  readonly clock: Clock;
}

export interface LogDurability {
  /** Returns undefined when the log is seen to be durable. Throws when the broker does not answer. */
  problem(): Promise<string | undefined>;
  lookAgain(): void;
}

export function createLogDurability(deps: Deps): LogDurability {
  const { clock } = deps;
  /** By server, whether it writes before it confirms. One that is away now is judged by what it said last. */
  const seen = new Map<string, boolean>();
  let known: { readonly at: number; readonly problem: Promise<string | undefined> } | undefined;
  const lookAgain = (): void => {
    known = undefined;
  };
  return {
    problem() {
      if (known === undefined || clock.elapsed() - known.at >= LOOK_EVERY_MS)
        known = { at: clock.elapsed(), problem: look(deps, seen) };
      known.problem.catch(lookAgain);
      return known.problem;
    },
    lookAgain,
  };
}

async function look({ stream, monitors }: Deps, seen: Map<string, boolean>): Promise<string | undefined> {
  try {
    const [info] = await Promise.all([stream(), ...monitors.map((address) => noteServer(address, seen))]);
    const problem = copiesProblem(info) ?? syncProblem(info, seen);
    return problem && `${problem} ${GUIDE}`;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return `The log cannot be had: ${error.message}. ${GUIDE}`;
  }
}

/** The stream cannot be as the log needs it; a server that is busy with something else says so with this status. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof WrongStreamError || (error instanceof JetStreamApiError && error.status !== 503);

function copiesProblem({ config, cluster }: StreamInfo): string | undefined {
  const { num_replicas: copies, name } = config;
  if (copies >= LEAST_REPLICAS && cluster !== undefined) return undefined;
  return `The log is on ${copies} NATS server${copies === 1 ? '' : 's'}, and must be on ${LEAST_REPLICAS}: run \`nats stream edit ${name} --replicas ${LEAST_REPLICAS}\`.`;
}

function syncProblem({ cluster }: StreamInfo, seen: ReadonlyMap<string, boolean>): string | undefined {
  const names = [cluster?.leader, ...(cluster?.replicas ?? []).map(({ name }) => name)];
  for (const name of names.filter((one) => one !== undefined)) {
    if (seen.get(name) === undefined)
      return `Whether the NATS server ${name} writes before it confirms cannot be seen: add its monitoring address to SLUICE_NATS_MONITOR.`;
    if (seen.get(name) === false)
      return `The NATS server ${name} confirms before it writes: set \`sync_interval: always\` in its block \`jetstream\` (NATS 2.10 or newer).`;
  }
  return undefined;
}

async function noteServer(address: string, seen: Map<string, boolean>): Promise<void> {
  try {
    const answer = await fetch(`${address}/varz`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' });
    const said = (await answer.json()) as { server_name?: unknown; jetstream?: { config?: { sync_always?: unknown } } };
    if (typeof said.server_name === 'string') seen.set(said.server_name, said.jetstream?.config?.sync_always === true);
  } catch {
    // It is away, or it is no such address: what it said last stands.
  }
}
