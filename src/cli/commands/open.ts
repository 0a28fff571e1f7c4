/** `sluice open`: the console in a browser, signed in by a link that works once. */
import { Command } from 'commander';
import { browserLaunch, launchBrowser } from '../browser.ts';
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
    .option('--local', 'sign in as the operator, by the store of this machine; so it is where no key is known')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nThe link works once, within a minute, and has the rights of the key that asks for it.')
    .action(openConsole);
}

async function openConsole({ print, local, json }: Options): Promise<void> {
  const entry = local || knownCredentials(process.env).key === undefined ? await byStore() : await byServer();
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
  const { ticketFromStore } = await import('../../app/local-entry.ts');
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
