/** `npm run campaign -- wakes-kit [--times N] [--seed N]`: nine shapes of harness, in four states, killed at each step; 5,000 runs. */
import { wakesUnderKills } from '../wakes-kit/kills.ts';

const MOST_TOKENS = 600;

export async function wakesKitCampaign(options: { times?: number; seed?: number }): Promise<boolean> {
  const { times: runs = 5_000, seed = Date.now() % 2 ** 32 } = options;
  console.log(`wakes-kit: ${runs} runs, seed ${seed}`);
  const result = await wakesUnderKills({ runs, seed, report: (line) => console.log(line) });
  console.log(JSON.stringify(result));
  const { kills, lost, twice, idle, open, tokens } = result;
  return lost + twice + idle + open === 0 && tokens <= MOST_TOKENS && kills > runs / 2;
}
