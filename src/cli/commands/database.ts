/** `sluice migrate`: from the SQLite file to PostgreSQL, once, with the server stopped. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { openAdmin } from '../../app/admin.ts';
import { loadConfig } from '../../app/config.ts';
import { moveStore, restoreAdvice } from '../../app/open-store.ts';
import { CliError, printJson } from '../output.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .argument('<url>', 'an empty PostgreSQL database, as postgres://…')
    .description('copy everything from the SQLite file to PostgreSQL; stop the server first')
    .option('--json', 'print JSON')
    .action(async (url: string, { json }: { json?: true }) => {
      if (!/^postgres(ql)?:\/\//.test(url)) throw new CliError('The target must be a postgres:// address.', 2);
      const moved = await moveStore(process.env, url, existsSync);
      if (json) return printJson(moved);
      for (const [table, rows] of Object.entries(moved)) if (rows > 0) console.log(`${table}: ${rows}`);
      console.log('Done. Start the server with SLUICE_STORE_URL set to that address; the file stays as it is.');
    });
}

/** `sluice backup`: a consistent copy of the database, while the server runs or not. */
export function backupCommand(): Command {
  return new Command('backup')
    .argument('<file>', 'where the copy goes; must not exist yet')
    .description('take a consistent copy of the database, also while the server runs')
    .option('--json', 'print JSON')
    .action(async (file: string, { json }: { json?: true }) => {
      if (existsSync(file)) throw new CliError(`${file} is there already; name another file.`, 2);
      await using admin = await openAdmin(process.env, { mustExist: true });
      await admin.backup(file);
      if (json) printJson({ file });
      else console.log(`The copy is ${file}. ${restoreAdvice(loadConfig(process.env))}`);
    });
}

/** `sluice adopt`: the settings of this machine become those that every node on the database must have. */
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
