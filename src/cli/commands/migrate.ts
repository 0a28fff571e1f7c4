/** `sluice migrate`: from the SQLite file to PostgreSQL, once, with the server stopped. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { moveStore } from '../../app/move-store.ts';
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
