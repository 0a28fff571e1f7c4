/**
 * The events of a commit that matched, on their way to the thread that writes: texts in one JSON text, numbers in one array, payloads where
 * they stand in the ring. JSON of the numbers that stand for words would cost both threads more than all the rest.
 */
import type { TextEvent, TextMatch, Verdict } from '../nouns/commits.ts';
import type { PackedRow, PayloadPlace } from './packed-ring.ts';
import { parseColumn } from './texts.ts';

export interface PackedEvents {
  /** A row for each event. */
  readonly told: string;
  readonly numbers: Float64Array<ArrayBuffer>;
}

/** Room for the numbers of some events at first. */
const FIRST_NUMBERS = 256;

/** The row of an event. Fields that few events have are in an object at its end. */
type ToldRow = readonly [
  postId: string,
  accountId: string | null,
  source: string | null,
  ruleIds: readonly string[],
  rare?: Rare,
];

interface Rare extends Pick<TextEvent, 'engineOnly' | 'earlier' | 'carried'> {
  readonly highlights?: readonly string[];
  readonly verdicts?: readonly (Verdict | null)[];
}

export interface ToldPacker {
  add(event: TextEvent, place: PayloadPlace): void;
  pack(): PackedEvents;
}

export function createToldPacker(): ToldPacker {
  const rows: ToldRow[] = [];
  const numbers = new NumberList();
  return {
    add(event, place) {
      rows.push(rowOf(event));
      numbers.add(place.row);
      numbers.add(place.start);
      numbers.add(place.end);
      writeNumbers(event, numbers);
    },
    pack: () => ({ told: JSON.stringify(rows), numbers: numbers.all() }),
  };
}

function rowOf({ postId, accountId, source, matches, engineOnly, earlier, carried }: TextEvent): ToldRow {
  const ruleIds: string[] = [];
  let [isShown, isJudged] = [false, false];
  for (const { ruleId, highlights, verdict } of matches) {
    ruleIds.push(ruleId);
    if (highlights !== '') isShown = true;
    if (verdict !== undefined) isJudged = true;
  }
  const owner = accountId ?? null;
  const by = source ?? null;
  const isPlain = engineOnly === undefined && earlier === undefined && carried === undefined;
  if (!isShown && !isJudged && isPlain) return [postId, owner, by, ruleIds];
  const rare: Rare = {
    ...(isShown && { highlights: matches.map(({ highlights }) => highlights) }),
    ...(isJudged && { verdicts: matches.map(({ verdict }) => verdict ?? null) }),
    ...(engineOnly && { engineOnly }),
    ...(earlier && { earlier }),
    ...(carried && { carried }),
  };
  return [postId, owner, by, ruleIds, rare];
}

function writeNumbers({ matches, told }: TextEvent, numbers: NumberList): void {
  for (const { version, asked } of matches) {
    numbers.add(version);
    numbers.add(asked);
  }
  numbers.add(told === undefined ? 0 : 1);
  if (told === undefined) return;
  numbers.addList(told.words);
  numbers.addList(told.marks);
  numbers.add(told.at ?? Number.NaN);
}

/** Numbers where they are handed over: they are not written twice. */
class NumberList {
  #numbers = new Float64Array(FIRST_NUMBERS);
  #length = 0;

  add(number: number): void {
    if (this.#length === this.#numbers.length) this.#enlarge(1);
    this.#numbers[this.#length++] = number;
  }

  /** Its length, then what is in it. */
  addList(list: readonly number[]): void {
    if (this.#length + 1 + list.length > this.#numbers.length) this.#enlarge(1 + list.length);
    const numbers = this.#numbers;
    let at = this.#length;
    numbers[at++] = list.length;
    for (let index = 0; index < list.length; index++) numbers[at++] = list[index]!;
    this.#length = at;
  }

  all(): Float64Array<ArrayBuffer> {
    return this.#numbers.subarray(0, this.#length);
  }

  #enlarge(more: number): void {
    const before = this.#numbers;
    this.#numbers = new Float64Array(Math.max(2 * before.length, this.#length + more));
    this.#numbers.set(before);
  }
}

/** An event as the thread reads it. All of them have one shape, which costs the code that reads them less. */
export interface ToldEvent extends Omit<TextEvent, 'payload'> {
  /** UTF-8. */
  readonly payload: Uint8Array;
}

export function toldEvents({
  told,
  numbers,
  ring,
}: PackedEvents & { readonly ring: readonly PackedRow[] }): ToldEvent[] {
  const reader = { numbers, at: 0 };
  return parseColumn<ToldRow[]>(told).map((row) => {
    const { lines } = ring[next(reader)]!;
    return eventOf(row, lines.subarray(next(reader), next(reader)), reader);
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

function eventOf([postId, accountId, source, ruleIds, rare]: ToldRow, payload: Uint8Array, reader: Reader): ToldEvent {
  const matches = ruleIds.map((ruleId, index): TextMatch => {
    const highlights = rare?.highlights?.[index] ?? '';
    const verdict = rare?.verdicts?.[index] ?? undefined;
    // Truncated: a number that might have a fraction would give the matches several shapes.
    return { ruleId, version: next(reader) | 0, highlights, asked: next(reader), verdict };
  });
  return {
    postId,
    accountId: accountId ?? undefined,
    payload,
    source: source ?? undefined,
    matches,
    engineOnly: rare?.engineOnly,
    earlier: rare?.earlier,
    carried: rare?.carried,
    told: next(reader) === 1 ? readTold(reader) : undefined,
  };
}

function readTold(reader: Reader): NonNullable<TextEvent['told']> {
  const [words, marks, at] = [readList(reader), readList(reader), next(reader)];
  return Number.isNaN(at) ? { words, marks } : { words, marks, at };
}
