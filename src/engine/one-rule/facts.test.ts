import { describe, expect, it } from 'vitest';
import type { EventView } from '../events/event-view.ts';
import { type Fact, factHolds } from './find-spans.ts';

const NOW = 1_000_000;
const event = (rest: Partial<EventView> = {}): EventView =>
  ({
    id: '1',
    pieces: [
      { field: 'empty', text: '', path: '', source: '', span: undefined },
      { field: 'text', text: 'a', path: '', source: '', span: undefined },
    ],
    words: {
      count: 1,
      starts: Int32Array.of(0),
      ends: Int32Array.of(1),
      pieces: Int32Array.of(1),
      positions: Int32Array.of(0),
    },
    numbers: [
      { field: 'other', value: 50 },
      { field: 'dr', value: 7 },
    ],
    place: undefined,
    publishedAt: undefined,
    *offsetsOf() {},
    ...rest,
  }) as EventView;
const holds = (fact: Fact, rest?: Partial<EventView>): boolean => factHolds(fact, event(rest), NOW);
const number = (from?: [number, boolean], to?: [number, boolean]): Fact => ({
  kind: 'number',
  field: 'dr',
  ...(from && { from: { value: from[0], inclusive: from[1] } }),
  ...(to && { to: { value: to[0], inclusive: to[1] } }),
});

describe('a fact', () => {
  it('of a number lies between its bounds, with them or without', () => {
    expect([holds(number([7, true])), holds(number([7, false])), holds(number([6, false]))]).toEqual([
      true,
      false,
      true,
    ]);
    expect([holds(number(undefined, [7, true])), holds(number(undefined, [7, false]))]).toEqual([true, false]);
    expect([holds(number(undefined, [8, false])), holds(number([8, true]))]).toEqual([true, false]);
    expect([holds(number([1, true], [6, true])), holds(number([1, true], [9, true]))]).toEqual([false, true]);
    expect([holds(number()), holds({ kind: 'number', field: 'none' })]).toEqual([true, false]);
  });

  it('of a field is that it has a word', () => {
    expect(['text', 'empty', 'none'].map((field) => holds({ kind: 'exists', field }))).toEqual([true, false, false]);
  });

  it('of a place needs one', () => {
    const box: Fact = { kind: 'box', west: 0, south: 0, east: 2, north: 2 };
    expect(holds(box)).toBe(false);
    expect(holds(box, { place: { kind: 'point', longitude: 1, latitude: 1 } })).toBe(true);
    const circle: Fact = { kind: 'circle', longitude: 1, latitude: 1, radius: 10 };
    expect(holds(circle, { place: { kind: 'point', longitude: 1, latitude: 1 } })).toBe(true);
  });

  it('of a time includes its edge, and needs a time', () => {
    const recent: Fact = { kind: 'recent', milliseconds: 100 };
    expect([undefined, NOW - 100, NOW - 101, NOW].map((publishedAt) => holds(recent, { publishedAt }))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('that only the upstream can judge does not hold here', () => {
    expect(holds({ kind: 'upstream', operator: 'embedding', value: 'a' })).toBe(false);
    expect([holds({ kind: 'sample', percent: 100 }), holds({ kind: 'sample', percent: 0 })]).toEqual([true, false]);
  });
});
