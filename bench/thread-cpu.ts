/** CPU time of a process by its threads, as Linux counts it: in hundredths of a second, added up over the threads of a kind. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface ThreadSeconds {
  /** HTTP, the books of events, all that is no thread of its own. */
  readonly main: number;
  readonly matchers: number;
  /** Threads that the program starts; the store's writer is the only busy one while events come in. */
  readonly writer: number;
  /** V8's own: garbage collection and compiling. */
  readonly v8: number;
  /** The pool of the event loop, and the rest. */
  readonly other: number;
}

const TICKS_A_SECOND = 100;

export function threadSeconds(pid: number): ThreadSeconds {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) throw new Error('CPU time by thread is measured on Linux alone, where /proc tells it');
  const seconds = { main: 0, matchers: 0, writer: 0, v8: 0, other: 0 };
  for (const thread of readdirSync(folder)) {
    // The name stands in brackets and may hold anything; the fields follow it.
    const [head, tail] = readFileSync(`${folder}/${thread}/stat`, 'utf8').split(') ') as [string, string];
    const fields = tail.split(' ');
    const used = (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
    seconds[thread === String(pid) ? 'main' : kindOf(head.slice(head.indexOf('(') + 1))] += used;
  }
  return seconds;
}

function kindOf(name: string): Exclude<keyof ThreadSeconds, 'main'> {
  if (name.includes('matcher')) return 'matchers';
  if (name === 'WorkerThread') return 'writer';
  return name === 'V8Worker' || name === 'DelayedTaskSche' ? 'v8' : 'other';
}

/** Microseconds that each kind spent on one of `events`, and all together. */
export function microsAnEvent(before: ThreadSeconds, after: ThreadSeconds, events: number) {
  const of = (kind: keyof ThreadSeconds) => round(((after[kind] - before[kind]) * 1e6) / events);
  const each = {
    main: of('main'),
    matchers: of('matchers'),
    writer: of('writer'),
    v8: of('v8'),
    other: of('other'),
  };
  return { ...each, all: round(Object.values(each).reduce((sum, micros) => sum + micros)) };
}

const round = (micros: number): number => Math.round(micros * 10) / 10;
