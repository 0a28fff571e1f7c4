/** `sluice …`: the program from the command line. Exit status: 0 done, 1 it did not work, 2 it was asked for wrongly. */
import { Command } from 'commander';
import pc from 'picocolors';
import { AdminError } from '../app/admin.ts';
import { ConfigError } from '../app/config.ts';
import { VERSION } from '../app/version.ts';
import { accountsCommand } from './commands/accounts.ts';
import { backupCommand } from './commands/backup.ts';
import { checkCommand } from './commands/check.ts';
import { doctorCommand } from './commands/doctor.ts';
import { keysCommand } from './commands/keys.ts';
import { matchesCommand } from './commands/matches.ts';
import { replayCommand } from './commands/replay.ts';
import { rulesCommand } from './commands/rules.ts';
import { serveCommand } from './commands/serve.ts';
import { CliError } from './output.ts';

const program = new Command('sluice')
  .description('Watches live posts and web pages for agents and programs.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what there is)');
for (const command of [
  serveCommand(),
  keysCommand(),
  accountsCommand(),
  rulesCommand(),
  matchesCommand(),
  checkCommand(),
  replayCommand(),
  backupCommand(),
  doctorCommand(),
]) {
  program.addCommand(command);
}
exitWithTwoWhenMisused(program);

// A reader that has seen enough (`sluice matches | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CliError || error instanceof ConfigError || error instanceof AdminError)) throw error;
  console.error(`${pc.red('error:')} ${error.message}`);
  process.exitCode = exitCodeOf(error);
}

/** Commander ends with 1 when it cannot read the command line; here that is 2, and help that was asked for is 0. */
function exitWithTwoWhenMisused(command: Command): void {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const inside of command.commands) exitWithTwoWhenMisused(inside);
}

function exitCodeOf(error: CliError | ConfigError | AdminError): number {
  if (error instanceof CliError) return error.exitCode;
  return error instanceof ConfigError ? 2 : 1;
}
