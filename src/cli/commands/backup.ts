/** `sluice backup`: a consistent copy of the database, while the server runs or not. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { openAdmin } from '../../app/admin.ts';
import { CliError, printJson } from '../output.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .argument('<file>', 'where the copy goes; must not exist yet')
    .description('take a consistent copy of the database, also while the server runs')
    .option('--json', 'print JSON')
    .action(async (file: string, { json }: { json?: true }) => {
      if (existsSync(file)) throw new CliError(`${file} is there already; name another file.`, 2);
      await using admin = await openAdmin(process.env);
      await admin.backup(file);
      if (json) printJson({ file });
      else
        console.log(`The copy is ${file}. To go back to it, stop the server and put it in the place of the database.`);
    });
}
