/** `sluice open`: the console in a browser, signed in by a link that works once. */

import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import { Command } from 'commander';
import type { Env } from '../../app/config.ts';
import { connectServer } from '../connect.ts';
import { knownCredentials } from '../credentials.ts';
import { CliError, printJson } from '../output.ts';

interface Options {
  readonly print?: true;
  readonly local?: true;
  readonly json?: true;
}

interface Entry {
  readonly url: string;
  readonly expires_at: string;
}

export function openCommand(): Command {
  return new Command('open')
    .description('open the console in your browser, signed in')
    .option('--print', 'print the link and open nothing')
    .option(
      '--local',
      'sign in as the operator, by the store of this machine; the default where no server and no key are known',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nThe link works once, within a minute, and has the rights of the key that asks for it.')
    .action(openConsole);
}

async function openConsole({ print, local, json }: Options): Promise<void> {
  // A server that is named, by `--url` too, is never exchanged for the one of this machine.
  const isAnyServer = !process.env['SLUICE_URL'] && knownCredentials(process.env).key === undefined;
  const entry = local || isAnyServer ? await byStore() : await byServer();
  const launch = print ? undefined : browserLaunch(entry.url, process.platform, process.env);
  const opened = launch !== undefined && (await launchBrowser(launch, process.env));
  if (json) printJson({ ...entry, opened });
  else if (print) console.log(entry.url);
  else console.log(opened ? opening(entry.url) : unopened(entry.url));
}

const WHEN = 'works once, within a minute';

const opening = (link: string): string =>
  `The console opens in your browser. If it does not, open this link, which ${WHEN}:\n\n    ${link}\n`;

const unopened = (link: string): string =>
  `There is no browser to open here. Open this link where you have one; it ${WHEN}:\n\n    ${link}\n`;

async function byServer(): Promise<Entry> {
  const { client, url } = connectServer();
  const { ticket, expires_at } = await client.createEntryTicket();
  await refuseWithoutConsole(url);
  const { entryLink } = await import('../../app/console-link.ts');
  return { url: entryLink(url, ticket), expires_at };
}

/** A person who can write the store can make keys in it, too. */
async function byStore(): Promise<Entry> {
  const { ticketFromStore } = await import('../../app/console-link.ts');
  const { address, link, endsAt } = await ticketFromStore(process.env);
  await refuseWithoutConsole(address);
  return { url: link, expires_at: endsAt.toISOString() };
}

const PATIENCE_MS = 10_000;

/** A link to nothing would leave a person with an empty page. */
async function refuseWithoutConsole(url: string): Promise<void> {
  const answer = await fetch(`${url}/`, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => {
    throw new CliError(`${url} does not answer: is the server running?`);
  });
  if (!answer.ok) throw new CliError(`The server at ${url} has no console: / answers ${answer.status}.`);
}

/** Opens an address in the browser of the person at this machine. The address is an argument of a program, and never part of a shell's line. */
interface BrowserLaunch {
  readonly program: string;
  readonly args: readonly string[];
}

/** The program that opens the address on this system; undefined where there is no screen to show it on. */
export function browserLaunch(address: string, platform: NodeJS.Platform, env: Env): BrowserLaunch | undefined {
  if (platform === 'darwin') return { program: '/usr/bin/open', args: [address] };
  if (platform === 'win32') {
    // `start` is a word of cmd.exe, which would read the address as part of its line. By its full path, since Windows looks
    // for programs in the working folder first.
    const system = win32.join(env['SystemRoot'] || 'C:\\Windows', 'System32');
    return { program: win32.join(system, 'rundll32.exe'), args: ['url.dll,FileProtocolHandler', address] };
  }
  const hasScreen = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  return hasScreen ? { program: 'xdg-open', args: [address] } : undefined;
}

/** False when it could not be started. It goes on by itself: some browsers run as long as their window is open. */
export function launchBrowser({ program, args }: BrowserLaunch, env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    // The key in our environment is none of the browser's business.
    const passed = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SLUICE_')));
    const child = spawn(program, args, { stdio: 'ignore', detached: true, env: passed });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
