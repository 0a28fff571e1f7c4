/** `sluice adopt`: the settings of this machine become those that every node on the database must have. */
import { Command } from 'commander';
import { openAdmin } from '../../app/admin.ts';
import { printJson } from '../output.ts';

export function adoptCommand(): Command {
  return new Command('adopt')
    .description('make the settings here those that all nodes of the database must share, before nodes start with them')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      await using admin = await openAdmin(process.env);
      const adopted = await admin.adopt();
      if (json) return printJson(adopted);
      for (const { name, before, after } of adopted) console.log(`${name}: ${before ?? 'nothing'} is now ${after}`);
      console.log(
        adopted.length === 0
          ? 'The database has these settings already.'
          : 'Nodes start with these settings from now on. Those that run keep the earlier ones until they are started again.',
      );
    });
}
