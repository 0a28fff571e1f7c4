/**
 * A sink gets a record for each match, and one for anything else. The frozen body has two lines for a record: what it
 * is, and its JSON as it is sent.
 */
import type { Match } from '../../../domain/match.ts';

export interface SinkRecord {
  /** The id stays at every attempt; a match's record has the id of the match. */
  readonly id: string;
  /** Records of one key stay in order. The key of a match is its rule. */
  readonly key: string;
  readonly type: 'match' | 'test' | 'digest' | 'operational' | 'alert' | 'head';
  readonly contentType: string;
  readonly value: string;
}

/** JSON has no line break outside of its strings, and none of ours has one there. */
export const recordsText = (records: readonly SinkRecord[]): string =>
  records.map(({ value, ...head }) => `${JSON.stringify(head)}\n${value}`).join('\n');

/** Throws for bytes that are no records. */
export function readRecords(text: string): SinkRecord[] {
  const lines = text.split('\n');
  if (lines.length % 2 !== 0) throw new Error('The delivery was made for another kind of receiver.');
  return lines.flatMap((value, index) =>
    index % 2 === 0 ? [] : [{ ...(JSON.parse(lines[index - 1]!) as Omit<SinkRecord, 'value'>), value }],
  );
}

export const PLAIN_JSON = 'application/json';
export const CLOUD_EVENT = 'application/cloudevents+json; charset=utf-8';

export const matchRecord = (
  { id, ruleId }: Match,
  value: string,
  { type = 'match', contentType = PLAIN_JSON }: Partial<Pick<SinkRecord, 'type' | 'contentType'>> = {},
): SinkRecord => ({ id, key: ruleId, type, contentType, value });
