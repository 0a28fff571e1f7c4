import { describe, expect, it } from 'vitest';
import { type Exclusions, exclusionsFrom } from './exclusions.ts';
import { likenessOf, type RatedTexts } from './likeness.ts';

const seen = Array.from({ length: 300 }, (_, index) => `Jaguar seen near village ${index} by rangers`);
const cars = Array.from({ length: 12 }, (_, index) => `New Jaguar dealership offers car number ${index}`);

function choose(texts: Partial<RatedTexts>, isNamed: (term: string) => boolean = () => false): Exclusions {
  const all = { irrelevant: [], relevant: [], unrated: [], ...texts };
  return exclusionsFrom(all, likenessOf(all), isNamed);
}

describe('exclusions', () => {
  it('are the fewest terms that take the noise and nothing that is wanted', () => {
    expect(choose({ irrelevant: cars, relevant: seen }).terms).toEqual(['car']);
  });

  it('are none where every term of the noise is also in what is wanted', () => {
    expect(choose({ irrelevant: seen.slice(0, 20), relevant: seen }).terms).toEqual([]);
  });

  it('are none from terms that were seen twice', () => {
    expect(choose({ irrelevant: cars.slice(0, 2), relevant: seen }).terms).toEqual([]);
  });

  it('are none while hardly anything is known of what is wanted', () => {
    expect(choose({ irrelevant: cars }).terms).toEqual([]);
    expect(choose({ irrelevant: cars, relevant: seen.slice(0, 24) }).terms).toEqual([]);
    expect(choose({ irrelevant: cars, relevant: seen.slice(0, 26) }).terms).toEqual(['car']);
    expect(choose({ irrelevant: cars, unrated: seen.slice(0, 30) }).terms).toEqual([]);
    expect(choose({ irrelevant: cars, unrated: seen.slice(0, 40) }).terms).toEqual(['car']);
  });

  it('are never what the rule or its intent names', () => {
    const isNamed = (term: string) => ['car', 'dealership', 'offers', 'number'].some((word) => term.includes(word));
    expect(choose({ irrelevant: cars, relevant: seen }, isNamed).terms).toEqual([]);
  });

  it('count what nobody has rated as wanted, and ask for it', () => {
    const question = Array.from({ length: 4 }, (_, index) => `Jaguar car in lane ${index}`);
    const fewer = Array.from({ length: 12 }, (_, index) => `Jaguar car ${index}`);
    const { terms, asked } = choose({ irrelevant: fewer, unrated: [...question, ...seen] });
    expect({ terms, asked }).toEqual({ terms: [], asked: [0, 1, 2] });
  });

  it('take many that nobody has rated, if these look like what was rated irrelevant', () => {
    const more = Array.from(
      { length: 60 },
      (_, index) => `New Jaguar dealership offers car number ${index} and a seat`,
    );
    const unrated = [...more, ...seen.slice(30)];
    expect(choose({ irrelevant: cars, relevant: seen.slice(0, 30), unrated }).terms).toEqual(['car']);
    // Without relevant ratings nothing says that they are not what the rule is for.
    expect(choose({ irrelevant: cars, unrated }).terms).toEqual([]);
  });

  it('ask for the newest ones as long as hardly anything is rated relevant', () => {
    expect(choose({ irrelevant: cars, unrated: seen.slice(0, 10) }).asked).toEqual([0, 1, 2]);
    expect(choose({ irrelevant: cars, relevant: seen.slice(0, 3), unrated: seen.slice(3, 10) }).asked).toEqual([]);
    expect(choose({ unrated: seen.slice(0, 10) }).asked).toEqual([]);
  });
});
