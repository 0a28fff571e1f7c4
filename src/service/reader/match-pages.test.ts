import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createMatchPages, pageBytes } from './reader.ts';

function stage() {
  const clock = fakeClock();
  const stored = { version: 1 };
  const pages = createMatchPages({ version: async () => stored.version } as never, clock);
  let written = 0;
  const get = async (name: string, bytes = 1) => {
    const before = written;
    await pages.get(name, async () => {
      written++;
      return { pieces: [Buffer.alloc(bytes)], joined: undefined, isAsked: false };
    });
    return written > before ? 'written' : 'kept';
  };
  return { clock, stored, get };
}

it('a page is kept until the store changes, and for a second at most', async () => {
  const { clock, stored, get } = stage();
  expect([await get('a'), await get('a'), await get('b')]).toEqual(['written', 'kept', 'written']);
  stored.version++;
  expect(await get('a')).toBe('written');
  await clock.pass(999);
  expect(await get('a')).toBe('kept');
  await clock.pass(1);
  expect(await get('a')).toBe('written');
});

it('pages of 16 MiB are kept in all', async () => {
  const { get } = stage();
  const mebibytes = 1024 * 1024;
  await get('a', 8 * mebibytes);
  await get('b', 8 * mebibytes);
  expect([await get('a'), await get('b')]).toEqual(['kept', 'kept']);
  await get('c', 1);
  expect(await get('b')).toBe('kept');
  expect(await get('a', 8 * mebibytes)).toBe('written');
});

it('a page is copied for who asks once, and kept in one piece for who asks again', () => {
  const page = { pieces: [Buffer.from('[1'), Buffer.from(',2]')], joined: undefined, isAsked: false };
  const first = pageBytes(page);
  const again = pageBytes(page);
  expect([first.toString(), again.toString(), again === first]).toEqual(['[1,2]', '[1,2]', false]);
  expect(pageBytes(page)).toBe(again);
});
