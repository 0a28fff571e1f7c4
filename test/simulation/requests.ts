/** Requests of clients: to any node that is there, sent again until they are answered. */
import type { Caller } from '../../src/service/access/caller.ts';
import { ServiceError } from '../../src/service/errors.ts';
import type { OperationName } from '../../src/service/operations.ts';
import type { AnswerOf } from '../stages/service.ts';
import type { Node } from './cluster.ts';
import { between } from './faults.ts';
import { AWAKE_MS } from './scheduler.ts';
import type { World } from './world-parts.ts';

/** The client hears nothing: the node was killed, the answer was lost, or it took too long. */
class NoAnswer extends Error {}

const PATIENCE_MS = 60_000;
const MOST_TRIES = 300;
const RETRYABLE: ReadonlySet<string> = new Set(['unavailable', 'deadline_exceeded']);

/** Runs work on a node, as a request over a network would: it may never be answered. */
export async function reach<T>(world: World, work: (node: Node) => Promise<T>): Promise<T> {
  const { scheduler, faults, cluster } = world;
  const node = cluster.pick();
  scheduler.stir(AWAKE_MS);
  if (node === undefined) throw new NoAnswer('no node is there');
  const answered = new AbortController();
  const request = async (): Promise<T> => {
    await scheduler.pause(between(scheduler.random, 0, 5), node.life);
    const answer = await work(node);
    await scheduler.pause(between(scheduler.random, 0, 5), node.life);
    scheduler.stir(AWAKE_MS);
    if (faults.happens(0.02)) throw new NoAnswer('the answer was lost');
    return answer;
  };
  const silence = scheduler.clockOf().sleep(PATIENCE_MS, AbortSignal.any([answered.signal, node.life.death]));
  try {
    return await Promise.race([request(), silence.then(() => Promise.reject(new NoAnswer('no answer came')))]);
  } finally {
    answered.abort('answered');
  }
}

export const ask = <Name extends OperationName>(
  world: World,
  caller: Caller,
  name: Name,
  input: unknown,
  idempotencyKey?: string,
): Promise<AnswerOf<Name>> => reach(world, ({ test }) => test.call(caller, name, input, { idempotencyKey }));

export const isRetryable = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof ServiceError && RETRYABLE.has(error.code));

/** Tries until there is an answer; undefined when there is none that could still come. An error nobody expects is a violation. */
export async function insist<T>(
  world: World,
  what: string,
  attempt: (tries: number) => Promise<T>,
): Promise<T | undefined> {
  const { scheduler, ledger } = world;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    try {
      const answer = await attempt(tries);
      scheduler.note(`${what}: done`);
      return answer;
    } catch (error) {
      scheduler.note(`${what}: ${String(error)}`);
      if (!isRetryable(error)) {
        ledger.violations.push(`${what} failed with ${String(error)}`);
        return undefined;
      }
    }
    await scheduler.pause(between(scheduler.random, 500, 5_000));
  }
  ledger.violations.push(`${what} was not answered in ${MOST_TRIES} tries`);
  return undefined;
}
