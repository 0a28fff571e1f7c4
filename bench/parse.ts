/** `npm run bench -- parse`: rules read per CPU-second, beside JSON.parse reading the same rules as JSON strings. */
import { PLATFORMS, type Platform } from '../src/domain/platform.ts';
import { languages } from '../src/rules/languages.ts';
import { analyzerFor, readCorpus } from './corpus.ts';
import { rulesOf, type SetName, vocabularyOf } from './rule-sets.ts';

export interface ParseFigures {
  readonly platform: Platform;
  readonly set: SetName;
  readonly rulesPerSecond: number;
  readonly jsonPerSecond: number;
  /** CPU of our parser over that of JSON.parse. */
  readonly ratio: number;
}

export function* benchParse(rules: number, rounds: number): Generator<ParseFigures> {
  for (const platform of PLATFORMS) {
    const vocabulary = vocabularyOf(platform, readCorpus(platform).payloads, analyzerFor(platform));
    const language = languages({ level: 'enterprise' })[platform];
    for (const set of ['A', 'B'] as const) {
      const source = rulesOf(set, platform, vocabulary);
      const texts = Array.from({ length: rules }, () => source.next().value);
      const json = texts.map((text) => JSON.stringify(text));
      const ours = best(rounds, () => texts.forEach((text) => void language.parse(text)));
      const theirs = best(rounds, () => json.forEach((text) => void JSON.parse(text)));
      const rulesPerSecond = (rules / ours) * 1e6;
      yield { platform, set, rulesPerSecond, jsonPerSecond: (rules / theirs) * 1e6, ratio: ours / theirs };
    }
  }
}

function best(rounds: number, run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}
