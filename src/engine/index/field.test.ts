import { expect, it } from 'vitest';
import { Fields } from './field.ts';

it('fields are the same after they were saved and restored, and the numbers that were free are free', () => {
  const fields = new Fields(7);
  const [one, two, three] = [fields.use('one'), fields.use('two'), fields.inEvent('three')];
  fields.use('two');
  fields.release(one);
  const saved = fields.save();
  expect(saved).toEqual([
    { name: 'two', number: 1, uses: 2, isInEvents: false },
    { name: 'three', number: 2, uses: 0, isInEvents: true },
  ]);
  const restored = new Fields(7);
  restored.restore(saved);
  expect([restored.at(1), restored.at(2), restored.save()]).toEqual([two, three, saved]);
  expect([restored.use('four').number, restored.use('five').number]).toEqual([0, 3]);
  const empty = new Fields(7);
  empty.restore([]);
  expect(empty.use('one').number).toBe(0);
});

it('fields that are here already keep their numbers, or nothing is restored', () => {
  const fields = new Fields(7);
  const here = fields.inEvent('text');
  fields.restore([
    { name: 'title', number: 1, uses: 1, isInEvents: false },
    { name: 'text', number: 0, uses: 3, isInEvents: true },
  ]);
  expect([fields.at(0), here.uses, fields.at(1).name]).toEqual([here, 3, 'title']);
  for (const saved of [
    [{ name: 'text', number: 1, uses: 1, isInEvents: true }],
    [{ name: 'title', number: 0, uses: 1, isInEvents: true }],
  ]) {
    const other = new Fields(7);
    other.inEvent('text');
    expect(() => other.restore(saved)).toThrow('the field text has another number');
  }
});

it('fields have words of their own: by their number, and by the seed', () => {
  const fields = new Fields(7);
  const numbered = Array.from({ length: 300 }, (_, index) => fields.use(`f${index}`));
  expect(new Set(numbered.map(({ seed }) => seed)).size).toBe(300);
  expect(numbered[0]!.seed).not.toBe(new Fields(8).use('f0').seed);
  expect(new Set(numbered.slice(0, 256).map((one) => `${one.firstMark} ${one.secondMark}`)).size).toBe(256);
  expect([numbered[254]!.packed, numbered[255]!.packed]).toEqual([8, 0]);
});
