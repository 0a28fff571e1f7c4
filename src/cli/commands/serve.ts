/** `sluice serve`: the server, until a signal ends it. */
import { Command } from 'commander';
import { serve } from '../../app/serve.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the server (settings come from the environment; see docs/configuration.md)')
    .option('--json', 'log JSON lines on a terminal too')
    .action((options: { json?: true }) => serve(process.env, { terminal: process.stderr.isTTY && !options.json }));
}
