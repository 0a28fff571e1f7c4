/** The cost of a match, from its push on, that goes to more and more open streams, and the memory of the streams. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { KEY, type Started, startServer } from '../../test/black-box/server.ts';
import { residentMb } from '../resident.ts';
import { threadSeconds } from '../thread-cpu.ts';
import { type CurveOptions, type CurvePoint, sizesOf } from './point.ts';

const SIZES = { quick: [1, 100], usual: [1, 10, 100, 1_000, 10_000] };
/** Frames that a point is measured by, and the fewest and the most pushes. */
const FRAMES = 200_000;
const [FEWEST, MOST] = [20, 300];
const WARM_UP = 5;

export async function* streamsCurve(options: CurveOptions): AsyncGenerator<CurvePoint> {
  const sizes = sizesOf(options, SIZES);
  for (const size of sizes) {
    await using server = await startServer({ NODE_OPTIONS: '', SLUICE_STREAMS: String(2 * size) });
    await server.call('POST', '/api.CreateRule', {
      name: 'Storms',
      intent: 'storms at sea',
      platforms: ['x'],
      overrides: { x: 'storm' },
    });
    yield await pointOf(server, size);
  }
}

async function pointOf(server: Started, size: number): Promise<CurvePoint> {
  const program = join(import.meta.dirname, 'stream-readers.ts');
  const url = `${server.url}/matches/stream`;
  const readers = spawn(process.execPath, [program, url, KEY, String(size)], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const told = () => once(readers.stdout, 'data');
    await told();
    let id = 0;
    const push = async (count: number) => {
      for (let left = count; left > 0; left--) {
        const text = `a storm at sea, the ${++id}th of many that this report tells of. `.repeat(3);
        await Promise.all([told(), server.push('x', [{ data: { id: String(id), text } }])]);
      }
    };
    await push(WARM_UP);
    const pid = server.process.pid!;
    const pushes = Math.min(MOST, Math.max(FEWEST, Math.ceil(FRAMES / size)));
    const before = secondsOf(pid);
    await push(pushes);
    const micros = (1e6 * (secondsOf(pid) - before)) / pushes;
    return {
      curve: 'streams',
      size,
      cpu_micros: { 'a match to all': Math.round(micros) },
      resident_mb: residentMb(pid),
    };
  } finally {
    readers.kill();
  }
}

const secondsOf = (pid: number): number =>
  Object.values(threadSeconds(pid)).reduce((sum: number, seconds: number) => sum + seconds, 0);
