import { expect, it } from 'vitest';
import { at, type Open } from './stage.ts';

const delivery = (text: string, time = 0) => ({ at: at(time), body: Buffer.from(text) });

export function inboxCases(open: Open): void {
  it('keeps deliveries in the order in which they came, until they are dropped', async () => {
    await using store = await open();
    const failure = { at: at(1), until: at(2), cause: 'refused' };
    await store.putReceived('x', [delivery('one'), failure]);
    await store.putReceived('x', [delivery('two', 3)]);
    await store.putReceived('firehose', [delivery('other')]);
    const rows = await store.received('x', 0, 10);
    expect(rows.map((row) => ('body' in row ? text(row.body) : row.cause))).toEqual(['one', 'refused', 'two']);
    expect(rows[1]).toMatchObject(failure);
    expect(rows.map(({ at: time }) => time)).toEqual([at(0), at(1), at(3)]);
    expect(await store.received('x', rows[0]!.position, 1)).toEqual([rows[1]]);
    await store.dropReceived('x', rows[1]!.position);
    expect(await store.received('x', 0, 10)).toEqual([rows[2]]);
    expect(await store.received('firehose', 0, 10)).toHaveLength(1);
  });

  it('gives no position twice, also when the last row is gone', async () => {
    await using store = await open();
    await store.putReceived('x', [delivery('one')]);
    const [first] = await store.received('x', 0, 10);
    await store.dropReceived('x', first!.position);
    await store.putReceived('x', [delivery('two')]);
    expect(await store.received('x', first!.position, 10)).toHaveLength(1);
  });

  it('shows nothing before what was read already, however many store at once', async () => {
    await using store = await open();
    const seen: string[] = [];
    let position = 0;
    const read = async () => {
      for (const row of await store.received('x', position, 1_000)) {
        position = row.position;
        if ('body' in row) seen.push(text(row.body));
      }
    };
    // Some take much longer than others, and begin before them.
    const packs = Array.from({ length: 30 }, (_, pack) =>
      Array.from({ length: pack % 5 === 0 ? 80 : 1 }, (__, index) => `post ${pack} ${index}`),
    );
    const putAndRead = async (names: readonly string[]) => {
      await store.putReceived(
        'x',
        names.map((name) => delivery(name)),
      );
      await read();
    };
    await Promise.all(packs.map(putAndRead));
    await read();
    expect(new Set(seen)).toEqual(new Set(packs.flat()));
  });
}

const text = (body: Uint8Array): string => Buffer.from(body).toString();
