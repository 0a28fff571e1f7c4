/**
 * The matches of a poll, and the place in the order of matches that it reached. The caller stores the place together
 * with what it hands over: a poll that fails leaves the place as it is, and the next poll reads the same matches again.
 */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { type Match, type MatchFilter, matchStream } from '../../http/match-stream.ts';
import { asNodeError } from '../../http/refusal.ts';
import { askSluice } from '../../http/request.ts';

export interface Wanted {
  readonly filter: MatchFilter;
  /** Only the first match of each story. */
  readonly storiesOnly: boolean;
  /** The most matches that one poll reads. */
  readonly most: number;
}

/** Kept between polls. */
export interface Place extends IDataObject {
  /** The filter that was asked for: a place belongs to one filter. */
  of: string;
  cursor: string;
  /** The newest match that was handed over, or that was there at the start. Ids sort in the order of matches. */
  newest: string;
}

interface Handed {
  readonly matches: readonly Match[];
  readonly place: Place;
}

interface Head {
  readonly matches: readonly Match[];
  readonly latest_cursor: string;
}

/** Milliseconds that a poll reads. What is left comes with the next one. */
const LONGEST_READ = 45_000;
/** A poll ends with the match that brings its text to this, because n8n holds all of it in memory. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

const askHead = (context: IPollFunctions, { filter }: Wanted, limit: number): Promise<Head> =>
  askSluice<Head>(context, 'POST /matches', { input: { ...filter, limit } });

const isWanted = ({ storiesOnly }: Wanted, { story_first }: Match): boolean => !storiesOnly || story_first;

/** The newest match there is, to try the workflow with. It moves no place. */
export async function sampleMatch(context: IPollFunctions, wanted: Wanted): Promise<Match | undefined> {
  const { matches } = await askHead(context, wanted, 50);
  return matches.find((match) => isWanted(wanted, match));
}

export async function newMatches(context: IPollFunctions, wanted: Wanted, place: Place | undefined): Promise<Handed> {
  const { matches, latest_cursor: cursor } = await askHead(context, wanted, 1);
  const of = JSON.stringify([wanted.filter, wanted.storiesOnly]);
  const newest = matches[0]?.id ?? '';
  const start: Place = { of, cursor, newest };
  if (place?.of !== of) return { matches: [], place: start };
  // Nothing is new. The cursor moves on all the same: one that stands still for a month is older than what Sluice keeps.
  if (newest <= place.newest) return { matches: [], place: { ...place, cursor } };
  try {
    return await readAfter(context, wanted, place, newest);
  } catch (error) {
    const begin = beginAgain(error, place, start);
    if (begin === undefined) throw asNodeError(context.getNode(), error);
    context.logger.warn(begin.warning);
    return begin.place === start ? { matches: [], place: start } : readAfter(context, wanted, begin.place, newest);
  }
}

/** The place to go on from when Sluice refuses the cursor; undefined if the error is about something else. */
function beginAgain(error: unknown, place: Place, start: Place): { place: Place; warning: string } | undefined {
  const { details } = (error instanceof NodeApiError ? error.errorResponse : {}) as {
    details?: { reason?: string; oldest_cursor?: string; issues?: { path: string }[] };
  };
  if (details?.reason === 'cursor_expired' && details.oldest_cursor !== undefined)
    return {
      place: { ...place, cursor: details.oldest_cursor },
      warning:
        'Sluice has removed matches that this trigger had not read yet. It goes on with the oldest that is kept.',
    };
  if (details?.issues?.some(({ path }) => path === 'cursor'))
    return {
      place: start,
      warning: 'The credential is of another account or server than before. The trigger begins with new matches.',
    };
  return undefined;
}

/** Reads up to the match `last`, which was the newest when the poll began, or to one of the limits. */
async function readAfter(context: IPollFunctions, wanted: Wanted, place: Place, last: string): Promise<Handed> {
  const found: Match[] = [];
  let [read, characters, reached] = [0, 0, place];
  try {
    const query = { ...wanted.filter, cursor: place.cursor };
    for await (const step of matchStream(context, query, AbortSignal.timeout(LONGEST_READ))) {
      reached = { ...reached, cursor: step.cursor };
      if (step.match === undefined) break;
      reached.newest = step.match.id;
      if (isWanted(wanted, step.match)) found.push(step.match);
      characters += step.characters;
      if (++read >= wanted.most || characters >= MOST_CHARACTERS || step.match.id >= last) break;
    }
  } catch (error) {
    // The matches before the connection was lost are whole, and the place is that of the last one.
    if (read === 0) throw asNodeError(context.getNode(), error);
    context.logger.warn(`The connection was lost after ${read} matches. The next poll reads the rest.`);
  }
  return { matches: found, place: reached };
}
