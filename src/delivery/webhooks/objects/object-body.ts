/**
 * An object holds the matches of a part of one hour. The delivery keeps them as lines; the object has the same lines
 * compressed, or the same rows as Parquet. Its key follows from the lines, so a repeat has the same key.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { piecesOf, unhurried } from '../../../base/cooperate.ts';
import { createParquet } from '../../../base/parquet.ts';
import { EXPORT_COLUMNS, type Match } from '../../../domain/match.ts';
import type { WebhookFormat } from '../../../domain/webhook.ts';

export const HOUR_MS = 60 * 60 * 1_000;

export const isObjectFormat = (format: WebhookFormat): format is 'ndjson' | 'parquet' =>
  format === 'ndjson' || format === 'parquet';

/** Lines of the matches that were stored in the hour of the first. */
export function objectLines(matches: readonly Match[], encode: (match: Match) => string) {
  const hour = hourOf(matches[0]!.createdAt);
  const taken = matches.findIndex(({ createdAt }) => hourOf(createdAt) !== hour);
  const inHour = taken === -1 ? matches : matches.slice(0, taken);
  return { text: inHour.map((match) => `${encode(match)}\n`).join(''), matches: inHour.length };
}

const hourOf = (time: Date): number => Math.floor(time.getTime() / HOUR_MS);

export interface ObjectContent {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly type: string;
}

const compress = promisify(gzip);
const PARQUET = 'application/vnd.apache.parquet';
/** Characters of the matches in a row group: some ten milliseconds of work. */
const GROUP_LENGTH = 1024 * 1024;

/** The content type that a wire gives says which of the two it is. */
export const OBJECT_TYPES = { ndjson: 'application/x-ndjson', parquet: PARQUET } as const;

export async function objectContent(type: string, webhookId: string, body: string): Promise<ObjectContent> {
  const isParquet = type === PARQUET;
  const first = JSON.parse(body.slice(0, body.indexOf('\n'))) as { id: string; created_at: string };
  const [date, hour] = [first.created_at.slice(0, 10), first.created_at.slice(11, 13)];
  // Another object may begin with the same match: one that was sent by hand alone, or what an erasure left of a batch.
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return {
    key: `date=${date}/hour=${hour}/${webhookId}-${first.id}-${digest}.${isParquet ? 'parquet' : 'ndjson.gz'}`,
    bytes: isParquet ? await parquetOf(body) : await compress(body),
    type: isParquet ? PARQUET : 'application/gzip',
  };
}

async function parquetOf(body: string): Promise<Uint8Array> {
  const file = await createParquet(EXPORT_COLUMNS);
  const parts: Uint8Array[] = [];
  let [rows, read] = [[] as Record<string, unknown>[], 0];
  for await (const line of unhurried(body.trimEnd().split('\n'), piecesOf)) {
    rows.push(JSON.parse(line) as Record<string, unknown>);
    read += line.length;
    if (read < GROUP_LENGTH) continue;
    parts.push(file.group(rows));
    [rows, read] = [[], 0];
  }
  if (rows.length > 0) parts.push(file.group(rows));
  return Buffer.concat([...parts, file.end({})]);
}

/** Test Webhook writes no match, so that nothing invented is among the data. */
export const testContent = (deliveryId: string): ObjectContent => ({
  key: `sluice-test/${deliveryId}.txt`,
  bytes: Buffer.from('This is a test from Sluice.\n'),
  type: 'text/plain; charset=utf-8',
});
