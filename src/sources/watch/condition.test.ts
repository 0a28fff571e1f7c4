import { describe, expect, it } from 'vitest';
import { firstNumber, holdsIn } from './condition.ts';

describe('the first number', () => {
  it.each([
    ['€ 39.90', 39.9],
    ['39,90 €', 39.9],
    ['$1,299.00 now', 1299],
    ['1.299,00', 1299],
    ['1.299', 1299],
    ['1,299,000', 1_299_000],
    ['CHF 1’299.–', 1299],
    ['1\u202f299,5', 1299.5],
    ['−3.5 °C', -3.5],
    ['version 2', 2],
    ['0.125', 0.125],
    ['none', undefined],
  ])('of %j is %s', (text, number) => expect(firstNumber(text)).toBe(number));
});

describe('a condition', () => {
  it.each([
    ['Now 39.90', { below: 40 }, true],
    ['Now 40', { below: 40 }, false],
    ['Now 41', { above: 40, below: 50 }, true],
    ['Sold out', { below: 40 }, false],
    ['In Stock', { appears: 'in stock' }, true],
    ['Sold out', { appears: 'in stock' }, false],
    ['In stock', { vanishes: 'sold out' }, true],
    ['SOLD OUT', { vanishes: 'sold out' }, false],
    ['In stock for 39', { appears: 'stock', below: 40 }, true],
  ])('on %j: %j is %s', (text, when, holds) => expect(holdsIn(text, when)).toBe(holds));
});
