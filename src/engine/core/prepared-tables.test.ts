import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { packTables, preparedTables, unpackTables } from './prepared-tables.ts';

const packed = () => packTables(preparedTables()!);

it('reads what was packed', () => {
  expect(unpackTables(packed())).toEqual(preparedTables());
});

it('does not take tables of another version of Unicode', () => {
  const bytes = inflateRawSync(packed());
  bytes.write('1.0', 'latin1');
  expect(unpackTables(deflateRawSync(bytes))).toBeUndefined();
});

it.each([
  ['cut short', (bytes: Buffer) => bytes.subarray(0, -1)],
  ['too long', (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)])],
  ['without tables', (bytes: Buffer) => bytes.subarray(0, 16)],
])('does not take a file that is %s', (_, damage) => {
  expect(unpackTables(deflateRawSync(damage(inflateRawSync(packed()))))).toBeUndefined();
});

it('does not take bytes that are no file of tables', () => {
  expect(unpackTables(Buffer.from('rubbish'))).toBeUndefined();
  expect(unpackTables(Buffer.alloc(0))).toBeUndefined();
});
