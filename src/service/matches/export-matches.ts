/** Matches as a file: Parquet, NDJSON or CSV. One page is in memory at a time, and becomes one row group or one block of lines. */
import { z } from 'zod';
import { csvCell } from '../../base/csv.ts';
import { createParquet } from '../../base/parquet.ts';
import { EXPORT_COLUMNS } from '../../domain/export-columns.ts';
import type { Match } from '../../domain/match.ts';
import type { Caller } from '../access/caller.ts';
import { stillWorks } from '../access/grants.ts';
import { unauthenticated } from '../access/keys.ts';
import { asServiceError } from '../errors.ts';
import { checkInput } from '../perform/perform.ts';
import { matchText } from '../reader/match-text.ts';
import { highlightToJson, matchHead } from '../shapes.ts';
import { matchFilter, pageOfMatches } from './matches.ts';
import type { MatchesRoom } from './room.ts';

const MAX_ROWS = 100_000;
/** A page takes some 10 ms to encode, and other requests are answered between two pages. */
export const BOUNDS = { pageRows: 1_000, pageBytes: 1024 * 1024, bytes: 256 * 1024 * 1024 };

const EXPORT_TYPES = {
  parquet: 'application/vnd.apache.parquet',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
} as const;
export type ExportFormat = keyof typeof EXPORT_TYPES;
export const EXPORT_FORMATS = ['parquet', 'ndjson', 'csv'] as const satisfies readonly ExportFormat[];

export const exportInput = matchFilter.extend({
  format: z.enum(EXPORT_FORMATS).default('parquet'),
  limit: z
    .int()
    .min(1)
    .max(MAX_ROWS)
    .default(MAX_ROWS)
    .describe('How many matches at most. An export also ends when its payloads have 256 MiB.'),
  cursor: z.string().optional().describe('`next_cursor` of an earlier export or list.'),
});
type ExportInput = z.output<typeof exportInput>;

export interface MatchExport {
  readonly format: ExportFormat;
  readonly type: string;
  readonly name: string;
  /** The first part is read before this is answered, so that a wrong filter is an error and not a broken file. */
  readonly parts: AsyncIterable<string | Uint8Array>;
  /** Matches in the parts that were read so far. */
  rows(): number;
  /** Where to go on, once all parts were read; undefined when nothing is left. */
  nextCursor(): string | undefined;
}

export async function exportMatches(
  context: MatchesRoom,
  caller: Caller,
  query: object,
  bounds = BOUNDS,
): Promise<MatchExport> {
  const input = checkInput(exportInput, withNumbers(query));
  let next: string | undefined;
  let rows = 0;
  const pages = pagesOf(context, caller, input, bounds, (cursor) => {
    next = cursor;
  });
  const countRows = (page: readonly Match[]) => {
    rows += page.length;
  };
  try {
    const first = await pages.next();
    return {
      format: input.format,
      type: EXPORT_TYPES[input.format],
      name: `matches.${input.format}`,
      parts: WRITERS[input.format](goOn(first, pages, countRows), () => metadataOf(context, next)),
      rows: () => rows,
      nextCursor: () => next,
    };
  } catch (error) {
    throw asServiceError(error);
  }
}

/** A query string has texts alone. */
const withNumbers = (query: object): object =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      (name === 'limit' || name === 'min_relevance') && value !== '' ? Number(value) : value,
    ]),
  );

/**
 * Tells where to go on after each page; after the last one, nowhere. A slow reader takes hours: one whose key was revoked
 * meanwhile gets no further page.
 */
async function* pagesOf(
  context: MatchesRoom,
  caller: Caller,
  input: ExportInput,
  bounds: typeof BOUNDS,
  tell: (cursor: string | undefined) => void,
): AsyncGenerator<readonly Match[]> {
  const { format: _, ...filter } = input;
  let { cursor } = input;
  for (let rows = 0, bytes = 0; rows < input.limit && bytes < bounds.bytes; ) {
    if (rows > 0 && !(await stillWorks(context, caller))) throw unauthenticated();
    const limit = Math.min(bounds.pageRows, input.limit - rows);
    const asked = { ...filter, limit, ...(cursor !== undefined && { cursor }) };
    const page = await pageOfMatches(context, caller, asked, bounds.pageBytes);
    cursor = page.next === undefined ? undefined : context.cursors.write(caller.account.id, 'older', page.next);
    rows += page.matches.length;
    for (const match of page.matches) bytes += payloadOf(match).length;
    tell(cursor);
    if (page.matches.length > 0) yield page.matches;
    if (cursor === undefined) return;
  }
}

async function* goOn<Value>(
  first: IteratorResult<Value>,
  rest: AsyncGenerator<Value>,
  note: (value: Value) => void,
): AsyncIterable<Value> {
  for (let step = first; step.done !== true; step = await rest.next()) {
    note(step.value);
    yield step.value;
  }
}

type Pages = AsyncIterable<readonly Match[]>;
type Metadata = () => Readonly<Record<string, string>>;

const WRITERS: Record<ExportFormat, (pages: Pages, metadata: Metadata) => AsyncIterable<string | Uint8Array>> = {
  async *parquet(pages, metadata) {
    const file = await createParquet(EXPORT_COLUMNS);
    for await (const page of pages) yield file.group(page.map(rowOf));
    yield file.end(metadata());
  },
  async *ndjson(pages) {
    for await (const page of pages) yield page.map((match) => `${matchText(match)}\n`).join('');
  },
  async *csv(pages) {
    yield `${EXPORT_COLUMNS.map(({ name }) => name).join(',')}\n`;
    for await (const page of pages) yield page.map((match) => `${csvLine(rowOf(match))}\n`).join('');
  },
};

const payloadOf = (match: Match): string => match.json ?? JSON.stringify(match.payload);

const rowOf = (match: Match): Readonly<Record<string, unknown>> => ({
  ...matchHead(match),
  payload: payloadOf(match),
  highlights: match.highlights.map(highlightToJson),
});

const csvLine = (row: Readonly<Record<string, unknown>>): string =>
  EXPORT_COLUMNS.map(({ name }) => csvCell(row[name])).join(',');

const metadataOf = ({ settings }: MatchesRoom, next: string | undefined): Readonly<Record<string, string>> => ({
  'sluice.version': settings.version,
  ...(next !== undefined && { 'sluice.next_cursor': next }),
});
