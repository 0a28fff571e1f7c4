/**
 * Power failures: the program lives on a disk whose calls are recorded, the power fails at any of them, and what the disk may
 * then hold is opened by the program and held against what it had told. The next life begins on one of these disks.
 *
 * A killed process shows none of this: the system keeps what it wrote. Nor do copies of the files of a running server: they show
 * what was written, and not what would be there had the last syncs not come.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import { type DiskCall, type DiskImage, imageAfter, type Recording } from './disk.ts';
import { type Fact, learn, nothingKnown } from './facts.ts';
import type { LifeOrder, Work } from './life.ts';
import { verify, writeImage } from './verify.ts';

/** The calls that a program with a mistake would have asked of the disk. */
export type Mistake = (recording: Recording) => Recording;

export interface PowerOptions {
  readonly program: RecordedProgram;
  readonly failures: number;
  readonly seed: number;
  readonly failuresInLife?: number;
  readonly steps?: number;
  readonly work?: readonly Work[];
  readonly isSyncOff?: boolean;
  readonly mistake?: Mistake;
  readonly report?: (line: string) => void;
}

const ALL_WORK: readonly Work[] = [
  ...(['push', 'push', 'push', 'push', 'readUpstream', 'readUpstream', 'makeWebhook'] as const),
  ...(['erase', 'writeSnapshot', 'backUp', 'logIn', 'remove'] as const),
];

const LIVES_OF_A_DISK = 6;

/** Every sync of the real disk would take its time, and none of them matters here. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export interface PowerResult {
  readonly failures: number;
  readonly lives: number;
  readonly acknowledged: number;
  /** One sentence for each thing that was wrong after a power failure. */
  readonly problems: readonly string[];
  /** The last of them. */
  readonly disk: DiskImage;
}

export async function failPower(options: PowerOptions): Promise<PowerResult> {
  const { failures, seed, failuresInLife = 25, steps = 40, work = ALL_WORK, mistake = (same) => same } = options;
  const random = randomFrom(seed);
  const { program } = options;
  const problems: string[] = [];
  let disk = emptyDisk();
  let known = nothingKnown();
  let [done, lives, next, acknowledged] = [0, 0, 0, 0];
  while (done < failures) {
    // Some lives begin on an empty disk: the first start makes the files.
    if (lives % LIVES_OF_A_DISK === 0) [disk, known] = [emptyDisk(), nothingKnown()];
    const order = { seed: Math.floor(random() * 2 ** 32), steps, next, work, isSyncOff: options.isSyncOff ?? false };
    const recording = mistake(await inFolder(disk, (folder) => program.live({ ...order, folder })));
    lives++;
    next += steps * 40;
    const from = known;
    acknowledged += learn(from, factsIn(recording.calls)).events.size - from.events.size;
    for (let count = 0; count < failuresInLife && done < failures; count++) {
      const cut = cutIn(recording.calls, random);
      disk = imageAfter(recording, cut, random);
      known = learn(from, factsIn(recording.calls.slice(0, cut)));
      const wrong = await inFolder(disk, (folder) => verify(folder, known, random));
      done++;
      for (const problem of wrong) problems.push(`life ${lives}, call ${cut} of ${recording.calls.length}: ${problem}`);
      // The next life needs a disk that is whole.
      if (wrong.length > 0) return { failures: done, lives, acknowledged, problems, disk };
    }
    options.report?.(`${done} power failures in ${lives} lives, ${acknowledged} events acknowledged, 0 lost`);
  }
  return { failures: done, lives, acknowledged, problems, disk };
}

const emptyDisk = (): DiskImage => ({ folders: new Set(), files: new Map() });

const factsIn = (calls: readonly DiskCall[]): Fact[] =>
  calls.flatMap((call) => (call.kind === 'told' ? [call.fact as Fact] : []));

/** Anywhere, or right after somebody was told something, or after a file got its name: that is when a missing sync shows. */
function cutIn(calls: readonly DiskCall[], random: Random): number {
  const cut = Math.floor(random() * (calls.length + 1));
  const sought = pick(random, ['any', 'told', 'names']);
  const found = calls.findIndex(({ kind }, index) => index >= cut && kind === sought);
  return found < 0 ? cut : found + 1;
}

export async function inFolder<T>(disk: DiskImage, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(FOLDER, 'sluice-power-'));
  try {
    writeImage(folder, disk);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface RecordedProgram extends AsyncDisposable {
  live(order: LifeOrder): Promise<Recording>;
}

/** The program in a thread of its own, which records its calls to the disk. */
export function startProgram(): RecordedProgram {
  const thread = new Worker(new URL('./life.ts', import.meta.url));
  return {
    async live(order) {
      thread.postMessage(order, []);
      const [answer] = (await once(thread, 'message')) as [{ recording: Recording } | { error: unknown }];
      if ('error' in answer) throw answer.error;
      return answer.recording;
    },
    [Symbol.asyncDispose]: async () => void (await thread.terminate()),
  };
}
