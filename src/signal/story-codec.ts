/** A book of stories, and what was put into one, as bytes. Numbers keep every bit: what is read back decides the same. */
import { createStoryBook, type OpenStory, type StoryBook, type StoryEvent } from './stories.ts';

/** An event that was put into a story. */
export interface StoryEntry extends StoryEvent {
  readonly number: number;
  readonly now: number;
}

/** Bytes of another form are not read: the book begins anew. */
const FORM = 1;

export function writeBook(book: StoryBook): Uint8Array {
  const out = new Bytes();
  out.float(FORM);
  for (const story of book.open()) {
    out.float(story.number);
    out.float(story.size);
    out.float(story.lastAt);
    out.float(story.joinedAt);
    out.float(story.joinedBy);
    out.float(story.length);
    out.float(story.measuredAt);
    out.counts(story.words, story.counts);
    out.floats(withOrigin(story));
  }
  return out.taken();
}

export function readBook(bytes: Uint8Array): StoryBook {
  const from = new Reader(bytes);
  return createStoryBook(from.float() === FORM ? storiesIn(from) : []);
}

function* storiesIn(from: Reader): Iterable<OpenStory> {
  while (!from.isDone) {
    const [number, size, lastAt, joinedAt] = [from.float(), from.float(), from.float(), from.float()];
    const [joinedBy, length, measuredAt] = [from.float(), from.float(), from.float()];
    const pairs = from.list(() => [from.integer(), from.integer()] as const);
    const [words, counts] = [pairs.map(([word]) => word), pairs.map(([, count]) => count)];
    yield { number, size, lastAt, joinedAt, joinedBy, length, measuredAt, words, counts, ...marksIn(from) };
  }
}

/** Takes down what is put into stories. */
export class StoryLogWriter {
  readonly #out = new Bytes();

  add(number: number, event: StoryEvent, now: number): void {
    const out = this.#out;
    out.float(number);
    out.float(now);
    out.float(event.at);
    out.integers(event.words);
    out.floats(withOrigin(event));
  }

  /** The bytes added since the last call. */
  taken(): Uint8Array {
    return this.#out.taken();
  }
}

export function* readStoryLog(bytes: Uint8Array): Iterable<StoryEntry> {
  const from = new Reader(bytes);
  while (!from.isDone) {
    const [number, now, at] = [from.float(), from.float(), from.float()];
    yield { number, now, at, words: from.list(() => from.integer()), ...marksIn(from) };
  }
}

/** Some entries as bytes, and the number that stands before them, where it is one of those from `first` on. */
export interface LogPiece {
  readonly number: number | undefined;
  readonly bytes: Uint8Array;
}

/** Cuts entries where a number from `first` on stands: the pieces with their numbers between them are the entries again. */
export function cutAtNumbers(bytes: Uint8Array, first: number): LogPiece[] {
  const from = new Reader(bytes);
  const pieces: LogPiece[] = [];
  let [number, start]: [number | undefined, number] = [undefined, 0];
  while (!from.isDone) {
    const at = from.at;
    const next = from.float();
    if (next >= first) {
      if (at > 0) pieces.push({ number, bytes: bytes.subarray(start, at) });
      [number, start] = [next, from.at];
    }
    from.skip(16);
    from.skip(4 * from.integer());
    from.skip(8 * from.integer());
  }
  pieces.push({ number, bytes: bytes.subarray(start) });
  return pieces;
}

/** The origin is a mark below zero, which no event has: a release that knows of no origin reads the same bytes. */
const withOrigin = ({ marks, origin = 0 }: Pick<StoryEvent, 'marks' | 'origin'>): readonly number[] =>
  origin === 0 ? marks : [...marks, -origin];

function marksIn(from: Reader): { marks: number[]; origin: number } {
  const marks = from.list(() => from.float());
  return { marks: marks.filter((mark) => mark >= 0), origin: -(marks.findLast((mark) => mark < 0) ?? 0) };
}

class Bytes {
  #view = new DataView(new ArrayBuffer(1_024));
  #length = 0;

  float(value: number): void {
    this.#room(8).setFloat64(this.#length, value);
    this.#length += 8;
  }

  floats(values: readonly number[]): void {
    const view = this.#listOf(values.length, 8);
    let at = this.#length;
    for (let index = 0; index < values.length; index++, at += 8) view.setFloat64(at, values[index]!);
    this.#length = at;
  }

  integers(values: readonly number[]): void {
    const view = this.#listOf(values.length, 4);
    let at = this.#length;
    for (let index = 0; index < values.length; index++, at += 4) view.setInt32(at, values[index]!);
    this.#length = at;
  }

  /** Each word with its count. */
  counts(words: readonly number[], counts: readonly number[]): void {
    const view = this.#listOf(words.length, 8);
    let at = this.#length;
    for (let index = 0; index < words.length; index++, at += 8) {
      view.setInt32(at, words[index]!);
      view.setInt32(at + 4, counts[index]!);
    }
    this.#length = at;
  }

  /** A copy of what was written. The next bytes begin anew. */
  taken(): Uint8Array {
    const taken = new Uint8Array(this.#view.buffer, 0, this.#length).slice();
    this.#length = 0;
    return taken;
  }

  /** Writes how many there are, and has room for them. */
  #listOf(length: number, bytes: number): DataView {
    const view = this.#room(4 + bytes * length);
    view.setInt32(this.#length, length);
    this.#length += 4;
    return view;
  }

  #room(bytes: number): DataView {
    const least = this.#length + bytes;
    if (least > this.#view.byteLength) {
      const larger = new Uint8Array(Math.max(least, 2 * this.#view.byteLength));
      larger.set(new Uint8Array(this.#view.buffer));
      this.#view = new DataView(larger.buffer);
    }
    return this.#view;
  }
}

class Reader {
  readonly #view: DataView;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  get at(): number {
    return this.#at;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  get isDone(): boolean {
    return this.#at >= this.#view.byteLength;
  }

  float(): number {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8);
  }

  integer(): number {
    this.#at += 4;
    return this.#view.getInt32(this.#at - 4);
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.integer() }, read);
  }
}
