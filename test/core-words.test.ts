import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fields } from '../src/engine/compile/fields.ts';
import { CoreMemory, ROOT } from '../src/engine/core/core-memory.ts';
import { LineWalk } from '../src/engine/core/line-walk.ts';
import type { EventView } from '../src/engine/events/event-view.ts';
import { ANY_LINE, FIELD_SETS, viewOf } from './generated/line-differential.ts';

const unused = (): never => {
  throw new Error('nothing is matched here');
};

const TEXTS = ['added', 'removed', 'added_anchor', 'removed_anchor', 'title'];
const ALL = new Set([...TEXTS, ...FIELD_SETS.firehose[3]!]);

/** Reads lines as for rules on all fields. */
class WordReader {
  readonly #memory = new CoreMemory({ decide: unused, takeResults: unused, leave: unused }, 1);
  readonly #fields = new Fields();
  readonly #lines = new LineWalk(this.#memory, this.#fields, 'firehose');

  constructor() {
    for (const name of ALL) this.#fields.use(name);
  }

  /** The words of a line with their fields and positions; undefined where the core leaves it. */
  read(line: Buffer | string): unknown[] | undefined {
    if (!this.#lines.walk(line)) return undefined;
    const { i32, u8 } = this.#memory;
    return Array.from({ length: i32[ROOT.wordCount]! }, (_, index) => {
      const at = (i32[ROOT.words]! >> 2) + index * 12;
      const [start, end, position, place] = i32.subarray(at, at + 4);
      const text = Buffer.from(u8.subarray(start, end)).toString();
      return [this.#fields.at(place! & 0x7fff).name, text, position];
    });
  }
}

const wordsOf = ({ pieces, words }: EventView): unknown[] =>
  Array.from({ length: words.count }, (_, at) => {
    const { field, text } = pieces[words.pieces[at]!]!;
    return [field, text.slice(words.starts[at], words.ends[at]), words.positions[at]];
  });

it('the core cuts pages into the words of the analyzer, each at its position, and reads more than a third of hostile ones', () => {
  const reader = new WordReader();
  let read = 0;
  let left = 0;
  fc.assert(
    fc.property(ANY_LINE.firehose, (line) => {
      const words = reader.read(line);
      const view = viewOf('firehose', line);
      if (words === undefined) return void left++;
      expect(words).toEqual(view && wordsOf(view));
      read++;
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(left / 2);
});

/** Bytes of the longest line. */
const MOST = 131_072;
const page = (text: string) => Buffer.from(JSON.stringify({ id: '1', added: text }));
const DEEP = `${'['.repeat(40)}${']'.repeat(40)}`;

it.each([
  ['a line longer than the core reads', chunks(MOST / 24)],
  ['a line that only its bytes make too long', `{"id":"1","unknown":"${'火'.repeat(MOST / 2)}"}`],
  ['a word longer than the analyzer makes', page('x'.repeat(251))],
  ['a title beyond its limit', Buffer.from(JSON.stringify({ id: '1', title: 'a '.repeat(4_097) }))],
  ['a language beyond its limit', Buffer.from(JSON.stringify({ id: '1', language: 'x'.repeat(65) }))],
  [
    'a list beyond its limit',
    Buffer.from(JSON.stringify({ id: '1', page_types: Array.from({ length: 65 }, () => 'x') })),
  ],
  ['deep nesting', Buffer.from(`{"id":"1","x":${DEEP}}`)],
  ['an id twice', Buffer.from('{"id":"1","id":"2"}')],
  ['neither id nor address', Buffer.from('{"added":"x"}')],
  ['an empty id', Buffer.from('{"id":"","url":"x"}')],
  ['half a pair', Buffer.from('{"id":"1","added":"\\ud83d"}')],
  ['bytes that are not UTF-8', Buffer.from('{"id":"1","added":"\xe9"}', 'latin1')],
  ['something behind the page', Buffer.from('{"id":"1"} x')],
])('the core leaves %s to the analyzer', (_, line) => {
  expect(new WordReader().read(line)).toBeUndefined();
});

/** Each takes 24 bytes, the comma included. */
function chunks(count: number): Buffer {
  const chunk = '{"typ":"ins","text":""}';
  return Buffer.from(`{"id":"1","diff":{"chunks":[${Array.from({ length: count }, () => chunk).join()}]}}`);
}

it('the core reads pages up to just those limits', () => {
  const reader = new WordReader();
  expect(reader.read(page('b '.repeat(65_000)))).toHaveLength(65_000);
  expect(reader.read(chunks(5_400))).toHaveLength(0);
  expect(reader.read(page('x'.repeat(250)))).toHaveLength(1);
  expect(reader.read(page(`${'é'.repeat(250)} b`))).toHaveLength(2);
  expect(reader.read(Buffer.from(JSON.stringify({ id: '1', title: 'a '.repeat(4_096) })))).toHaveLength(4_096);
  expect(reader.read(Buffer.from(`{"url":"x","unknown":[${'1,'.repeat(5_000)}"${'y'.repeat(9_000)}"]}`))).toHaveLength(
    1,
  );
});
