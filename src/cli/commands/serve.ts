/** `sluice serve`: the server, until a signal ends it. */
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';

/**
 * Percent of what is in use that garbage may add before it is collected. Left to itself V8 waits for three hundred, and nothing
 * is answered for 40 to 60 ms while it gives as many long texts back.
 */
const MOST_GARBAGE = 100;

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the server (settings come from the environment; see docs/configuration.md)')
    .option('--json', 'log JSON lines on a terminal too')
    .action(async (options: { json?: true }) => {
      setFlagsFromString(`--heap-growing-percent=${MOST_GARBAGE}`);
      // The server is most of the program; the other commands start faster without it.
      const { serve } = await import('../../app/serve.ts');
      await serve(process.env, { terminal: process.stderr.isTTY && !options.json });
    });
}
