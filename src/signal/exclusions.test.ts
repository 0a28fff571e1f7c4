import { describe, expect, it } from 'vitest';
import { chooseExclusions, upperShare } from './exclusions.ts';

const wanted = Array.from({ length: 300 }, (_, index) => `Jaguar seen near village ${index} by rangers`);
const cars = Array.from({ length: 12 }, (_, index) => `New Jaguar dealership offers car number ${index}`);

describe('exclusions', () => {
  it('are the fewest terms that take the noise and nothing that is wanted', () => {
    expect(chooseExclusions(cars, wanted)).toEqual([{ term: 'car', irrelevant: 12, wanted: 0 }]);
  });

  it('are none where every term of the noise is also in what is wanted', () => {
    expect(chooseExclusions(wanted.slice(0, 20), wanted)).toEqual([]);
  });

  it('are none from terms that were seen twice', () => {
    expect(chooseExclusions(cars.slice(0, 2), wanted)).toEqual([]);
  });

  it('stop before they take more than is allowed of what is wanted', () => {
    const noise = [...cars, ...Array.from({ length: 40 }, () => 'zoo poster')];
    const some = [...wanted, 'zoo jaguar escaped', 'zoo jaguar found'];
    expect(chooseExclusions(noise, some, 0).length).toBe(0);
    expect(chooseExclusions(noise, some, 0.02).map(({ term }) => term)).toEqual(['poster', 'car']);
  });

  it('say how large the loss may be at most, given how little was seen', () => {
    expect(upperShare(0, 0)).toBe(1);
    expect(upperShare(0, 20)).toBeCloseTo(0.161, 3);
    expect(upperShare(0, 1_000)).toBeCloseTo(0.0038, 4);
    expect(upperShare(5, 100)).toBeCloseTo(0.112, 3);
  });
});
