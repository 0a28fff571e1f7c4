import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventStreamParser } from '../../../packages/client/src/event-stream.ts';
import { hasSharedData, sharedJson } from '../../../test/stages/shared-data.ts';
import { type EventFrame, FrameReader } from './frames.ts';

interface Vector {
  readonly name: string;
  readonly stream_base64: string;
  readonly expected: readonly { event: string; data: string }[];
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function read(pieces: readonly Uint8Array[], mostBytes?: number): EventFrame[] {
  const reader = new FrameReader(mostBytes);
  return pieces.flatMap((piece) => reader.push(piece));
}

/** Cuts bytes at places chosen by numbers between 0 and 1. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [
    ...places.map((position) => Math.floor(position * bytes.length)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const single = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
/** Text that is made of what means something in the format, so that most of it is not noise. */
const stream = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'data',
        'id',
        'event',
        'retry',
        ':',
        ': ',
        '\n',
        '\r',
        '\r\n',
        '\n\n',
        '\0',
        '\uFEFF',
        '0-1',
        'é😀',
      ),
      fc.constantFrom('data: x\n', 'id: 0-7\n', 'event: update\n', 'data:\n'),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => encode(parts.join('')));

describe.runIf(hasSharedData)('shared: frames of event streams', () => {
  const vectors = hasSharedData ? sharedJson<Vector[]>('conformance/sse/event-stream-vectors.json') : [];

  it.each(vectors)('$name gives its frames, byte by byte too', ({ stream_base64, expected }) => {
    const bytes = new Uint8Array(Buffer.from(stream_base64, 'base64'));
    const wanted = expected.map(({ event, data }) => ({ event, data }));
    expect(read([bytes]).map(({ event, data }) => ({ event, data }))).toEqual(wanted);
    expect(read(single(bytes)).map(({ event, data }) => ({ event, data }))).toEqual(wanted);
  });
});

describe('frames', () => {
  it('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, places) => {
        const whole = read([bytes]);
        expect(read(cut(bytes, places))).toEqual(whole);
        expect(read(single(bytes))).toEqual(whole);
      }),
    );
  });

  it('are what another reader of the format finds', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        const other = createEventStreamParser().push(bytes);
        expect(read([bytes]).map(({ event, data }) => ({ event, data }))).toEqual(
          other.map(({ event, data }) => ({ event, data })),
        );
      }),
    );
  });

  it('are not seen when the stream ends before their blank line, wherever that is', () => {
    const whole = encode('id: 0-1\nevent: update\ndata: {"a":"é"}\n\n');
    for (let end = 0; end < whole.length; end++) expect(read([whole.subarray(0, end)])).toEqual([]);
    expect(read([whole])).toHaveLength(1);
  });

  it('have the id that came with them, and none with a NUL in it', () => {
    const frames = read([encode('id: 0-1\ndata: a\n\ndata: b\n\nid: 0-\0\ndata: c\n\n')]);
    expect(frames.map(({ id }) => id)).toEqual(['0-1', undefined, undefined]);
  });

  it('are counted apart from comments; a retry is read', () => {
    const reader = new FrameReader();
    expect(reader.push(encode(': still here\n\n:\nretry: 999999999\nretry: 1e3\n\n'))).toEqual([]);
    expect(reader.comments).toBe(2);
    expect(reader.retry).toBe(999_999_999);
  });
});

describe('the fields of a frame', () => {
  it('are read with and without a space, and with nothing after the name', () => {
    expect(read([encode('event:a\ndata:  b\ndata:c:d\nid\ndata\n\n')])).toEqual([
      { event: 'a', data: ' b\nc:d\n', id: '', tooLong: false },
    ]);
  });

  it('may stand after a mark of byte order, at the very beginning alone', () => {
    expect(read([encode('\uFEFFdata: a\n\n\uFEFFdata: b\n\n')])).toMatchObject([{ data: 'a' }]);
    for (const bytes of [
      [0xef, 0xbb, 0x21],
      [0xef, 0x21, 0xbf],
      [0x21, 0xbb, 0xbf],
    ]) {
      expect(read([new Uint8Array(bytes), encode('data: a\n\n')])).toEqual([]);
    }
  });

  it('end with the frame: the next one has none of them', () => {
    expect(read([encode('event: a\nid: 1\n\ndata: b\n\n')])).toEqual([
      { event: 'message', data: 'b', id: undefined, tooLong: false },
    ]);
  });

  it('that ask for a wait have to be a number', () => {
    const reader = new FrameReader();
    reader.push(encode('retry: 1s\nretry:\n'));
    expect(reader.retry).toBeUndefined();
    reader.push(encode('retry: 1500\n'));
    expect(reader.retry).toBe(1_500);
  });
});

describe('a frame that is too long', () => {
  it('has one byte more than it may, in one line or in several', () => {
    const line = (length: number) => `data:${'x'.repeat(length - 5)}\n`;
    expect(read([encode(`${line(100)}\n`)], 100)).toMatchObject([{ tooLong: false }]);
    expect(read([encode(`${line(101)}\n`)], 100)).toMatchObject([{ tooLong: true }]);
    expect(read([encode(`${line(50)}${line(50)}\n`)], 100)).toMatchObject([{ tooLong: false }]);
    expect(read([encode(`${line(50)}${line(51)}\n`)], 100)).toMatchObject([{ tooLong: true }]);
    expect(read(single(encode(`${line(100)}\n`)), 100)).toMatchObject([{ tooLong: false }]);
    expect(read(single(encode(`${line(101)}\n`)), 100)).toMatchObject([{ tooLong: true }]);
  });

  it('keeps its first 4,096 characters, and of other fields no half', () => {
    const [frame] = read([encode(`data: ${'x'.repeat(9_000)}\ndata: y\nid: ${'1'.repeat(6_000)}\n\n`)], 5_000);
    expect(frame).toEqual({ event: 'message', data: 'x'.repeat(4_096), id: undefined, tooLong: true });
  });

  const long = 'x'.repeat(5_000);

  it.each([
    ['in one line', `id: 0-2\ndata: ${long}\n\n`],
    ['in many lines', `id: 0-2\n${'data: 0123456789\n'.repeat(400)}\n`],
    ['with its id at the end', `data: ${long}\nid: 0-2\n\n`],
  ])('is told of by its id, %s, and the next one is whole', (_, text) => {
    const bytes = encode(`${text}id: 0-3\ndata: next\n\n`);
    for (const pieces of [[bytes], single(bytes)]) {
      const [first, second, ...more] = read(pieces, 4_500);
      expect(first).toMatchObject({ id: '0-2', tooLong: true });
      expect(first!.data.length).toBeLessThanOrEqual(4_096);
      expect(second).toEqual({ event: 'message', data: 'next', id: '0-3', tooLong: false });
      expect(more).toEqual([]);
    }
  });

  it('is none when only a comment is long', () => {
    expect(read([encode(`: ${long}\ndata: a\n\n`)], 1_000)).toMatchObject([{ data: 'a', tooLong: false }]);
  });

  it('holds at most its own limit in memory, whatever its length', () => {
    const reader = new FrameReader(1_000);
    const part = encode('x'.repeat(100_000));
    reader.push(encode('id: 0-1\ndata: '));
    for (let sent = 0; sent < 1_000; sent++) expect(reader.push(part)).toEqual([]);
    expect(reader.push(encode('\n\n'))).toMatchObject([{ id: '0-1', tooLong: true }]);
  });
});
