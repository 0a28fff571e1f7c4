import { describe, expect, it } from 'vitest';
import { type DraftPart, type DraftPlan, draftOf, pairsOf, partingOf, USUAL_PLAN } from './draft.ts';

const upTo = (end: number, from = 0): number[] => Array.from({ length: end - from }, (_, index) => from + index);

const part = (terms: string, wanted: readonly number[], unwanted: readonly number[] = []): DraftPart => ({
  terms: terms.split('+'),
  wanted,
  unwanted,
});

const names = (parts: readonly DraftPart[]): string[] => parts.map(({ terms }) => terms.join('+'));

/** Of twelve wanted texts and twelve unwanted ones. */
function drafted(candidates: readonly DraftPart[], plan: Partial<DraftPlan> = {}, wanted = 12) {
  const { any, none } = draftOf(candidates, { wanted, unwanted: 12 }, { ...USUAL_PLAN, ...plan });
  return { any: names(any), none: names(none) };
}

describe('a drafted rule', () => {
  it('asks for the term that parts best, then for what adds to it, and for nothing more', () => {
    const candidates = [part('boat', [0, 1]), part('river', upTo(12, 6)), part('flood', upTo(8))];
    expect(drafted(candidates)).toEqual({ any: ['flood', 'river'], none: [] });
    expect(drafted(candidates, { parts: 1 })).toEqual({ any: ['flood'], none: [] });
  });

  it('leaves out a term that adds less than a part is worth', () => {
    const candidates = [part('flood', upTo(6)), part('river', [6, 7])];
    expect(drafted(candidates).any).toEqual(['flood', 'river']);
    expect(drafted(candidates, { worth: 0.2 }).any).toEqual(['flood']);
  });

  it('weighs unwanted texts as it is told', () => {
    const candidates = [part('water', upTo(12), upTo(12)), part('flood', upTo(11))];
    expect(drafted(candidates).any).toEqual(['flood']);
    expect(drafted(candidates, { noise: 0 }).any).toEqual(['water']);
  });

  it('excludes what only unwanted texts have, if it is asked to', () => {
    const flood = part('flood', upTo(12), upTo(6));
    const film = part('film', [], upTo(4));
    expect(drafted([flood, film])).toEqual({ any: ['flood'], none: ['film'] });
    expect(drafted([flood, film], { excludes: false }).none).toEqual([]);
    expect(drafted([flood, film], { parts: 1 }).none).toEqual([]);
    // Three texts are enough, two are chance.
    expect(drafted([flood, part('film', [], upTo(3))]).none).toEqual(['film']);
    expect(drafted([flood, part('film', [], upTo(2))]).none).toEqual([]);
    // Those that the rule does not match count for nothing.
    expect(drafted([flood, part('film', [], upTo(12, 6))]).none).toEqual([]);
  });

  it('excludes nothing that costs more wanted texts than it is worth, and no two words at once', () => {
    const flood = part('flood', upTo(12), upTo(6));
    expect(drafted([flood, part('film', upTo(6), upTo(3))]).none).toEqual([]);
    expect(drafted([flood, part('film', [0], upTo(6))]).none).toEqual(['film']);
    expect(drafted([flood, part('film+festival', [], upTo(4))]).none).toEqual([]);
    expect(drafted([flood, part('film', [], upTo(3)), part('festival', [], upTo(6))]).none).toEqual(['festival']);
  });

  it('takes no exclusion that is worth little', () => {
    const flood = part('flood', upTo(12), upTo(6));
    expect(drafted([flood, part('film', [], upTo(4))], { worth: 0.3 }).none).toEqual([]);
  });

  it('prefers the shorter of two terms, then the first by its letters, in whatever order they come', () => {
    const same = [part('deluge', upTo(12)), part('surge', upTo(12)), part('flood', upTo(12))];
    expect(drafted(same).any).toEqual(['flood']);
    expect(drafted(same.toReversed()).any).toEqual(['flood']);
    const flood = part('flood', upTo(12), upTo(8));
    const films = [part('movies', [], upTo(8)), part('movie', [], upTo(8)), part('drama', [], upTo(8))];
    expect(drafted([flood, ...films]).none).toEqual(['drama']);
    expect(drafted([...films.toReversed(), flood]).none).toEqual(['drama']);
  });

  it('asks for two words only if they part so much better', () => {
    const candidates = [part('flood+river', upTo(12)), part('flood', upTo(12), [0])];
    expect(drafted(candidates).any).toEqual(['flood+river']);
    expect(drafted(candidates, { worth: 0.1 }).any).toEqual(['flood']);
  });

  it('takes a term of a single text only where there are few of them', () => {
    const candidates = [part('flood', [3])];
    expect(drafted(candidates, {}, 9).any).toEqual(['flood']);
    expect(drafted(candidates, {}, 10).any).toEqual([]);
    expect(drafted([part('flood', [3, 4])], {}, 10).any).toEqual(['flood']);
  });

  it('takes a rare variant of a term that it has', () => {
    const haze = part('haze', upTo(8), [0]);
    const withOther = (other: DraftPart) => drafted([other, haze]).any;
    expect(withOther(part('singaporehaze', [9]))).toEqual(['haze', 'singaporehaze']);
    expect(withOther(part('singaporehaze', [9], [3]))).toEqual(['haze']);
    expect(withOther(part('singapore haze', [9]))).toEqual(['haze']);
    expect(withOther(part('singaporehaze+smoke', [9]))).toEqual(['haze']);
    expect(withOther(part('singaporesmoke', [9]))).toEqual(['haze']);
    expect(drafted([part('fog', upTo(8), [0]), part('londonfog', [9])]).any).toEqual(['fog']);
    expect(drafted([part('haze+smoke', upTo(8)), part('singaporehaze', [9])]).any).toEqual(['haze+smoke']);
  });

  it('stops when it is told to', () => {
    const candidates = [part('flood', upTo(12), upTo(6)), part('film', [], upTo(4))];
    const stopAt = (most: number) => {
      let looks = 0;
      return () => {
        draftOf(candidates, { wanted: 12, unwanted: 12 }, USUAL_PLAN, () => {
          if (++looks > most) throw new Error('stopped');
        });
      };
    };
    // Two looks for each term, and for each exclusion.
    expect(stopAt(7)).toThrow('stopped');
    expect(stopAt(8)).not.toThrow();
  });
});

describe('how well texts are parted', () => {
  it('is 1 when all wanted texts match and no other does', () => {
    expect([partingOf(12, 12, 0), partingOf(0, 12, 0), partingOf(-1, 12, 0)]).toEqual([1, 0, 0]);
    expect(partingOf(6, 12, 2)).toBe(0.6);
  });
});

describe('pairs of terms', () => {
  const texts = { wanted: 12, unwanted: 12 };

  it('are in the texts that have both, and in more than one', () => {
    const single = [part('water', [2, 3, 4], [1, 2]), part('flood', [0, 1, 2, 3], [0, 1]), part('boat', [3])];
    expect(pairsOf(single, texts)).toEqual([part('flood+water', [2, 3], [1])]);
    expect(names(pairsOf(single, { ...texts, wanted: 9 }))).toEqual(['flood+water', 'boat+flood', 'boat+water']);
  });

  it('are of the terms that alone part best', () => {
    const best = upTo(24).map((at) => part(`best${at}`, upTo(6)));
    const worse = upTo(6).map((at) => part(`worse${at}`, upTo(6), [0]));
    const found = names(pairsOf([...worse, ...best], texts));
    expect(found).toHaveLength((24 * 23) / 2);
    expect(found.filter((name) => name.includes('worse'))).toEqual([]);
  });

  it('stop when they are told to', () => {
    const single = [part('flood', upTo(4)), part('water', upTo(4)), part('boat', upTo(4))];
    let looks = 0;
    pairsOf(single, texts, () => looks++);
    expect(looks).toBe(3);
  });
});
