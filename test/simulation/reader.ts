/** A live subscriber that comes and goes, and resumes each time after the last event that it has heard. */
import type { Caller } from '../../src/service/access/caller.ts';
import { startStream } from '../../src/service/matches/open-stream.ts';
import type { Node } from './cluster.ts';
import { between } from './faults.ts';
import type { ReceivedMatch } from './receiver.ts';
import { insist, reach } from './requests.ts';
import type { World } from './world-parts.ts';

export interface Reader {
  /** Everything heard, in order. */
  readonly heard: ReceivedMatch[];
  /** Connects once, so that everything later is heard, then comes and goes until that time. */
  run(until: number): Promise<void>;
}

/** Long enough to hear all that is left. */
const LAST_VISIT_MS = 300_000;

interface Reading {
  readonly heard: ReceivedMatch[];
  lastId: string | undefined;
}

export function createReader(world: World, caller: Caller): Reader {
  const { scheduler } = world;
  const reading: Reading = { heard: [], lastId: undefined };
  return {
    heard: reading.heard,
    async run(until) {
      while (scheduler.now < until) {
        await visit(world, caller, reading, Math.min(between(scheduler.random, 1_000, 900_000), until - scheduler.now));
        await scheduler.pause(between(scheduler.random, 100, 300_000));
      }
      await visit(world, caller, reading, LAST_VISIT_MS);
    },
  };
}

/** Stays connected for a time, unless the node ends it. */
async function visit(world: World, caller: Caller, reading: Reading, milliseconds: number): Promise<void> {
  const visited = await insist(world, 'opening a stream', async () => {
    const leaving = new AbortController();
    try {
      return { node: await connect(world, caller, reading, leaving), leaving };
    } catch (error) {
      // A connection whose beginning was not heard is not read from.
      leaving.abort('left');
      throw error;
    }
  });
  if (visited === undefined) return;
  const { node, leaving } = visited;
  await world.scheduler.clockOf().sleep(milliseconds, AbortSignal.any([leaving.signal, node.life.death]));
  leaving.abort('left');
}

/** Until `leaving` aborts, frames are heard; afterwards they are lost on the way. */
const connect = (world: World, caller: Caller, reading: Reading, leaving: AbortController): Promise<Node> =>
  reach(world, async (node) => {
    const { context } = node.test.service;
    const start = await startStream(context, caller, {}, reading.lastId);
    // The client of an answer that comes too late has gone.
    if (leaving.signal.aborted) return node;
    let text = '';
    const subscriber = context.live.subscribe({
      ...start,
      outlet: {
        queued: 0,
        write(bytes) {
          if (!leaving.signal.aborted) text = hear(reading, text + Buffer.from(bytes).toString(), leaving);
          const isTaken = !world.faults.happens(0.05);
          if (!isTaken) void drainLater();
          return isTaken;
        },
        end: () => leaving.abort('left'),
        destroy: () => {},
      },
    });
    async function drainLater(): Promise<void> {
      await world.scheduler.pause(between(world.scheduler.random, 10, 5_000), node.life);
      subscriber.drained();
    }
    leaving.signal.addEventListener('abort', () => subscriber.closed(), { once: true });
    return node;
  });

/** Reads whole frames and returns what is left. */
function hear(reading: Reading, text: string, leaving: AbortController): string {
  const frames = text.split('\n\n');
  const rest = frames.pop()!;
  for (const frame of frames) {
    const fields = new Map(
      frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    if (fields.get('event') === 'match') reading.heard.push(JSON.parse(fields.get('data')!) as ReceivedMatch);
    if (fields.get('event') === 'end') leaving.abort('left');
    reading.lastId = fields.get('id') ?? reading.lastId;
  }
  return rest;
}
