import { describe, expect, it } from 'vitest';
import { EntryList } from './backlog.ts';
import type { BacklogEntry } from './spill.ts';

const entryOf = (number: number): BacklogEntry => ({
  kind: 'state',
  state: 'live',
  reason: `${number}`.padStart(6, '0'),
});

describe('a list of entries', () => {
  it('weighs 200 bytes an entry, and the bytes of the records', () => {
    const line = Buffer.alloc(1_000);
    const record: BacklogEntry = { kind: 'record', at: 0, through: 0, cursor: '', replayed: false, line };
    const list = new EntryList([entryOf(1), record]);
    expect(list.bytes).toBe(1_400);
    list.push(record);
    list.shift();
    list.shift();
    expect(list.bytes).toBe(1_200);
  });

  it('gives entries in their order and knows what is left, over thousands that come and go', () => {
    const list = new EntryList([entryOf(0), entryOf(1)]);
    const each = list.bytes / 2;
    let [put, taken] = [2, 0];
    for (let round = 0; round < 40; round++) {
      for (let count = 0; count < 200; count++) list.push(entryOf(put++));
      for (let count = 0; count < 150; count++) expect(list.shift()).toEqual(entryOf(taken++));
      expect([list.length, list.bytes]).toEqual([put - taken, (put - taken) * each]);
    }
    expect(list.toArray()).toEqual(Array.from({ length: put - taken }, (_, index) => entryOf(taken + index)));
    while (list.length > 0) expect(list.shift()).toEqual(entryOf(taken++));
    expect([list.shift(), list.bytes, list.length, taken]).toEqual([undefined, 0, 0, put]);
  });
});
