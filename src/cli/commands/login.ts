/** `sluice login` and `sluice logout`: the server and the key that the other commands use from then on. */
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { USUAL_SERVER } from '../../app/server-settings.ts';
import { hasFileModes } from '../../base/system.ts';
import { connectServer } from '../connect.ts';
import {
  credentialsPath,
  forgetCredentials,
  serverAddress,
  storeCredentials,
  storedCredentials,
} from '../credentials.ts';
import { CliError, printJson } from '../output.ts';
import { ask, isInteractive } from '../terminal.ts';

interface Options {
  readonly url?: string;
  readonly key?: string;
  readonly json?: true;
}

export function loginCommand(): Command {
  return new Command('login')
    .description('remember a server and a key for the other commands')
    .option('--url <address>', 'the address of the server')
    .option('--key <key>', 'the key; better asked for on a terminal, or read from standard input')
    .option('--json', 'print JSON')
    .addHelpText('after', '\n  sluice login\n  sluice login --url https://sluice.example.org < key.txt')
    .action(login);
}

async function login(options: Options): Promise<void> {
  const url = serverAddress(options.url ?? (await askUrl()));
  const key = (options.key ?? (await askKey())).trim();
  if (key === '') throw new CliError('There is no key: give it with --key, or on standard input.', 2);
  const { account } = await connectServer({ url, key }).client.status();
  const path = storeCredentials(process.env, { url, key });
  if (options.json) printJson({ url, account: account.name, stored: path });
  else
    console.log(
      `Logged in to ${url} as ${account.name}. The key is in ${path}${hasFileModes(process.platform) ? ', which only you can read' : ''}.`,
    );
  for (const name of ['SLUICE_URL', 'SLUICE_API_KEY'])
    if (process.env[name]) console.error(`${name} is set, and goes before what is stored.`);
}

async function askUrl(): Promise<string> {
  const usual = process.env['SLUICE_URL'] || storedCredentials(process.env)?.url || USUAL_SERVER;
  if (!isInteractive()) return usual;
  return ask(({ text: field }) => field({ message: 'Address of the server', initialValue: usual }));
}

const askKey = (): Promise<string> =>
  isInteractive() ? ask(({ password }) => password({ message: 'API key' })) : text(process.stdin);

export function logoutCommand(): Command {
  return new Command('logout')
    .description('forget the server and the key again')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: true }) => {
      forgetCredentials(process.env);
      if (json) printJson({ forgotten: credentialsPath(process.env) });
      else console.log('The key is forgotten here. `sluice keys revoke` ends it for good.');
    });
}
