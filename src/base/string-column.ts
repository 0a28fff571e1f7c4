/** Very many strings as two pieces of memory: their bytes one after another, and where each of them ends. */

export interface StringColumn {
  readonly ends: Uint32Array;
  readonly bytes: Buffer;
}

/** Stands before UTF-16, for a string that UTF-8 cannot hold: one with half a surrogate pair. No UTF-8 begins so. */
const UTF_16 = 0xff;

export function stringAt(column: StringColumn, index: number): string {
  const { bytes, ends } = column;
  const from = startOf(column, index);
  return bytes[from] === UTF_16 && from < ends[index]!
    ? bytes.toString('utf16le', from + 1, ends[index])
    : bytes.toString('utf8', from, ends[index]);
}

const startOf = ({ ends }: StringColumn, index: number): number => (index === 0 ? 0 : ends[index - 1]!);

/** The source of a string for `columnOf`: the string itself, or its place in another column. */
export type StringSource = string | { readonly column: StringColumn; readonly index: number };

/** `count` strings as a column. */
export function columnOf(count: number, source: (index: number) => StringSource): StringColumn {
  const ends = new Uint32Array(count);
  let bytes = Buffer.alloc(1024);
  let end = 0;
  const reserve = (more: number) => {
    if (end + more <= bytes.length) return;
    const larger = Buffer.alloc(Math.max(bytes.length * 2, end + more));
    bytes.copy(larger, 0, 0, end);
    bytes = larger;
  };
  for (let index = 0; index < count; index++) {
    const taken = source(index);
    if (typeof taken === 'string') {
      reserve(taken.length * 3 + 1);
      end += write(bytes, end, taken);
    } else {
      const from = startOf(taken.column, taken.index);
      const to = taken.column.ends[taken.index]!;
      reserve(to - from);
      end += taken.column.bytes.copy(bytes, end, from, to);
    }
    ends[index] = end;
  }
  return { ends, bytes: bytes.subarray(0, end) };
}

function write(bytes: Buffer, at: number, text: string): number {
  if (text.isWellFormed()) return bytes.write(text, at, 'utf8');
  bytes[at] = UTF_16;
  return 1 + bytes.write(text, at + 1, 'utf16le');
}
