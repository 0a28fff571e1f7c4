/** `sluice matches`: every match, newest first, as it streams in page by page; memory holds one page. */
import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Client, Input, Match } from '../../client/index.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { err } from '../colours.ts';
import { connectServer } from '../connect.ts';
import { coverageWarning } from '../coverage-view.ts';
import { ruleIdOf } from '../find-rule.ts';
import { viewMatch } from '../match-view.ts';

type Format = 'text' | 'ndjson' | 'csv';

interface Options {
  readonly format?: Format;
  readonly json?: true;
  readonly rule?: string;
  readonly platform?: Platform;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly author?: string;
  readonly domain?: string;
  readonly language?: string;
  readonly source?: string;
  readonly story?: string;
  readonly limit?: number;
}

const PAGE = 1_000;
const COLUMNS = [
  'id',
  'created_at',
  'platform',
  'platform_post_id',
  'rule_id',
  'rule_name',
  'rule_version',
  'payload',
  'highlights',
] as const;

export function matchesCommand(): Command {
  return new Command('matches')
    .description('print matches, newest first')
    .addOption(
      new Option(
        '--format <format>',
        'text for people (on a terminal), one JSON object a line (elsewhere), or csv',
      ).choices(['text', 'ndjson', 'csv']),
    )
    .option('--json', 'the same as --format ndjson')
    .option('--rule <rule>', 'of one rule (id or name)')
    .addOption(new Option('--platform <name>', 'of one platform').choices(PLATFORMS))
    .option('--since <time>', 'stored at or after this time (RFC 3339)')
    .option('--until <time>', 'stored before this time (RFC 3339)')
    .option('--text <text>', 'with this text in it')
    .option('--author <name>', 'of one author')
    .option('--domain <name>', 'of one domain, its subdomains included')
    .option('--language <code>', 'in one language, for instance en')
    .option('--source <name>', 'that one source brought')
    .option('--story <id>', 'of one story')
    .addOption(new Option('--limit <count>', 'how many at most; 20 for text').argParser(wholeNumber))
    .action(print);
}

const WRITERS: Record<Format, (match: Match) => string> = {
  text: (match) => `${viewMatch(match)}\n`,
  ndjson: (match) => JSON.stringify(match),
  csv: (match) => COLUMNS.map((column) => csvCell(match[column])).join(','),
};

async function print(options: Options): Promise<void> {
  const format = options.json ? 'ndjson' : (options.format ?? (process.stdout.isTTY ? 'text' : 'ndjson'));
  const limit = options.limit ?? (format === 'text' ? 20 : Infinity);
  if (format === 'csv') await writeOut(COLUMNS.join(','));
  const { client } = connectServer();
  for await (const page of pages(client, options, limit)) await writeOut(page.map(WRITERS[format]).join('\n'));
  await warn(client, options);
}

/** Says on standard error when the list may lack matches, and why. */
async function warn(client: Client, options: Options): Promise<void> {
  const { coverage } = await client.matches.list({ ...(await queryOf(client, options)), limit: 1 });
  const warning = coverageWarning(coverage);
  if (warning !== undefined) console.error(err.yellow(warning));
}

/** Options that List Matches has under the same name. */
const SAME = ['platform', 'since', 'until', 'text', 'author', 'domain', 'language', 'source'] as const;

const queryOf = async (client: Client, options: Options): Promise<Input<'listMatches'>> => ({
  ...Object.fromEntries(SAME.filter((name) => options[name] !== undefined).map((name) => [name, options[name]])),
  ...(options.rule !== undefined && { rule_id: await ruleIdOf(client, options.rule) }),
  ...(options.story !== undefined && { story_id: options.story }),
});

async function* pages(client: Client, options: Options, limit: number): AsyncIterable<Match[]> {
  let left = limit;
  const query = { ...(await queryOf(client, options)), limit: Math.min(PAGE, limit) };
  for await (const page of client.matches.pages(query)) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

/** Waits for a reader that is slower than we are. */
async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
}

/** A cell that a spreadsheet would take for a formula begins with an apostrophe: much of this text is by strangers. */
function csvCell(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}
