/** `npm run campaign -- power [--failures N] [--seed N]`: fails unless nothing that was told is lost in any power failure. */
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { startServer } from '../black-box/server.ts';
import { failPower, inFolder, startProgram } from '../power/power-failures.ts';

export async function powerCampaign(options: { failures?: number; seed?: number }): Promise<boolean> {
  const { failures = 1_000, seed = Date.now() % 2 ** 32 } = options;
  console.log(`power: ${failures} power failures, seed ${seed}`);
  await using program = startProgram();
  const result = await failPower({ program, failures, seed, report: (line) => console.log(line) });
  for (const problem of result.problems) console.log(problem);
  console.log(
    `${result.failures} power failures in ${result.lives} lives; ${result.acknowledged} events acknowledged; problems: ${result.problems.length}`,
  );
  if (result.problems.length > 0) return false;
  return inFolder(result.disk, (folder) => isServed(join(folder, 'data')));
}

/** The real program, as a process of its own, starts on the last of these disks. */
async function isServed(dataDir: string): Promise<boolean> {
  const server = await startServer({}, dataDir);
  let { status, text } = await server.call('GET', '/readyz');
  // It answers while it reads the rules.
  for (let asked = 1; status !== 200 && asked < 100; asked++) {
    await systemClock.sleep(100);
    ({ status, text } = await server.call('GET', '/readyz'));
  }
  await server.end('SIGTERM');
  console.log(`a server on the last disk answers ${status} ${text}`);
  return status === 200;
}
