/**
 * `sluice …`: the program from the command line. Exit status: 0 done, 1 it did not work, 2 it was asked for wrongly,
 * 3 `rules plan --exit-code` found something to change, 130 interrupted at a question.
 */
import { Command } from 'commander';
import { AdminError } from '../app/admin.ts';
import { ConfigError } from '../app/config.ts';
import { VERSION } from '../app/version.ts';
import { SluiceError } from '../client/index.ts';
import { err } from './colours.ts';
import { accountsCommand } from './commands/accounts.ts';
import { backupCommand } from './commands/backup.ts';
import { checkCommand } from './commands/check.ts';
import { completionCommand } from './commands/completion.ts';
import { doctorCommand } from './commands/doctor.ts';
import { keysCommand } from './commands/keys.ts';
import { loginCommand, logoutCommand } from './commands/login.ts';
import { matchesCommand } from './commands/matches.ts';
import { mcpCommand } from './commands/mcp.ts';
import { replayCommand } from './commands/replay.ts';
import { rulesCommand } from './commands/rules.ts';
import { serveCommand } from './commands/serve.ts';
import { statusCommand } from './commands/status.ts';
import { tailCommand } from './commands/tail.ts';
import { describeFailure } from './connect.ts';
import { CliError } from './output.ts';

const program = new Command('sluice')
  .description('Watches live posts and web pages for agents and programs.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what there is)')
  .addHelpText('after', '\nExit status: 0 done, 1 it did not work, 2 it was asked for wrongly.');
for (const command of [
  serveCommand(),
  loginCommand(),
  logoutCommand(),
  statusCommand(),
  rulesCommand(),
  matchesCommand(),
  tailCommand(),
  checkCommand(),
  mcpCommand(),
  replayCommand(),
  keysCommand(),
  accountsCommand(),
  backupCommand(),
  doctorCommand(),
  completionCommand(),
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
  const failure = failureOf(error);
  if (process.argv.includes('--json')) console.error(JSON.stringify(failure.json));
  else if (failure.message !== '') console.error(`${err.red('error:')} ${failure.message}`);
  process.exitCode = failure.exitCode;
}

/** Commander ends with 1 when it cannot read the command line; here that is 2, and help that was asked for is 0. */
function exitWithTwoWhenMisused(command: Command): void {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const inside of command.commands) exitWithTwoWhenMisused(inside);
}

/** What went wrong, for people and, in the shape that the server's failures have too, for programs. */
function failureOf(error: unknown): { message: string; exitCode: number; json: object } {
  if (error instanceof SluiceError) {
    const { code, message, details } = error;
    return { message: describeFailure(error), exitCode: 1, json: { code, message, details } };
  }
  if (!(error instanceof CliError || error instanceof ConfigError || error instanceof AdminError)) throw error;
  const { message } = error;
  const exitCode = error instanceof CliError ? error.exitCode : error instanceof ConfigError ? 2 : 1;
  const details = error instanceof CliError ? error.details : {};
  return { message, exitCode, json: { code: exitCode === 2 ? 'invalid_argument' : 'failed', message, details } };
}
