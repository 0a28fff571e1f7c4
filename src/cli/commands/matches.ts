/** `sluice matches`: every match, newest first, as it streams in page by page; memory holds one page. */
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Client, Input, Match } from '../../../packages/client/src/index.ts';
import { csvCell } from '../../base/csv.ts';
import { renameSafely } from '../../base/durable-file.ts';
import { createParquet } from '../../base/parquet.ts';
import { EXPORT_COLUMNS } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer, ruleIdOf } from '../connect.ts';
import { coverageWarning, viewMatch } from '../match-view.ts';
import { CliError, err } from '../output.ts';
import { pastOption } from '../time-option.ts';

type Format = 'text' | 'ndjson' | 'csv' | 'parquet';

interface Options {
  readonly format?: Format;
  readonly output?: string;
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

export function matchesCommand(): Command {
  return new Command('matches')
    .description('print matches, newest first')
    .addOption(
      new Option(
        '--format <format>',
        'text for people (on a terminal), one JSON object a line (elsewhere), csv or parquet',
      ).choices(['text', 'ndjson', 'csv', 'parquet']),
    )
    .option('--output <file>', 'write to this file, which appears when it is complete')
    .option('--json', 'the same as --format ndjson')
    .option('--rule <rule>', 'of one rule (id or name)')
    .addOption(new Option('--platform <name>', 'of one platform').choices(PLATFORMS))
    .addOption(pastOption('--since <time>', 'stored then or later'))
    .addOption(pastOption('--until <time>', 'stored before'))
    .option('--text <text>', 'with this text in it')
    .option('--author <name>', 'of one author')
    .option('--domain <name>', 'of one domain, its subdomains included')
    .option('--language <code>', 'in one language, for instance en')
    .option('--source <name>', 'that one source brought')
    .option('--story <id>', 'of one story')
    .addOption(new Option('--limit <count>', 'how many at most; 20 for text').argParser(wholeNumber))
    .action(print);
}

type Pages = AsyncIterable<readonly Match[]>;

const lines = (lineOf: (match: Match) => string) =>
  async function* (pages: Pages): AsyncIterable<string> {
    for await (const page of pages) yield page.map((match) => `${lineOf(match)}\n`).join('');
  };

const WRITERS: Record<Format, (pages: Pages) => AsyncIterable<string | Uint8Array>> = {
  text: lines((match) => `${viewMatch(match)}\n`),
  ndjson: lines((match) => JSON.stringify(match)),
  async *csv(pages) {
    yield `${EXPORT_COLUMNS.map(({ name }) => name).join(',')}\n`;
    yield* lines((match) => EXPORT_COLUMNS.map(({ name }) => csvCell(match[name])).join(','))(pages);
  },
  async *parquet(pages) {
    const file = await createParquet(EXPORT_COLUMNS);
    for await (const page of pages) yield file.group(page);
    yield file.end({});
  },
};

async function print(options: Options): Promise<void> {
  const format = options.json
    ? 'ndjson'
    : (options.format ?? (process.stdout.isTTY && options.output === undefined ? 'text' : 'ndjson'));
  const limit = options.limit ?? (format === 'text' ? 20 : Infinity);
  if (format === 'parquet' && options.output === undefined && process.stdout.isTTY)
    throw new CliError('Parquet is for files: name one with --output, or send the output to a file.', 2);
  const { client } = connectServer();
  await using target = await openTarget(options.output);
  for await (const part of WRITERS[format](pagesOf(client, options, limit))) await target.write(part);
  await target.complete();
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

async function* pagesOf(client: Client, options: Options, limit: number): AsyncIterable<Match[]> {
  let left = limit;
  const query = { ...(await queryOf(client, options)), limit: Math.min(PAGE, limit) };
  for await (const page of client.matches.pages(query)) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

interface Target extends AsyncDisposable {
  /** Waits for a reader that is slower than we are. */
  write(part: string | Uint8Array): Promise<void>;
  complete(): Promise<void>;
}

/** A command exports to standard output, or to a file that appears under its name when it is complete. */
async function openTarget(path: string | undefined): Promise<Target> {
  if (path === undefined) return standardOutput;
  const partial = `${path}.partial`;
  const file = await open(partial, 'w');
  let isOpen = true;
  const close = async () => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    async write(part) {
      await file.writeFile(part);
    },
    async complete() {
      await file.sync();
      await close();
      renameSafely(partial, path);
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      await close();
      await rm(partial, { force: true });
    },
  };
}

const standardOutput: Target = {
  async write(part) {
    if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  },
  complete: async () => {},
  async [Symbol.asyncDispose]() {},
};
