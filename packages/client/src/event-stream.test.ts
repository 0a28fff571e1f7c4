import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { hasSharedData, sharedJson } from '../../../test/stages/shared-data.ts';
import { createEventStreamParser } from './event-stream.ts';

interface Vector {
  readonly name: string;
  readonly stream_base64: string;
  readonly expected: readonly { event: string; data: string; last_event_id: string }[];
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function parse(...pieces: Uint8Array[]) {
  const parser = createEventStreamParser();
  return pieces
    .flatMap((piece) => parser.push(piece))
    .map(({ event, data, lastEventId }) => ({ event, data, last_event_id: lastEventId }));
}

/** Cuts bytes at places chosen by numbers between 0 and 1. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)).toSorted((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

describe.runIf(hasSharedData)('shared: event streams', () => {
  const vectors = hasSharedData ? sharedJson<Vector[]>('conformance/sse/event-stream-vectors.json') : [];

  it.each(vectors)('$name gives its events, wherever the bytes are cut', ({ stream_base64, expected }) => {
    const bytes = new Uint8Array(Buffer.from(stream_base64, 'base64'));
    expect(parse(bytes)).toEqual(expected);
    expect(parse(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(expected);
    fc.assert(
      fc.property(cuts, (places) => {
        expect(parse(...cut(bytes, places))).toEqual(expected);
      }),
    );
  });
});

it('reads what was written, with any ends of lines and any cuts', () => {
  const text = fc.string({ unit: ANY_CHARACTER }).map((value) => value.replaceAll(/[\r\n]/g, ' '));
  const written = fc.array(fc.record({ id: text, data: fc.array(text, { minLength: 1, maxLength: 3 }) }));
  const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
  fc.assert(
    fc.property(written, lineEnd, cuts, (events, end, places) => {
      const named = events.map(({ id, data }) => ({ id: id.replaceAll('\0', ''), data }));
      const lines = named.flatMap(({ id, data }) => [`id: ${id}`, ': note', ...data.map((one) => `data: ${one}`), '']);
      const bytes = encode(lines.map((line) => line + end).join(''));
      // Half a surrogate pair does not survive being written as bytes.
      const asRead = (value: string) => value.toWellFormed();
      expect(parse(...cut(bytes, places))).toEqual(
        named.map(({ id, data }) => ({
          event: 'message',
          data: asRead(data.join('\n')),
          last_event_id: asRead(id),
        })),
      );
    }),
  );
});

it('keeps the wait that the server asks for', () => {
  const parser = createEventStreamParser();
  expect(parser.retry).toBeUndefined();
  parser.push(encode('retry: 3000\nretry: soon\n\n'));
  expect(parser.retry).toBe(3_000);
});
