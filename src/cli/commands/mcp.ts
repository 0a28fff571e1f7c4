/** `sluice mcp`: the tool server for an agent program that starts it. Standard output carries the protocol alone. */
import { Command } from 'commander';
import { findCredentials } from '../credentials.ts';
import { CliError } from '../output.ts';

interface Options {
  readonly readOnly?: boolean;
  readonly channel?: boolean;
  readonly rule?: string;
}

export function mcpCommand(): Command {
  return new Command('mcp')
    .description('run the tool server for agents over standard input and output')
    .option('--read-only', 'embedded: only the tools that change nothing')
    .option('--channel', 'push new matches into the session of Claude Code (experimental)')
    .option('--rule <rule>', 'with --channel: only the matches of this rule, by its id or name')
    .addHelpText(
      'after',
      "\nWith SLUICE_URL it talks to that server, with the key in SLUICE_API_KEY. Without, it runs embedded, with its data in\nthe user's own data folder (or SLUICE_DATA_DIR). See docs/agents.md.",
    )
    .action(async ({ readOnly = false, channel: isWanted = false, rule }: Options) => {
      if (rule !== undefined && !isWanted) throw new CliError('--rule needs --channel.', 2);
      const channel = isWanted ? { rule } : undefined;
      const { embedAgents, relayAgents } = await import('../../app/mcp-stdio.ts');
      if (!process.env['SLUICE_URL']) {
        await embedAgents(process.env, { readOnly, terminal: process.stderr.isTTY, channel });
      } else {
        if (readOnly) throw new CliError('With SLUICE_URL the key decides: use one of scope `read`.', 2);
        await relayAgents(findCredentials(process.env), process.env, channel);
      }
      process.exit();
    });
}
