/** Token budgets: four characters are counted as one token, and an answer never has more than was asked for. */
import { createPauses } from '../base/cooperate.ts';
import type { Match } from '../domain/match.ts';
import { type Detail, type ShownMatch, showMatch } from './show-match.ts';

const CHARACTERS_PER_TOKEN = 4;
/** Characters of payloads that are read between two pauses. */
const READ_AT_ONCE = 512 * 1024;

export interface Packed {
  readonly shown: readonly ShownMatch[];
  /** The last match that is shown; undefined when there is none to show. */
  readonly last: Match | undefined;
}

/**
 * As many of the matches, in order, as fit beside the rest of the answer. The first is always there: where it does not
 * fit in full it is shown concisely, so that every answer moves the cursor on.
 */
export async function fitMatches(
  rest: object,
  matches: readonly Match[],
  detail: Detail,
  maxTokens: number,
): Promise<Packed> {
  const pause = createPauses(READ_AT_ONCE);
  let room = maxTokens * CHARACTERS_PER_TOKEN - JSON.stringify({ ...rest, matches: [] }).length;
  const shown: ShownMatch[] = [];
  for (const match of matches) {
    let one = showMatch(match, detail);
    if (shown.length === 0 && sizeOf(one) > room) one = asCut(showMatch(match, 'concise'));
    const size = sizeOf(one);
    if (shown.length > 0 && size > room) break;
    shown.push(one);
    room -= size;
    const pausing = pause(match.json?.length ?? 0);
    if (pausing !== undefined) await pausing;
  }
  return { shown, last: matches[shown.length - 1] };
}

const asCut = (match: ShownMatch): ShownMatch => ({
  ...match,
  flags: [...(match.flags ?? []).filter((flag) => flag !== 'cut'), 'cut'],
});

/** With the comma behind it. */
const sizeOf = (match: ShownMatch): number => JSON.stringify(match).length + 1;
