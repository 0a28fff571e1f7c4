/**
 * The events of a commit that matched, on their way to the thread that writes: texts in one JSON text, numbers in one array.
 * JSON of the numbers that stand for words would cost both threads more than all the rest.
 */
import type { Verdict } from '../store.ts';
import type { TextEvent, TextMatch } from './commit.ts';
import { parseColumn } from './texts.ts';

export interface PackedEvents {
  /** A row for each event. */
  readonly told: string;
  readonly numbers: Float64Array<ArrayBuffer>;
  /** The payloads, one after another. */
  readonly payloads: string;
}

/** What few events have is in an object at the end. */
type ToldRow = readonly [
  postId: string,
  accountId: string | null,
  source: string | null,
  ruleIds: readonly string[],
  rare?: Rare,
];

interface Rare extends Pick<TextEvent, 'engineOnly' | 'earlier'> {
  readonly highlights?: readonly string[];
  readonly verdicts?: readonly (Verdict | null)[];
}

export function packTold(events: readonly TextEvent[]): PackedEvents {
  const numbers: number[] = [];
  for (const event of events) writeNumbers(event, numbers);
  return {
    told: JSON.stringify(events.map(rowOf)),
    numbers: Float64Array.from(numbers),
    payloads: events.map(({ payload }) => payload).join(''),
  };
}

const isUnshown = ({ highlights }: TextMatch): boolean => highlights === '';

function rowOf({ postId, accountId, source, matches, engineOnly, earlier }: TextEvent): ToldRow {
  const ruleIds = matches.map(({ ruleId }) => ruleId);
  const rare: Rare = {
    ...(matches.every(isUnshown) ? {} : { highlights: matches.map(({ highlights }) => highlights) }),
    ...(matches.some(({ verdict }) => verdict) && { verdicts: matches.map(({ verdict }) => verdict ?? null) }),
    ...(engineOnly && { engineOnly }),
    ...(earlier && { earlier }),
  };
  const told = [postId, accountId ?? null, source ?? null, ruleIds] as const;
  return Object.keys(rare).length === 0 ? told : [...told, rare];
}

function writeNumbers({ payload, matches, told }: TextEvent, numbers: number[]): void {
  numbers.push(payload.length);
  for (const { version, asked } of matches) {
    numbers.push(version);
    writeList(asked, numbers);
  }
  numbers.push(told === undefined ? 0 : 1);
  if (told === undefined) return;
  writeList(told.words, numbers);
  writeList(told.marks, numbers);
  numbers.push(told.at ?? Number.NaN);
}

function writeList(list: readonly number[], numbers: number[]): void {
  numbers.push(list.length);
  for (const number of list) numbers.push(number);
}

export function toldEvents({ told, numbers, payloads }: PackedEvents): TextEvent[] {
  const reader = { numbers, at: 0 };
  let end = 0;
  return parseColumn<ToldRow[]>(told).map((row) => {
    const start = end;
    end += next(reader);
    return eventOf(row, payloads.slice(start, end), reader);
  });
}

interface Reader {
  readonly numbers: Float64Array;
  at: number;
}

const next = (reader: Reader): number => reader.numbers[reader.at++]!;

function readList(reader: Reader): number[] {
  const list: number[] = [];
  for (let left = next(reader); left > 0; left--) list.push(next(reader));
  return list;
}

function eventOf([postId, accountId, source, ruleIds, rare]: ToldRow, payload: string, reader: Reader): TextEvent {
  const matches = ruleIds.map((ruleId, index): TextMatch => {
    const [highlights, verdict] = [rare?.highlights?.[index] ?? '', rare?.verdicts?.[index]];
    return { ruleId, version: next(reader), highlights, asked: readList(reader), ...(verdict && { verdict }) };
  });
  return {
    postId,
    accountId: accountId ?? undefined,
    payload,
    source: source ?? undefined,
    matches,
    ...(rare?.engineOnly && { engineOnly: rare.engineOnly }),
    ...(rare?.earlier && { earlier: rare.earlier }),
    ...(next(reader) === 1 && { told: readTold(reader) }),
  };
}

function readTold(reader: Reader): NonNullable<TextEvent['told']> {
  const [words, marks, at] = [readList(reader), readList(reader), next(reader)];
  return Number.isNaN(at) ? { words, marks } : { words, marks, at };
}
