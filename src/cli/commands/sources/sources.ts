/** `sluice sources`: which open sources feed the pages, whether one works, and feeds brought in from elsewhere; those of an account, too. */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import type { Answer } from '../../../../packages/client/src/index.ts';
import { loadConfig } from '../../../app/config.ts';
import { importOpml } from '../../../app/sources/opml-import.ts';
import { findSource, trySource } from '../../../app/sources/source-trial.ts';
import { connectServer } from '../../connect.ts';
import { CliError, counted, err, out, plain, printJson, table } from '../../output.ts';
import { withServerFlags } from '../../server-flags.ts';
import { addCommand, deleteCommand, exportCommand, importToAccount, updateCommand } from './account-sources.ts';

export function sourcesCommand(): Command {
  return new Command('sources')
    .description('the open sources that feed the pages')
    .addCommand(withServerFlags(listCommand()))
    .addCommand(testCommand())
    .addCommand(withServerFlags(discoverCommand()))
    .addCommand(withServerFlags(addCommand()))
    .addCommand(withServerFlags(updateCommand()))
    .addCommand(withServerFlags(deleteCommand()))
    .addCommand(importCommand())
    .addCommand(withServerFlags(exportCommand()));
}

const listCommand = (): Command =>
  new Command('list')
    .description('show what is configured and what your account has added, and how it does where a server runs')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { sources } = loadConfig(process.env);
      const states = await statesOfServer();
      const configured = sources.map(({ name, kind }) => ({ name, kind, ...states.get(name) }));
      const rows = [...configured, ...(await ownSources())];
      if (json) printJson({ sources: rows });
      else if (rows.length === 0)
        console.log('No source is configured. `sluice sources test hackernews` shows what one yields.');
      else console.log(table(['NAME', 'KIND', 'STATE', 'EVENTS/MIN', 'LAST ERROR'], rows.map(rowOf)));
    });

type Row = Pick<State, 'name' | 'kind'> & Partial<State> & { readonly id?: string; readonly status?: string };

type State = NonNullable<Answer<'status'>['sources']>[number];

const rowOf = (source: Row): string[] => [
  source.name,
  source.kind,
  source.status ?? source.state ?? '-',
  String(source.events_per_minute ?? '-'),
  plain(source.last_error?.message ?? '-', 80),
];

/** The sources that the account has added; none where no server answers. */
async function ownSources(): Promise<Row[]> {
  try {
    const { sources } = await connectServer().client.sources.list();
    return sources
      .filter(({ owner }) => owner === 'account')
      .map(({ id, name, kind, status, last_error }) => ({ id, name, kind, status, last_error }));
  } catch {
    return [];
  }
}

/** A server need not run, and a key need not see them: then only the configuration is shown. */
async function statesOfServer(): Promise<Map<string, State>> {
  try {
    const { sources = [] } = await connectServer().client.status();
    return new Map(sources.map((source) => [source.name, source]));
  } catch {
    return new Map();
  }
}

interface TestOptions {
  readonly count: number;
  readonly seconds: number;
  readonly json?: true;
}

const testCommand = (): Command =>
  new Command('test')
    .argument(
      '<source>',
      'the name of a configured one, a kind, or a short form such as feeds:https://example.org/feed.xml',
    )
    .description('open a source here, show the first events it yields, and store nothing')
    .option('-n, --count <events>', 'how many events to wait for', positive, 5)
    .option('--seconds <seconds>', 'how long to wait for them', positive, 60)
    .option('--json', 'print each event as JSON, one a line')
    .addHelpText('after', '\nExit status: 0 when an event came, 1 when none did.')
    .action(async (given: string, { count, seconds, json }: TestOptions) => {
      const source = findSource(loadConfig(process.env), given);
      const stop = new AbortController();
      process.once('SIGINT', () => stop.abort());
      const events = await trySource({
        source,
        events: count,
        milliseconds: seconds * 1_000,
        signal: stop.signal,
        onPage: (page) => console.log(json ? JSON.stringify(page) : describe(page)),
        onTrouble: (message) => console.error(err.yellow(message)),
      });
      if (events === 0) throw new CliError(`No event came within ${seconds} seconds.`);
      if (!json) console.error(err.dim(`${counted(events, 'event')}.`));
      // A connection that is still closing must not keep the command.
      process.exit(0);
    });

/** Passages of one event. */
const MAX_SHOWN = 4;

function describe(page: Readonly<Record<string, unknown>>): string {
  const text = (name: string) => (typeof page[name] === 'string' ? page[name] : undefined);
  const chunks = (page['diff'] as { chunks: { typ: string; text: string }[] } | undefined)?.chunks ?? [];
  const facts = [text('publish_time'), text('language')].filter((fact) => fact !== undefined).join('  ');
  return [
    `${out.bold(plain(text('url') ?? text('id') ?? '', 200))}${facts === '' ? '' : `  ${out.dim(facts)}`}`,
    ...(text('title') === undefined ? [] : [`  ${plain(text('title')!, 160)}`]),
    ...chunks
      .slice(0, MAX_SHOWN)
      .map((chunk) => `  ${chunk.typ === 'ins' ? out.green('+') : out.red('-')} ${plain(chunk.text, 160)}`),
  ].join('\n');
}

const importCommand = (): Command =>
  new Command('import')
    .argument('<file>', 'OPML, as readers of feeds export it; "-" is standard input')
    .description('add the feeds of an OPML file to sluice.yaml, or with --account to your account on a server')
    .option('--account', 'add them to your account, each as a source of its own')
    .option('--name <source>', 'the source to add them to; made when it is not there', 'feeds')
    .option('--json', 'print JSON')
    .action(async (file: string, { name, json, account }: { name: string; json?: true; account?: true }) => {
      if (account) return importToAccount(readOpml(file), json === true);
      const imported = importOpml(readOpml(file), process.env['SLUICE_CONFIG'] || undefined, name);
      if (json) return printJson(imported);
      const known = imported.known === 0 ? '' : `, ${imported.known} were there already`;
      console.log(
        `${counted(imported.added, 'feed')} added to ${imported.file}${known}. A server reads the file when it starts.`,
      );
    });

function readOpml(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as Error).message}`, 2);
  }
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}

/** `sluice sources discover`: what can be watched at an address, with the newest events of each, and the fittest added. */
type Found = Answer<'discoverSource'>['candidates'][number];

export const discoverCommand = (): Command =>
  new Command('discover')
    .argument('<url>', 'any address: a site, a channel, an account or a page')
    .description('have the server look what can be watched at an address, the fittest first')
    .option('--add', 'add the fittest to your account')
    .option('--json', 'print JSON')
    .action(async (url: string, { add, json }: { add?: true; json?: true }) => {
      const { client } = connectServer();
      const { candidates } = await client.sources.discover({ url });
      const fittest = candidates.find(({ can_add }) => can_add);
      if (add && fittest === undefined) throw new CliError('Nothing at this address can be added here.');
      const { kind = '', name = '', options = {} } = fittest ?? {};
      const added = add ? await client.sources.create({ kind, name, options }) : undefined;
      if (json) return printJson({ candidates, ...added });
      console.log(candidates.map(describeFound).join('\n\n'));
      if (added) console.log(`\n${plain(name, 200)} is ${added.source_id}. The server visits it now.`);
    });

function describeFound({ kind, name, about, options, samples, rate_per_day: rate, problem }: Found): string {
  const often = rate === null ? '' : `  ${out.dim(`about ${rate} a day`)}`;
  return [
    `${out.bold(plain(name, 160))}  ${kind}${often}`,
    `  ${plain(about, 160)}: ${plain(JSON.stringify(options), 300)}`,
    ...(problem === null ? [] : [`  ${out.yellow(plain(problem, 200))}`]),
    ...samples.map(({ title, url }) => `  - ${plain([title, url].find((one) => typeof one === 'string') ?? '', 160)}`),
  ].join('\n');
}
