/** `sluice serve`: the server, until a signal ends it. */
import { Command } from 'commander';
import { boundHeap } from '../../base/heap.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the server (settings come from the environment; see docs/configuration.md)')
    .option('--json', 'log JSON lines on a terminal too')
    .action(async (options: { json?: true }) => {
      boundHeap();
      // The server is most of the program; the other commands start faster without it.
      const { serve } = await import('../../app/serve.ts');
      await serve(process.env, { terminal: process.stderr.isTTY && !options.json });
    });
}
