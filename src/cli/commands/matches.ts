/** `sluice matches`: every match, newest first, as it streams in page by page; memory holds one page. */
import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import { PLATFORMS } from '../../domain/platform.ts';
import { connectToServer, type Server } from '../server.ts';

interface Options {
  readonly format: 'ndjson' | 'csv';
  readonly json?: true;
  readonly rule?: string;
  readonly platform?: string;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly limit?: number;
}

type Row = Readonly<Record<string, unknown>>;

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
];

export function matchesCommand(): Command {
  return new Command('matches')
    .description('print matches, newest first')
    .addOption(
      new Option('--format <format>', 'one JSON object a line, or comma-separated values')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    )
    .option('--json', 'the same as --format ndjson')
    .option('--rule <id>', 'of one rule')
    .addOption(new Option('--platform <name>', 'of one platform').choices(PLATFORMS))
    .option('--since <time>', 'stored at or after this time (RFC 3339)')
    .option('--until <time>', 'stored before this time (RFC 3339)')
    .option('--text <text>', 'with this text in it')
    .addOption(new Option('--limit <count>', 'how many at most').argParser(wholeNumber))
    .action(print);
}

async function print(options: Options): Promise<void> {
  const csv = options.format === 'csv' && !options.json;
  const write = csv ? csvLine : (row: Row) => JSON.stringify(row);
  if (csv) await writeOut(COLUMNS.join(','));
  for await (const rows of pages(connectToServer(), options)) await writeOut(rows.map(write).join('\n'));
}

async function* pages(
  server: Server,
  { rule, platform, since, until, text, limit = Infinity }: Options,
): AsyncIterable<Row[]> {
  let cursor: string | undefined;
  let left = limit;
  do {
    const query = { rule_id: rule, platform, since, until, text, cursor, limit: Math.min(PAGE, left) };
    const answer = await server.post('/matches', query);
    const { matches, next_cursor } = (await answer.json()) as { matches: Row[]; next_cursor?: string };
    if (matches.length > 0) yield matches;
    left -= matches.length;
    cursor = next_cursor;
  } while (cursor !== undefined && left > 0);
}

/** Waits for a reader that is slower than we are. */
async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
}

const csvLine = (row: Row): string => COLUMNS.map((column) => csvCell(row[column])).join(',');

/** A cell that a spreadsheet would take for a formula begins with an apostrophe: much of this text is by strangers. */
function csvCell(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}
