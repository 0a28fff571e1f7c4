/**
 * Parquet files, one row group after another: what is in memory is the group that is written and the list of groups for the
 * footer. Pages are compressed with Zstandard, which Node has built in and every common reader knows.
 */
import { constants, zstdCompressSync } from 'node:zlib';
import type { RowGroup } from 'hyparquet';
import type { ParquetWriter, SchemaElement } from 'hyparquet-writer';

interface Column {
  readonly name: string;
  readonly type: keyof typeof ELEMENTS;
  readonly optional?: true;
}

/** A value is of its column's type as JSON has it; a time is RFC 3339, and a `json` value any value, or its text. */
type Row = Readonly<Record<string, unknown>>;

export interface ParquetFile {
  /** The bytes of one row group. */
  group(rows: readonly Row[]): Uint8Array;
  /** The last bytes. The metadata is for readers of the footer. */
  end(metadata: Readonly<Record<string, string>>): Uint8Array;
}

const ELEMENTS = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  integer: { type: 'INT32' },
  long: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
} as const satisfies Record<string, Partial<SchemaElement>>;

/** The footer's entry for a row group. It is plain data: another thread than the footer's can write the group. */
export interface ParquetGroup {
  readonly rows: RowGroup;
  readonly indexes: ParquetWriter['pendingIndexes'];
}

export async function createParquet(columns: readonly Column[]): Promise<ParquetFile> {
  const { parquet, written } = await openWriter(columns, 0);
  return {
    group(rows) {
      writeGroup(parquet, columns, rows);
      return written();
    },
    end(metadata) {
      finish(parquet, metadata);
      return written();
    },
  };
}

/** The bytes of one row group of a file that has so many bytes before it. */
export async function parquetGroup(
  columns: readonly Column[],
  rows: readonly Row[],
  at: number,
): Promise<{ bytes: Uint8Array; group: ParquetGroup }> {
  const { parquet, written } = await openWriter(columns, at);
  writeGroup(parquet, columns, rows);
  return { bytes: written(), group: { rows: parquet.row_groups[0]!, indexes: parquet.pendingIndexes } };
}

/** The last bytes of a file of these groups, which has so many bytes before them. */
export async function endParquet(
  columns: readonly Column[],
  { groups, written: at }: { readonly groups: readonly ParquetGroup[]; readonly written: number },
  metadata: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  const { parquet, written } = await openWriter(columns, at);
  for (const { rows, indexes } of groups) {
    parquet.row_groups.push(rows);
    parquet.pendingIndexes.push(...indexes);
    parquet.num_rows += rows.num_rows;
  }
  finish(parquet, metadata);
  return written();
}

/** The writer is loaded with the first file: most processes write none. */
async function openWriter(columns: readonly Column[], at: number) {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const writer = new ByteWriter();
  const schema = schemaOf(columns);
  const parquet = new ParquetWriter({ writer, schema, codec: 'ZSTD', compressors: { ZSTD: compress } });
  // Every writer begins with the mark of a file, which is there already.
  if (at > 0) Object.assign(writer, { index: 0, offset: at });
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  return { parquet, written };
}

function writeGroup(parquet: ParquetWriter, columns: readonly Column[], rows: readonly Row[]): void {
  const columnData = columns.map((column) => ({
    name: column.name,
    data: rows.map((row) => cellOf(column, row[column.name])),
    ...(column.type === 'json' && { encoding: 'PLAIN' as const }),
  }));
  // A whole group at once, without pauses: the bytes wait in memory and nothing is asynchronous here.
  void parquet.write({ columnData, rowGroupSize: Math.max(1, rows.length) });
  forgetJson(parquet.row_groups.at(-1)!, columns);
}

function finish(parquet: ParquetWriter, metadata: Readonly<Record<string, string>>): void {
  parquet.kvMetadata = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  void parquet.finish();
}

/** The footer would keep the smallest and the largest text of each group, and either may have a megabyte. Nobody asks for it. */
function forgetJson({ columns: chunks }: RowGroup, columns: readonly Column[]): void {
  for (const [at, { type }] of columns.entries()) if (type === 'json') delete chunks[at]!.meta_data!.statistics;
}

/** Level 1 takes a third of the time of level 3 and leaves a tenth more bytes. */
const compress = (bytes: Uint8Array): Uint8Array =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });

const schemaOf = (columns: readonly Column[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type, optional }) => ({
    ...ELEMENTS[type],
    name,
    repetition_type: optional === true ? ('OPTIONAL' as const) : ('REQUIRED' as const),
  })),
];

function cellOf({ type }: Column, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (type === 'time') return typeof value === 'string' ? new Date(value) : value;
  if (type === 'json') return typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'long') return typeof value === 'number' ? BigInt(value) : value;
  return value;
}
