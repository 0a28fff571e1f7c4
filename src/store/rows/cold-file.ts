/**
 * An object of old matches: a Parquet file with a row for each match, oldest first, in row groups of about half a mebibyte. Its columns
 * are those of the view `sql_matches`, without what may still change; `position` is how we find a row.
 */
import { zstdDecompressSync } from 'node:zlib';
import type { FileMetaData } from 'hyparquet';
import { createParquet } from '../../base/parquet.ts';
import type { ColdFile, ColdRow } from '../db.ts';
import { eventKey, matchId, type Position, storyId, timeOf } from '../order.ts';
import type { MatchRow } from './match-rows.ts';
import { decodeName, decodeText } from './texts.ts';
import { READ_AT_ONCE } from './walk.ts';

const COLUMNS = [
  { name: 'position', type: 'long' },
  { name: 'id', type: 'text' },
  { name: 'created_at', type: 'time' },
  { name: 'platform', type: 'text' },
  { name: 'platform_post_id', type: 'text' },
  { name: 'rule_id', type: 'text' },
  { name: 'rule_name', type: 'text' },
  { name: 'rule_version', type: 'integer' },
  { name: 'payload', type: 'json' },
  { name: 'highlights', type: 'json', optional: true },
  { name: 'edit_of', type: 'text', optional: true },
  { name: 'event_id', type: 'text' },
  { name: 'source', type: 'text', optional: true },
  { name: 'story_id', type: 'text', optional: true },
] as const;

export const coldRowOf = (row: MatchRow): ColdRow => ({
  position: BigInt(row.position),
  id: matchId(row.position, row.tail),
  created_at: new Date(timeOf(row.position)),
  platform: row.platform,
  platform_post_id: decodeText(row.post_id),
  rule_id: row.rule_id,
  rule_name: decodeName(row.rule_name),
  rule_version: row.version,
  payload: row.payload,
  highlights: row.highlights === '' ? undefined : row.highlights,
  edit_of: row.edit_of ?? undefined,
  event_id: `event_${eventKey(row.platform, decodeText(row.post_id))}`,
  source: row.source ?? undefined,
  story_id: row.story === null ? undefined : storyId(row.story),
});

export async function writeColdFile(rows: readonly ColdRow[]): Promise<Uint8Array> {
  const file = await createParquet(COLUMNS);
  const parts: Uint8Array[] = [];
  let [group, length] = [[] as ColdRow[], 0];
  for (const row of rows) {
    group.push(row);
    length += row.payload.length;
    if (length < READ_AT_ONCE) continue;
    parts.push(file.group(group));
    [group, length] = [[], 0];
  }
  if (group.length > 0) parts.push(file.group(group));
  parts.push(file.end({ writer: 'sluice' }));
  return Buffer.concat(parts);
}

/** A group is held whole while it is read: a payload has a mebibyte at most, and what is in no object of ours is refused. */
const MOST_OF_GROUP = 64 * 1024 * 1024;

const compressors = {
  ZSTD: (input: Uint8Array) => zstdDecompressSync(input, { maxOutputLength: MOST_OF_GROUP }),
};

/** The reader is loaded with the first object: most processes read none. */
export async function readColdFile(bytes: Uint8Array): Promise<ColdFile> {
  const { parquetMetadata, parquetReadObjects } = await import('hyparquet');
  const whole = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(whole);
  const groups = groupsIn(metadata);
  const read = (group: number, columns?: string[]) => {
    const { start, end } = groups[group]!;
    const file = { byteLength: whole.byteLength, slice: (from: number, to?: number) => whole.slice(from, to) };
    return parquetReadObjects({
      file,
      metadata,
      compressors,
      rowStart: start,
      rowEnd: end,
      ...(columns && { columns }),
    });
  };
  return {
    groups: groups.length,
    groupOf(position) {
      const found = groups.findIndex(({ first, last }) => first <= position && position <= last);
      return found < 0 ? undefined : found;
    },
    rows: async (group) =>
      (await read(group)).map((row) => ({ ...row, position: row['position'], payload: row['payload'] })),
    async payloads(group) {
      const rows = await read(group, ['position', 'payload']);
      return new Map(rows.map(({ position, payload }) => [Number(position), payload]));
    },
  };
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly first: Position;
  readonly last: Position;
}

/** With the positions that the footer says of each. */
function groupsIn({ row_groups }: FileMetaData): Group[] {
  let start = 0;
  return row_groups.map(({ num_rows, columns }) => {
    const { min_value, max_value } = columns[0]!.meta_data!.statistics!;
    const group = { start, end: start + Number(num_rows), first: Number(min_value), last: Number(max_value) };
    start = group.end;
    return group;
  });
}
