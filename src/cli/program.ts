/**
 * `sluice …`: the program from the command line. Exit status: 0 done, 1 it failed, 2 the command or a setting is wrong,
 * 3 `rules plan --exit-code` found something to change, 130 interrupted at a question.
 */
import { Command } from 'commander';
import type { SluiceError } from '../../packages/client/src/index.ts';
import { VERSION } from '../app/version.ts';
import { CliError, err } from './output.ts';

/** In the order in which help lists them. A command is loaded when it is named: most need little of the program. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  login: async () => (await import('./commands/login.ts')).loginCommand(),
  logout: async () => (await import('./commands/login.ts')).logoutCommand(),
  open: async () => (await import('./commands/open.ts')).openCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  rules: async () => (await import('./commands/rules.ts')).rulesCommand(),
  matches: async () => (await import('./commands/matches.ts')).matchesCommand(),
  stories: async () => (await import('./commands/stories.ts')).storiesCommand(),
  rate: async () => (await import('./commands/rate.ts')).rateCommand(),
  suggest: async () => (await import('./commands/rate.ts')).suggestCommand(),
  draft: async () => (await import('./commands/rate.ts')).draftCommand(),
  digest: async () => (await import('./commands/digest.ts')).digestCommand(),
  alerts: async () => (await import('./commands/alerts.ts')).alertsCommand(),
  tail: async () => (await import('./commands/tail.ts')).tailCommand(),
  webhooks: async () => (await import('./commands/webhooks/webhooks.ts')).webhooksCommand(),
  why: async () => (await import('./commands/why.ts')).whyCommand(),
  explain: async () => (await import('./commands/why.ts')).explainCommand(),
  check: async () => (await import('./commands/check.ts')).checkCommand(),
  erase: async () => (await import('./commands/erase.ts')).eraseCommand(),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  rehearse: async () => (await import('./commands/rehearse.ts')).rehearseCommand(),
  replay: async () => (await import('./commands/replay.ts')).replayCommand(),
  demo: async () => (await import('./commands/status.ts')).demoCommand(),
  sources: async () => (await import('./commands/sources/sources.ts')).sourcesCommand(),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  feeds: async () => (await import('./commands/feeds.ts')).feedsCommand(),
  grants: async () => (await import('./commands/agents.ts')).grantsCommand(),
  subscriptions: async () => (await import('./commands/agents.ts')).subscriptionsCommand(),
  wakes: async () => (await import('./commands/wakes.ts')).wakesCommand(),
  silences: async () => (await import('./commands/silences.ts')).silencesCommand(),
  top: async () => (await import('./commands/top.ts')).topCommand(),
  accounts: async () => (await import('./commands/accounts.ts')).accountsCommand(),
  adopt: async () => (await import('./commands/database.ts')).adoptCommand(),
  backup: async () => (await import('./commands/database.ts')).backupCommand(),
  tombstones: async () => (await import('./commands/tombstones.ts')).tombstonesCommand(),
  migrate: async () => (await import('./commands/database.ts')).migrateCommand(),
  sandbox: async () => (await import('./commands/sandbox.ts')).sandboxCommand(),
  changes: async () => (await import('./commands/changes.ts')).changesCommand(),
  certify: async () => (await import('./commands/certificates.ts')).certifyCommand(),
  verify: async () => (await import('./commands/certificates.ts')).verifyCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  completion: async () => (await import('./commands/completion.ts')).completionCommand(),
};

/** The commands that talk to a server, and so take `--url` and `--key`. */
const TALK = new Set(
  `open status rules matches stories rate suggest draft digest alerts tail webhooks why explain erase mcp rehearse replay demo keys
   feeds grants subscriptions wakes silences changes certify top`.split(/\s+/),
);

/** Errors whose message is for the person at the keyboard. By name, since most commands do without what throws them. */
const TOLD: readonly string[] = ['CliError', 'ConfigError', 'AdminError', 'StartError'];

const STORE_ADVICE: Readonly<Record<string, string>> = {
  full: ' Free some space.',
  unwritable: ' Is the disk full, or may this user not write there?',
};

// Files that a command makes are for the user who runs it alone: they hold posts, rules and keys.
process.umask(0o077);

const program = new Command('sluice')
  .description('Watches live posts and web pages for agents and programs.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what there is)')
  .addHelpText('after', '\nExit status: 0 done, 1 it failed, 2 the command or a setting is wrong.');
for (const name of namedCommands(process.argv[2])) program.addCommand(await commandNamed(name));
exitWithTwoWhenMisused(program);

// A reader that has seen enough (`sluice matches | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  const message = `The output cannot be written (${error.code}).`;
  tell({ message, json: { code: 'failed', message, details: {} } });
  process.exit(1);
});

try {
  await program.parseAsync();
} catch (error) {
  const failure = await failureOf(error);
  tell(failure);
  process.exitCode = failure.exitCode;
}

function tell({ message, json }: { readonly message: string; readonly json: object }): void {
  if (process.argv.includes('--json')) console.error(JSON.stringify(json));
  else if (message !== '') console.error(`${err.red('error:')} ${message}`);
}

/** Help, completion and the answer to a misspelt name need all of them; the version needs none. */
function namedCommands(name: string | undefined): readonly string[] {
  if (name === '--version' || name === '-V') return [];
  const isOne = name !== undefined && name !== 'completion' && Object.hasOwn(COMMANDS, name);
  return isOne ? [name] : Object.keys(COMMANDS);
}

async function commandNamed(name: string): Promise<Command> {
  const command = await COMMANDS[name]!();
  return TALK.has(name) ? (await import('./server-flags.ts')).withServerFlags(command) : command;
}

/** Commander ends with 1 when it cannot read the command line; here that is 2, and help that was asked for is 0. */
function exitWithTwoWhenMisused(command: Command): void {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const inside of command.commands) exitWithTwoWhenMisused(inside);
}

/** Describes a failure for people and, in the shape that the server's failures have too, for programs. */
async function failureOf(error: unknown): Promise<{ message: string; exitCode: number; json: object }> {
  if (isOfServer(error)) {
    const { code, message, details } = error;
    const { describeFailure } = await import('./connect.ts');
    return { message: describeFailure(error), exitCode: 1, json: { code, message, details } };
  }
  if (isOfStore(error)) {
    const message = `${error.message}${await storeAdvice(error.reason)}`;
    return { message, exitCode: 1, json: { code: 'failed', message, details: { reason: error.reason } } };
  }
  if (!(error instanceof Error) || !TOLD.includes(error.name)) throw error;
  const { message } = error;
  const { exitCode, details } =
    error instanceof CliError ? error : { exitCode: error.name === 'ConfigError' ? 2 : 1, details: {} };
  return { message, exitCode, json: { code: exitCode === 2 ? 'invalid_argument' : 'failed', message, details } };
}

async function storeAdvice(reason: string): Promise<string> {
  if (reason !== 'damaged') return STORE_ADVICE[reason] ?? '';
  // The command that opened the store has loaded both.
  const { loadConfig } = await import('../app/config.ts');
  const { restoreAdvice } = await import('../app/open-store.ts');
  return ` The database is damaged. ${restoreAdvice(loadConfig(process.env))}`;
}

/** By name: a command that talks to no server does not load the client. */
function isOfServer(error: unknown): error is SluiceError {
  return error instanceof Error && error.name === 'SluiceError';
}

/** A problem of the disk or the file is the operator's to solve; a defect in our use of the store keeps its stack. */
function isOfStore(error: unknown): error is Error & { readonly reason: string } {
  const isOurs = (reason: unknown) => reason === 'defect' || reason === 'refused';
  return error instanceof Error && error.name === 'StoreError' && 'reason' in error && !isOurs(error.reason);
}
