/** Matches as a file: Parquet, NDJSON or CSV. One page is in memory at a time, and becomes one row group or one block of lines. */
import { z } from 'zod';
import { csvCell } from '../../base/csv.ts';
import { endParquet, type ParquetGroup, parquetGroup } from '../../base/parquet.ts';
import { EXPORT_COLUMNS, type Match } from '../../domain/match.ts';
import type { Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import type { Job } from '../compute.ts';
import type { ReadContext } from '../context.ts';
import { asServiceError, ServiceError } from '../errors.ts';
import { checkInput, wishOf } from '../perform/perform.ts';
import { matchText } from '../reader/reader.ts';
import { highlightToJson, matchHead } from '../shapes.ts';
import { matchFilter, readMatchPage } from './matches.ts';
import type { MatchesRoom } from './room.ts';
import { refuseEnded } from './wait-for-matches.ts';

const MAX_ROWS = 100_000;
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
  readonly parts: AsyncIterable<Uint8Array>;
  /** Matches in the parts that were read so far. */
  rows(): number;
  /** The cursor to go on from, once all parts were read; undefined when nothing is left. */
  nextCursor(): string | undefined;
}

export async function exportMatches(
  context: MatchesRoom,
  caller: Caller,
  query: object,
  signal: AbortSignal,
  bounds = BOUNDS,
): Promise<MatchExport> {
  const input = checkInput(exportInput, withNumbers(query));
  const state: ExportState = { rows: 0, bytes: 0, groups: [], written: 0, next: undefined, isCut: false };
  const parts = partsOf(context, caller, input, { signal, bounds, state });
  try {
    const first = await parts.next();
    return {
      format: input.format,
      type: EXPORT_TYPES[input.format],
      name: `matches.${input.format}`,
      parts: goOn(first, parts),
      rows: () => state.rows,
      nextCursor: () => state.next,
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

/** How far an export came. */
interface ExportState {
  rows: number;
  /** Bytes of payloads. */
  bytes: number;
  /** The cursor to go on from; undefined after the last page. */
  next: string | undefined;
  /** Its rule was deleted meanwhile. */
  isCut: boolean;
  /** The groups of a Parquet file, and the bytes before the next one. */
  readonly groups: ParquetGroup[];
  written: number;
}

interface Exporting {
  readonly signal: AbortSignal;
  readonly bounds: typeof BOUNDS;
  readonly state: ExportState;
}

/**
 * One page is one part, read and written in a compute thread. The next one is read when the reader has taken it: a slow reader
 * takes hours, and holds no thread meanwhile. One whose key was revoked gets no further page.
 */
async function* partsOf(
  context: MatchesRoom,
  caller: Caller,
  input: ExportInput,
  { signal, bounds, state }: Exporting,
): AsyncGenerator<Uint8Array> {
  const { format, ...filter } = input;
  let { cursor } = input;
  let isFurtherPart = false;
  do {
    if (isFurtherPart) await refuseEnded(context, caller);
    const limit = Math.min(bounds.pageRows, input.limit - state.rows);
    const asked = { ...filter, limit, ...(cursor !== undefined && { cursor }) };
    const wish = { ...wishOf(context, caller, { signal }), isFurtherPart };
    const part = { caller, input: asked, format, bytes: bounds.pageBytes, at: state.written };
    const page = await context.compute.run(exportPage, part, wish).catch(isFurtherPart ? noneOfGoneRule : undefined);
    if (page === undefined) {
      state.isCut = true;
      state.next = undefined;
      break;
    }
    cursor = page.next === undefined ? undefined : context.cursors.write(caller.account.id, 'older', page.next);
    state.rows += page.rows;
    state.bytes += page.payloadBytes;
    state.written += page.bytes.length;
    if (page.group !== undefined) state.groups.push(page.group);
    state.next = cursor;
    isFurtherPart = true;
    if (page.bytes.length > 0) yield page.bytes;
  } while (cursor !== undefined && state.rows < input.limit && state.bytes < bounds.bytes);
  if (format === 'parquet') {
    const { groups, written } = state;
    const wish = { ...wishOf(context, caller, { signal }), isFurtherPart: true };
    yield await context.compute.run(exportEnd, { groups, written, metadata: metadataOf(context, state) }, wish);
  }
  if (format !== 'parquet' && state.isCut) yield new TextEncoder().encode(LAST_LINES[format]);
}

/** The end of an export whose rule went before all its matches were read. Parquet has it in its metadata. */
export const RULE_GONE = 'The rule was deleted while its matches were exported. Some are missing.';
const LAST_LINES = { ndjson: `${JSON.stringify({ incomplete: RULE_GONE })}\n`, csv: `# ${RULE_GONE}\n` };

function noneOfGoneRule(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
}

async function* goOn<Value>(first: IteratorResult<Value>, rest: AsyncGenerator<Value>): AsyncIterable<Value> {
  for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
}

interface ExportPart {
  readonly caller: Caller;
  readonly input: z.output<typeof matchFilter>;
  readonly format: ExportFormat;
  readonly bytes: number;
  /** Bytes of the file before this part. */
  readonly at: number;
}

interface ExportedPage {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly payloadBytes: number;
  readonly next: Position | undefined;
  readonly group?: ParquetGroup;
}

export const exportPage: Job<ReadContext, ExportPart, ExportedPage> = {
  name: 'exportPage',
  async run(context, { caller, input, format, bytes, at }) {
    const { matches, next } = await readMatchPage(context, caller, input, bytes);
    const payloadBytes = matches.reduce((sum, match) => sum + payloadOf(match).length, 0);
    return { rows: matches.length, payloadBytes, next, ...(await WRITERS[format](matches, at)) };
  },
};

interface ExportFooter {
  readonly groups: readonly ParquetGroup[];
  readonly written: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The footer of a Parquet file. The writer is loaded in the thread: here its first file would hold everything else up. */
export const exportEnd: Job<ReadContext, ExportFooter, Uint8Array> = {
  name: 'exportEnd',
  run: (_, { metadata, ...file }) => endParquet(EXPORT_COLUMNS, file, metadata),
};

type Written = Pick<ExportedPage, 'bytes' | 'group'>;

const encoded = (lines: readonly string[]): Written => ({
  bytes: new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')),
});

const CSV_HEADER = EXPORT_COLUMNS.map(({ name }) => name).join(',');

const WRITERS: Record<ExportFormat, (page: readonly Match[], at: number) => Written | Promise<Written>> = {
  // A group of no rows is none.
  parquet: (page, at) => (page.length === 0 ? encoded([]) : parquetGroup(EXPORT_COLUMNS, page.map(rowOf), at)),
  ndjson: (page) => encoded(page.map(matchText)),
  // The header comes with the first page, also an empty one: before it, it would begin an answer that may yet be refused.
  csv: (page, at) => encoded([...(at === 0 ? [CSV_HEADER] : []), ...page.map((match) => csvLine(rowOf(match)))]),
};

const payloadOf = (match: Match): string => match.json ?? JSON.stringify(match.payload);

const rowOf = (match: Match): Readonly<Record<string, unknown>> => ({
  ...matchHead(match),
  payload: payloadOf(match),
  highlights: match.highlights.map(highlightToJson),
});

const csvLine = (row: Readonly<Record<string, unknown>>): string =>
  EXPORT_COLUMNS.map(({ name }) => csvCell(row[name])).join(',');

const metadataOf = ({ settings }: MatchesRoom, { next, isCut }: ExportState): Readonly<Record<string, string>> => ({
  'sluice.version': settings.version,
  ...(next !== undefined && { 'sluice.next_cursor': next }),
  ...(isCut && { 'sluice.incomplete': RULE_GONE }),
});
