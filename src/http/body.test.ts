import { describe, expect, it } from 'vitest';
import { MAX_LINES, readJson, readJsonBody, readLines } from './body.ts';
import { newRequestId, requestId } from './connections.ts';

describe('the lines of a push', () => {
  it('are read without the mark that some programs put before UTF-8', async () => {
    expect((await readLines(Buffer.from('\ufeff{}\n\ufeff'))).toString()).toBe('{}\n\ufeff');
  });

  it('refuses a body with more lines than events fit into it', async () => {
    expect(await readLines(Buffer.from('\n'.repeat(MAX_LINES)))).toHaveLength(MAX_LINES);
    const tooMany = readLines(Buffer.from('\n'.repeat(MAX_LINES + 1)));
    await expect(tooMany).rejects.toThrow(expect.objectContaining({ status: 413 }));
  });

  it('are counted whole, short ones and long ones in any order', async () => {
    const pair = `${'x'.repeat(200)}\n\n`;
    const lines = (pairs: number, rest: number) => Buffer.from(pair.repeat(pairs) + '\n'.repeat(rest));
    await expect(readLines(lines(1_000, MAX_LINES - 2_000))).resolves.toBeDefined();
    await expect(readLines(lines(1_000, MAX_LINES - 1_999))).rejects.toThrow('more than 300000 lines');
  });
});

it('counts the lines of a push in many turns of the event loop', async () => {
  let [turns, isCounted] = [0, false];
  const others = (async () => {
    for (; !isCounted; turns++) await new Promise(setImmediate);
  })();
  await readLines(Buffer.from('x\n'.repeat(MAX_LINES)));
  isCounted = true;
  await others;
  expect(turns).toBeGreaterThan(20);
});

describe('a JSON body', () => {
  function refused(text: string | Uint8Array): string | undefined {
    try {
      readJsonBody(typeof text === 'string' ? Buffer.from(text) : text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('is an object, with whatever text is in it', () => {
    expect(readJsonBody(Buffer.from('{"a":"é\\ud83c\\udf0b \\\\ud83c"}'))).toEqual({ a: 'é🌋 \\ud83c' });
    expect(readJson(Buffer.from('[1]'))).toEqual([1]);
    expect(readJson(Buffer.from('null'))).toBeNull();
  });

  it.each([
    ['nothing', '', 'The body is empty; a JSON object is expected.'],
    ['a list', '[]', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['a text', '"a"', 'The body must be a JSON object.'],
    ['half a surrogate pair', '{"a":"\\uD83C"}', 'The body has a string with half a surrogate pair.'],
    ['half a pair in small letters', '{"a":["\\ud83c"]}', 'The body has a string with half a surrogate pair.'],
  ])('is not %s', (_, text, message) => expect(refused(text)).toBe(message));

  it('is not broken, nested too deep, of too many keys, or of other bytes than UTF-8', () => {
    expect(refused('{"a"')).toMatch(/^The body is not acceptable\. /);
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(refused(nested(32))).toBeUndefined();
    expect(refused(nested(33))).toMatch(/^The body is not acceptable\. /);
    const keys = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 1])));
    expect(refused(keys(10_000))).toBeUndefined();
    expect(refused(keys(10_001))).toMatch(/^The body is not acceptable\. /);
    // Lists within lists: a hundred thousand of them took a tenth of a second to cross to another thread.
    const list = '['.repeat(25) + ']'.repeat(25);
    const lists = (rows: number) => `{"a":[${Array.from({ length: rows }, () => list).join()}]}`;
    expect(refused(lists(192))).toBeUndefined();
    expect(refused(lists(193))).toBe('The body is not acceptable. Its lists have more than 5000 entries.');
    expect(refused(Uint8Array.of(0x7b, 0xff, 0x7d))).toBe('The body is not valid UTF-8.');
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
