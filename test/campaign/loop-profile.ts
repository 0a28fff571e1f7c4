/**
 * What a long callback did: V8's profiler looks every two milliseconds where the thread is. A callback that used much of the processor
 * by the system's count and was hardly ever seen may not have run: the host of a virtual machine can take a processor away.
 */
import { Session } from 'node:inspector';
import { performance } from 'node:perf_hooks';

const LOOK_US = 2_000;
/** So many stacks of a block are told, each with so many functions. */
const [MOST_TOLD, DEEPEST] = [3, 6];

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly Node[];
  readonly endTime: number;
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Milliseconds of `performance.now()`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface SeenBlock extends Span {
  /** Milliseconds in which the thread was seen to run. */
  readonly seen: number;
  /** Where it was most often, the innermost function first. */
  readonly stacks: readonly string[];
}

/** Answers what reads and forgets all looks, and what was seen within these spans. */
export function openProfile(): (spans: readonly Span[]) => SeenBlock[] {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: LOOK_US });
  session.post('Profiler.start');
  return (spans) => {
    let seen: SeenBlock[] = [];
    const now = performance.now();
    session.post('Profiler.stop', (error, result) => {
      if (error === null) seen = spans.map((span) => seenIn(result.profile as Profile, now, span));
    });
    session.post('Profiler.start');
    return seen;
  };
}

function seenIn(profile: Profile, now: number, { from, to }: Span): SeenBlock {
  const stackOf = stacksOf(profile);
  const counts = new Map<string, number>();
  let time = profile.startTime;
  profile.samples.forEach((node, at) => {
    time += profile.timeDeltas[at]!;
    const moment = now - (profile.endTime - time) / 1_000;
    if (moment < from || moment > to) return;
    const stack = stackOf(node);
    if (!stack.startsWith('(idle)')) counts.set(stack, (counts.get(stack) ?? 0) + 1);
  });
  const often = [...counts].toSorted(([, one], [, other]) => other - one);
  const seen = (often.reduce((sum, [, count]) => sum + count, 0) * LOOK_US) / 1_000;
  return { from, to, seen, stacks: often.slice(0, MOST_TOLD).map(([stack, count]) => `${count} × ${stack}`) };
}

function stacksOf({ nodes }: Profile): (id: number) => string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  return (id) => {
    const names: string[] = [];
    for (let at: number | undefined = id; at !== undefined && names.length < DEEPEST; at = parents.get(at)) {
      const { functionName, url, lineNumber } = byId.get(at)!.callFrame;
      names.push(
        url === '' ? functionName : `${functionName} (${url.split('/').slice(-2).join('/')}:${lineNumber + 1})`,
      );
    }
    return names.join(' < ');
  };
}
