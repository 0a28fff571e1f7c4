import { expect, it } from 'vitest';
import { Fields } from './fields.ts';

it('fields are the same after they were saved and restored, and the numbers that were free are free', () => {
  const fields = new Fields();
  const [one, two, three] = [fields.use('one'), fields.use('two'), fields.inEvent('three')];
  fields.use('two');
  fields.release(one);
  const saved = fields.save();
  expect(saved).toEqual([
    { name: 'two', number: 1, uses: 2, isInEvents: false },
    { name: 'three', number: 2, uses: 0, isInEvents: true },
  ]);
  const restored = new Fields();
  restored.restore(saved);
  expect([restored.at(1), restored.at(2), restored.save()]).toEqual([two, three, saved]);
  expect([restored.use('four').number, restored.use('five').number]).toEqual([0, 3]);
  const empty = new Fields();
  empty.restore([]);
  expect(empty.use('one').number).toBe(0);
});

it('fields that are here already keep their numbers, or nothing is restored', () => {
  const fields = new Fields();
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
    const other = new Fields();
    other.inEvent('text');
    expect(() => other.restore(saved)).toThrow('the field text has another number');
  }
});

it('fields stay while a rule uses them or an event has had them, and keep their numbers', () => {
  const fields = new Fields();
  const [used, seen] = [fields.use('used'), fields.use('seen')];
  fields.inEvent('seen');
  fields.release(seen);
  expect(fields.use('seen').number).toBe(seen.number);
  fields.release(used);
  expect(fields.use('another').number).toBe(used.number);
});
