/** `sluice mcp`: the tool server for an agent program that starts it. Standard output carries the protocol alone. */
import { Command } from 'commander';
import { findCredentials } from '../credentials.ts';
import { CliError } from '../output.ts';

export function mcpCommand(): Command {
  return new Command('mcp')
    .description('run the tool server for agents over standard input and output')
    .option('--read-only', 'embedded: only the tools that change nothing')
    .addHelpText(
      'after',
      "\nWith SLUICE_URL it talks to that server, with the key in SLUICE_API_KEY. Without, it runs embedded, with its data in\nthe user's own data folder (or SLUICE_DATA_DIR). See docs/agents.md.",
    )
    .action(async ({ readOnly = false }: { readOnly?: boolean }) => {
      const { embedAgents, relayAgents } = await import('../../app/mcp-stdio.ts');
      if (!process.env['SLUICE_URL']) {
        await embedAgents(process.env, { readOnly, terminal: process.stderr.isTTY });
      } else {
        if (readOnly) throw new CliError('With SLUICE_URL the key decides: use one of scope `read`.', 2);
        await relayAgents(findCredentials(process.env));
      }
      process.exit();
    });
}
