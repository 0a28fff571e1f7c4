import { describe, expect, it } from 'vitest';
import { MAX_LINES, readJson, readJsonBody, readLines } from './body.ts';
import { newRequestId, requestId } from './connections.ts';

/** How often the event loop turns while the work runs. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return turns;
}

describe('the lines of a push', () => {
  it('blanks a line that is not UTF-8, and no other', async () => {
    const body = Buffer.concat([Buffer.from('{"a":"\ufffd"}\n'), Buffer.of(0xff, 0x41, 0x0a), Buffer.from('{"b":1}')]);
    expect((await readLines(body)).toString()).toBe('{"a":"\ufffd"}\n??\n{"b":1}');
  });

  it('are read without the mark that some programs put before UTF-8', async () => {
    expect((await readLines(Buffer.from('\ufeff{}\n\ufeff'))).toString()).toBe('{}\n\ufeff');
  });

  it('lets the event loop turn while it looks for broken lines', async () => {
    expect(await turnsDuring(readLines(Buffer.from('\xff\n'.repeat(200_000), 'latin1')))).toBeGreaterThan(90);
  });

  it('lets the event loop turn while it counts lines', async () => {
    expect(await turnsDuring(readLines(Buffer.alloc(8 * 32_768, '\n')))).toBeGreaterThan(6);
  });

  it('refuses a body with more lines than events fit into it', async () => {
    await expect(readLines(Buffer.from('\n'.repeat(MAX_LINES)))).resolves.toHaveLength(MAX_LINES);
    await expect(readLines(Buffer.from('\n'.repeat(MAX_LINES + 1)))).rejects.toMatchObject({ status: 413 });
  });
});

describe('a JSON body', () => {
  const refused = (text: string | Uint8Array) =>
    readJsonBody(typeof text === 'string' ? Buffer.from(text) : text).then(
      () => undefined,
      (error: Error) => error.message,
    );

  it('is an object, with whatever text is in it', async () => {
    expect(await readJsonBody(Buffer.from('{"a":"é\\ud83c\\udf0b \\\\ud83c"}'))).toEqual({ a: 'é🌋 \\ud83c' });
    expect(await readJson(Buffer.from('[1]'))).toEqual([1]);
    expect(await readJson(Buffer.from('null'))).toBeNull();
  });

  it('is decoded, parsed and answered in turns of their own if it is long', async () => {
    const body = (size: number) => Buffer.from(JSON.stringify({ a: 'a'.repeat(size) }));
    // Once between the first pause and the second.
    expect(await turnsDuring(readJsonBody(body(250_000)))).toBe(1);
    expect(await turnsDuring(readJsonBody(body(1_000)))).toBe(0);
  });

  it.each([
    ['nothing', '', 'The body is empty; a JSON object is expected.'],
    ['a list', '[]', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['a text', '"a"', 'The body must be a JSON object.'],
    ['half a surrogate pair', '{"a":"\\uD83C"}', 'The body has a string with half a surrogate pair.'],
    ['half a pair in small letters', '{"a":["\\ud83c"]}', 'The body has a string with half a surrogate pair.'],
  ])('is not %s', (_, text, message) => expect(refused(text)).resolves.toBe(message));

  it('is not broken, nested too deep, of too many keys, or of other bytes than UTF-8', async () => {
    expect(await refused('{"a"')).toMatch(/^The body is not acceptable\. /);
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(await refused(nested(32))).toBeUndefined();
    expect(await refused(nested(33))).toMatch(/^The body is not acceptable\. /);
    const keys = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 1])));
    expect(await refused(keys(10_000))).toBeUndefined();
    expect(await refused(keys(10_001))).toMatch(/^The body is not acceptable\. /);
    expect(await refused(Uint8Array.of(0x7b, 0xff, 0x7d))).toBe('The body is not valid UTF-8.');
  });
});

describe('the id of a request', () => {
  it('is the caller’s own when it can stand in a log, and a new one otherwise', () => {
    expect(requestId('my-request_1.2')).toBe('my-request_1.2');
    expect(requestId('a'.repeat(128))).toHaveLength(128);
    for (const given of [undefined, '', 'a b', 'a\nb', 'é', 'a'.repeat(129), ['a']])
      expect(requestId(given)).toMatch(/^req_[0-9a-f]{16}[0-9a-z]{6}$/);
    expect(newRequestId()).not.toBe(newRequestId());
  });
});
