/**
 * The events of a commit that matched, on their way to the thread that writes: texts in one JSON text, numbers in one array, payloads where
 * they stand in the ring. JSON of the numbers that stand for words would cost both threads more than all the rest.
 */
import type { Verdict } from '../nouns/commits.ts';
import type { TextEvent, TextMatch } from './commit.ts';
import type { PackedRow, PayloadPlace } from './packed-ring.ts';
import { parseColumn } from './texts.ts';

export interface PackedEvents {
  /** Names, and a row for each event. */
  readonly told: string;
  readonly numbers: Float64Array<ArrayBuffer>;
}

/** Room for the numbers of some events at first. */
const FIRST_NUMBERS = 256;

/** Rules, accounts and sources: most are those of many events of a commit, which have their places in this list. */
type Names = readonly string[];

/** The post, with what few events have. */
type ToldRow = string | readonly [postId: string, rare: Rare];

interface Rare extends Pick<TextEvent, 'engineOnly' | 'earlier' | 'carried'> {
  readonly highlights?: readonly string[];
  readonly verdicts?: readonly (Verdict | null)[];
}

/** The place of a name that is not there. */
const NO_NAME = -1;

export interface ToldPacker {
  add(event: TextEvent, place: PayloadPlace): void;
  pack(): PackedEvents;
}

export function createToldPacker(): ToldPacker {
  const rows: ToldRow[] = [];
  const names = new NameList();
  const numbers = new NumberList();
  return {
    add(event, place) {
      rows.push(rowOf(event));
      numbers.add(place.row);
      numbers.add(place.start);
      numbers.add(place.end);
      writeNumbers(event, names, numbers);
    },
    pack: () => ({ told: JSON.stringify([names.all, rows]), numbers: numbers.all() }),
  };
}

function rowOf({ postId, matches, engineOnly, earlier, carried }: TextEvent): ToldRow {
  let [isShown, isJudged] = [false, false];
  for (const { highlights, verdict } of matches) {
    if (highlights !== '') isShown = true;
    if (verdict !== undefined) isJudged = true;
  }
  const isPlain = engineOnly === undefined && earlier === undefined && carried === undefined;
  if (!isShown && !isJudged && isPlain) return postId;
  const rare: Rare = {
    ...(isShown && { highlights: matches.map(({ highlights }) => highlights) }),
    ...(isJudged && { verdicts: matches.map(({ verdict }) => verdict ?? null) }),
    ...(engineOnly && { engineOnly }),
    ...(earlier && { earlier }),
    ...(carried && { carried }),
  };
  return [postId, rare];
}

function writeNumbers({ accountId, source, matches, told }: TextEvent, names: NameList, numbers: NumberList): void {
  numbers.add(names.placeOf(accountId));
  numbers.add(names.placeOf(source));
  numbers.add(matches.length);
  for (const { ruleId, version, asked } of matches) {
    numbers.add(names.placeOf(ruleId));
    numbers.add(version);
    numbers.addList(asked);
  }
  numbers.add(told === undefined ? 0 : 1);
  if (told === undefined) return;
  numbers.addList(told.words);
  numbers.addList(told.marks);
  numbers.add(told.at ?? Number.NaN);
}

/** Each once. */
class NameList {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();

  placeOf(name: string | undefined): number {
    if (name === undefined) return NO_NAME;
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.all.length);
    return this.all.push(name) - 1;
  }
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
  const [names, rows] = parseColumn<readonly [Names, readonly ToldRow[]]>(told);
  const reader = { names, numbers, at: 0 };
  return rows.map((row) => {
    const { lines } = ring[next(reader)]!;
    return eventOf(row, lines.subarray(next(reader), next(reader)), reader);
  });
}

interface Reader {
  readonly names: Names;
  readonly numbers: Float64Array;
  at: number;
}

const next = (reader: Reader): number => reader.numbers[reader.at++]!;

/** Undefined where there is none. */
const nextName = (reader: Reader): string | undefined => reader.names[next(reader)];

/** With room for what is in it and no more: a list that grows takes several times that. */
function readList(reader: Reader): number[] {
  const list = Array<number>(next(reader));
  for (let index = 0; index < list.length; index++) list[index] = next(reader);
  return list;
}

function eventOf(row: ToldRow, payload: Uint8Array, reader: Reader): ToldEvent {
  const [postId, rare] = typeof row === 'string' ? [row] : row;
  const [accountId, source] = [nextName(reader), nextName(reader)];
  return {
    postId,
    accountId,
    payload,
    source,
    matches: readMatches(rare, reader),
    engineOnly: rare?.engineOnly,
    earlier: rare?.earlier,
    carried: rare?.carried,
    told: next(reader) === 1 ? readTold(reader) : undefined,
  };
}

function readMatches(rare: Rare | undefined, reader: Reader): TextMatch[] {
  const matches: TextMatch[] = [];
  for (let index = 0, count = next(reader); index < count; index++) {
    const highlights = rare?.highlights?.[index] ?? '';
    const verdict = rare?.verdicts?.[index] ?? undefined;
    const ruleId = nextName(reader)!;
    // Truncated: a number that might have a fraction would give the matches several shapes.
    matches.push({ ruleId, version: next(reader) | 0, highlights, asked: readList(reader), verdict });
  }
  return matches;
}

function readTold(reader: Reader): NonNullable<TextEvent['told']> {
  const [words, marks, at] = [readList(reader), readList(reader), next(reader)];
  return Number.isNaN(at) ? { words, marks } : { words, marks, at };
}
