/** Why a rule has no anchor, in words for its author. */
import { costOf, type Statistics } from './anchor.ts';
import { eachPart } from './compiler.ts';
import { ABSENT, ALL, ANY, FAIL, KIND, PHRASE, payloadOf } from './program.ts';

export function reasonForNone(
  code: Int32Array,
  at: number,
  statistics: Statistics,
  kindOf: (predicate: number) => string,
): string {
  switch (code[at]! & KIND) {
    case ABSENT:
    case FAIL:
    case PHRASE:
      return 'it only says what must be absent';
    case ALL:
    case ANY: {
      const reasons: string[] = [];
      eachPart(code, at, (part) => {
        if (costOf(code, part, statistics) < Number.POSITIVE_INFINITY) return;
        reasons.push(reasonForNone(code, part, statistics, kindOf));
      });
      if (reasons.length === 0) return 'it matches everything';
      // A reason that names something says more than one that names an absence.
      const reason = reasons.find((one) => !one.startsWith('it only')) ?? reasons[0]!;
      return (code[at]! & KIND) === ANY && !reason.startsWith('one of')
        ? `one of its alternatives has no anchor: ${reason}`
        : reason;
    }
    default:
      return REASONS[kindOf(payloadOf(code[at]!))] ?? 'it asks for no word';
  }
}

const REASONS: Readonly<Record<string, string>> = {
  exists: 'a field that holds anything at all is no word to look up',
  number: 'numbers are compared, not looked up',
  circle: 'places are compared, not looked up',
  box: 'places are compared, not looked up',
  sample: 'a sample is taken of every event',
  recent: 'how old an event is must be asked each time',
  literal: 'a text without words cannot be looked up',
  contains: 'fewer than three characters are no hold',
  prefix: 'an empty beginning is no hold',
  wildcard: 'a pattern without a beginning, or three characters in a row, is no hold',
  regex: 'a pattern without a beginning, or three characters in a row, is no hold',
  fuzzy: 'a word with mistakes in it has no fixed part to look up',
  range: 'words are compared with the bounds, not looked up',
};
