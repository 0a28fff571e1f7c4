/** The part of `sluice sources` that talks to a server: sources that the account adds, changes and deletes there. */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Client, ListedSource } from '../../../../packages/client/src/index.ts';
import { exportOpml, feedAddresses } from '../../../app/sources/opml-import.ts';
import { readShort } from '../../../app/sources/source-trial.ts';
import { PLATFORMS, type Platform } from '../../../domain/platform.ts';
import { connectServer } from '../../connect.ts';
import { CliError, counted, plain, printJson } from '../../output.ts';
import { confirmed } from '../../terminal.ts';

interface Chosen {
  readonly name?: string;
  readonly every?: number;
  readonly slowest?: number;
  readonly option?: readonly [string, unknown][];
  readonly secretFile?: string;
  readonly platform?: Platform[];
  readonly json?: true;
}

interface Changes extends Chosen {
  readonly pause?: true;
  readonly resume?: true;
}

export const addCommand = (): Command =>
  withChoices(
    new Command('add').argument(
      '<source>',
      'an address, of which the fittest is added, or a short form such as feeds:https://example.org/feed.xml or watch:https://…',
    ),
  )
    .description('have the server visit a source for your account')
    .action(add);

export const updateCommand = (): Command =>
  withChoices(new Command('update').argument('<source>', 'its id or its name'))
    .description('change, pause or resume a source of your account')
    .option('--pause', 'visit it no more for now')
    .option('--resume', 'visit it again')
    .action(update);

export const deleteCommand = (): Command =>
  new Command('delete')
    .argument('<source>', 'its id or its name')
    .description('delete a source of your account; its matches stay')
    .option('-y, --yes', 'do not ask')
    .addOption(json())
    .action(remove);

export const exportCommand = (): Command =>
  new Command('export').description('print the feeds of your account as OPML').action(async () => {
    const { sources } = await connectServer().client.sources.list();
    process.stdout.write(exportOpml(sources.filter(isOwn).flatMap(feedsIn)));
  });

const json = () => new Option('--json', 'print JSON');

const withChoices = (command: Command): Command =>
  command
    .option('--name <name>', 'what it is called')
    .option('--every <seconds>', 'the shortest time between two visits', seconds)
    .option('--slowest <seconds>', 'the longest time between two visits, while nothing is new', seconds)
    .option('--option <name=value...>', 'another option of its kind; the value is JSON, or text', collect)
    .option('--secret-file <file>', 'a file with a token, or with headers as a JSON object; - reads standard input')
    .addOption(new Option('--platform <names...>', 'where its events go').choices(PLATFORMS))
    .addOption(json());

async function add(given: string, chosen: Chosen): Promise<void> {
  const { client } = connectServer();
  const { kind, options, called } = ADDRESS.test(given) ? await fittestAt(client, given) : namedShort(given);
  const name = chosen.name ?? (called || kind).slice(0, 200);
  const { source_id } = await client.sources.create({
    kind,
    name,
    options: { ...options, ...optionsOf(chosen) },
    ...(chosen.platform && { platforms: chosen.platform }),
  });
  if (chosen.json) printJson({ source_id });
  else console.log(`${plain(name, 200)} is ${source_id}. The server visits it now.`);
}

const ADDRESS = /^https?:\/\//i;

interface Wanted {
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly called: string;
}

const namedShort = (given: string): Wanted => ({
  ...readShort(given),
  called: given.replace(/^[^:]*:(https?:\/\/)?/, ''),
});

/** Chooses the source that fits an address best. */
async function fittestAt(client: Client, url: string): Promise<Wanted> {
  const { candidates } = await client.sources.discover({ url });
  const fittest = candidates.find(({ can_add }) => can_add);
  if (fittest === undefined) throw new CliError('Nothing at this address can be added here.');
  return { ...fittest, called: fittest.name };
}

async function update(given: string, chosen: Changes): Promise<void> {
  if (chosen.pause && chosen.resume) throw new CliError('Choose one of --pause and --resume.', 2);
  const { client } = connectServer();
  const { id } = await sourceOf(client, given);
  const options = optionsOf(chosen);
  const changed = await client.sources.update({
    source_id: id,
    ...(chosen.name !== undefined && { name: chosen.name }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(chosen.platform && { platforms: chosen.platform }),
    ...((chosen.pause ?? chosen.resume) && { paused: chosen.pause === true }),
  });
  if (chosen.json) printJson(changed);
  else console.log(`${plain(changed.name, 200)} is ${changed.status}.`);
}

async function remove(given: string, { yes, json: asJson }: { yes?: true; json?: true }): Promise<void> {
  const { client } = connectServer();
  const { id, name } = await sourceOf(client, given);
  if (!(await confirmed(`Delete the source ${plain(name, 200)}?`, yes))) return console.log('Nothing was done.');
  await client.sources.delete({ source_id: id });
  if (asJson) printJson({ source_id: id });
  else console.log(`${plain(name, 200)} is deleted.`);
}

/** Adds each feed of an OPML file that the account does not have yet. */
export async function importToAccount(opml: string, asJson: boolean): Promise<void> {
  const { client } = connectServer();
  const { sources } = await client.sources.list();
  const known = new Set(
    sources
      .filter(isOwn)
      .flatMap(feedsIn)
      .map(({ url }) => url),
  );
  const fresh = feedAddresses(opml).filter((url) => !known.has(url));
  for (const url of fresh)
    await client.sources.create({ kind: 'feeds', name: url.slice(0, 200), options: { urls: [url] } });
  if (asJson) printJson({ added: fresh.length, known: known.size });
  else console.log(`${counted(fresh.length, 'feed')} added to your account. The server visits them now.`);
}

const isOwn = ({ owner }: ListedSource): boolean => owner === 'account';

const feedsIn = ({ kind, name, options }: ListedSource): { name: string; url: string }[] => {
  const urls: unknown[] = kind === 'feeds' && Array.isArray(options['urls']) ? options['urls'] : [];
  return urls.filter((url) => typeof url === 'string').map((url) => ({ name, url }));
};

async function sourceOf(client: Client, given: string): Promise<ListedSource> {
  const { sources } = await client.sources.list();
  const named = sources.filter(isOwn).filter(({ id, name }) => id === given || name === given);
  if (named.length === 1) return named[0]!;
  throw new CliError(
    named.length === 0
      ? `Your account has no source ${plain(given, 200)}. \`sluice sources list\` shows those that it has.`
      : `${counted(named.length, 'source')} of your account have this name. Give the id of one: ${named.map(({ id }) => id).join(', ')}.`,
  );
}

function optionsOf({ every, slowest, option = [], secretFile }: Chosen): Record<string, unknown> {
  return {
    ...Object.fromEntries(option),
    ...(every !== undefined && { every }),
    ...(slowest !== undefined && { slowest }),
    ...(secretFile !== undefined && { secret: secretIn(secretFile) }),
  };
}

function secretIn(file: string): unknown {
  try {
    return jsonOrText(readFileSync(file === '-' ? 0 : file, 'utf8').trim());
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as Error).message}`, 2);
  }
}

function collect(text: string, before: readonly [string, unknown][] = []): [string, unknown][] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be name=value.');
  return [...before, [text.slice(0, at), jsonOrText(text.slice(at + 1))]];
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function seconds(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return number;
}
