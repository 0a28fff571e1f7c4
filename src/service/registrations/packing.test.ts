import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitsPack } from '../../rules/pack.ts';
import { type Joinable, type Member, place, spareSlots } from './packing.ts';

/** The texts of a pack may have this many clauses together. */
const MAX_CLAUSES = 960;

const member = (value: string, size: number, flags = {}): Member => ({
  text: { value, flags },
  part: { size, clauses: 1 },
});
const loner = (value: string): Member => ({ text: { value, flags: {} }, part: undefined });
const joinable = (tag: string, ...members: Member[]): Joinable => ({ tag, members });
const values = (members: readonly Member[]) => members.map(({ text }) => text.value);

describe('place', () => {
  it('gives each text a slot of its own while there are some', () => {
    const none = () => expect.fail('no joinable registration is looked at');
    const { drafts } = place([member('a', 10), loner('b')], none, { free: 2, now: 3, length: 100 });
    expect(drafts.map(({ members, replaces }) => [values(members), replaces])).toEqual([
      [['a'], []],
      [['b'], []],
    ]);
  });

  it('joins the smallest into one full pack when slots run out', () => {
    const old = [joinable('p', member('p', 60)), joinable('q', member('q', 20)), joinable('r', member('r', 30))];
    const { drafts, waiting, refused } = place([member('new', 25)], () => old, { free: 0, now: 1, length: 80 });
    expect(drafts.map(({ members, replaces }) => [values(members), replaces])).toEqual([
      [
        ['q', 'r', 'new'],
        ['q', 'r'],
      ],
    ]);
    expect([waiting, refused]).toEqual([[], []]);
  });

  it('never joins what has other flags, or must stand alone', () => {
    const old = [joinable('p', member('p', 10, { nsfw: true }))];
    const { drafts, refused } = place([member('a', 10), loner('b')], () => old, { free: 0, now: 1, length: 100 });
    expect(drafts).toEqual([]);
    expect(values(refused)).toEqual(['a', 'b']);
  });

  it('fills up packs that were made before it turns anybody away', () => {
    const old = [joinable('p', member('p', 90)), joinable('q', member('q', 70))];
    const { drafts, refused } = place([member('a', 10), member('b', 12)], () => old, { free: 0, now: 2, length: 96 });
    expect(drafts.map(({ members }) => values(members))).toEqual([['q', 'a', 'b']]);
    expect(refused).toEqual([]);
  });

  it('puts a text of few clauses into a pack that is full of clauses but for them, and leaves old ones where they are', () => {
    const of = (value: string, size: number, share: number): Member => ({
      ...member(value, size),
      part: { size, clauses: Math.floor(MAX_CLAUSES * share) },
    });
    const old = [joinable('old', of('old', 12, 0.9))];
    const newcomers = [of('a', 10, 0.4), of('b', 11, 0.4), of('few', 13, 0.15)];
    const { drafts, refused } = place(newcomers, () => old, { free: 1, now: 3, length: 1_000 });
    expect(drafts.map(({ members, replaces }) => [values(members), replaces])).toEqual([[['a', 'b', 'few'], []]]);
    expect(refused).toEqual([]);
    const crowded = place([...newcomers, of('more', 14, 0.15)], () => old, { free: 1, now: 4, length: 1_000 });
    expect([crowded.drafts.map(({ members }) => values(members)), values(crowded.refused)]).toEqual([
      [['a', 'b', 'few']],
      ['more'],
    ]);
  });

  it('keeps a pack that needs no slot of its own when there is none, and refuses one that does', () => {
    const old = [joinable('p', member('p', 50))];
    const { drafts, refused } = place([member('a', 10), loner('b')], () => old, { free: 0, now: 2, length: 96 });
    expect(drafts.map(({ members, replaces }) => [values(members), replaces])).toEqual([[['p', 'a'], ['p']]]);
    expect(values(refused)).toEqual(['b']);
    const inDebt = place([member('a', 10)], () => old, { free: -3, now: 1, length: 96 });
    expect(inDebt.drafts.map(({ members }) => values(members))).toEqual([['p', 'a']]);
  });

  it('joins no more than it must', () => {
    const newcomers = ['a', 'b', 'c'].map((value) => member(value, 10));
    const { drafts } = place(newcomers, () => [], { free: 2, now: 3, length: 24 });
    expect(drafts.map(({ members }) => values(members))).toEqual([['a', 'b'], ['c']]);
  });

  it('takes new texts one by one while there is room at once, and looks for packs when there is not', () => {
    const newcomers = [member('a', 10), member('b', 10)];
    const atOnce = place(newcomers, () => [], { free: 3, now: 1, length: 96 });
    expect(atOnce.drafts.map(({ members }) => values(members))).toEqual([['a']]);
    expect([values(atOnce.waiting), atOnce.refused]).toEqual([['b'], []]);
    const none = place(newcomers, () => [], { free: 3, now: -1, length: 96 });
    expect([none.drafts, values(none.waiting), none.refused]).toEqual([[], ['a', 'b'], []]);
  });

  it('makes no more at a time than there are slots, and keeps the others waiting', () => {
    const old = [1, 2, 3, 4].map((at) => joinable(`s${at}`, member(`s${at}`, 50)));
    const newcomers = [1, 2, 3].map((at) => member(`n${at}`, 45));
    const first = place(newcomers, () => old, { free: 0, now: 1, length: 96 });
    expect(first.drafts).toHaveLength(1);
    expect(first.waiting.length + first.drafts.flatMap(({ members }) => members).length).toBeGreaterThanOrEqual(3);
    expect(first.refused.length).toBeLessThan(3);
  });

  it('keeps to its slots and to the length, and accounts for every text, whatever comes', () => {
    const anyMember = fc.record({ size: fc.integer({ min: 5, max: 70 }), flags: fc.constantFrom({}, { nsfw: true }) });
    const anyNewcomer = fc.option(anyMember, { freq: 5 });
    fc.assert(
      fc.property(
        fc.array(anyNewcomer, { maxLength: 30 }),
        fc.array(anyMember, { maxLength: 30 }),
        fc.integer({ min: -2, max: 10 }),
        fc.integer({ min: 0, max: 4 }),
        (fresh, old, free, spare) => {
          const newcomers = fresh.map((one, at) => (one ? member(`n${at}`, one.size, one.flags) : loner(`n${at}`)));
          const rows = old.map((one, at) => joinable(`s${at}`, member(`s${at}`, one.size, one.flags)));
          const room = { free, now: free + spare, length: 96 };
          const { drafts, waiting, refused } = place(newcomers, () => rows, room);
          expect(drafts.length).toBeLessThanOrEqual(Math.max(0, room.now));
          const replaced = drafts.flatMap(({ replaces }) => replaces);
          expect(new Set(replaced).size).toBe(replaced.length);
          expect(drafts.length - replaced.length).toBeLessThanOrEqual(Math.max(0, free));
          const made = drafts.flatMap(({ members }) => values(members));
          expect(
            [...made, ...values(waiting), ...values(refused)].filter((one) => one.startsWith('n')).toSorted(),
          ).toEqual(values(newcomers).toSorted());
          expect(made.filter((one) => one.startsWith('s')).toSorted()).toEqual(replaced.toSorted());
          for (const { members } of drafts) {
            if (members.length === 1) continue;
            expect(new Set(members.map(({ text }) => JSON.stringify(text.flags))).size).toBe(1);
            const size = members.reduce((sum, { part }) => sum + part!.size, 0);
            expect(fitsPack({ size, clauses: members.length }, room.length)).toBe(true);
          }
        },
      ),
    );
  });
});

describe('spareSlots', () => {
  it('keeps at least one wherever there are two', () => {
    expect([1, 2, 5, 25, 1_000, 25_000].map(spareSlots)).toEqual([0, 1, 1, 1, 20, 20]);
  });
});
