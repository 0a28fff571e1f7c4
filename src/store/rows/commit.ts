/** A commit on its way to the database. */
import { inSlices } from '../../base/cooperate.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { askedWordsIn, type ComparedEvent, comparedEvent, storyTextOf, wordPlaces } from '../../signal/story-text.ts';
import type { Commit, CommitEvent, CommitMatch, TextEvent, TextMatch } from '../nouns/commits.ts';
import { carriedPosts } from './carried.ts';
import { parseColumn } from './texts.ts';

/** A commit whose payloads and highlights are JSON already: that work, and the objects, stay with the caller. */
export interface TextCommit extends Omit<Commit, 'events'> {
  readonly events: readonly TextEvent[];
}

/** One after another, each when it is asked for. */
export function* textEvents({ platform, events }: Commit): Generator<TextEvent> {
  for (const event of events) yield 'event' in event ? textEvent(platform, event) : event;
}

/** Yields what each event cost, so that its caller can pause. */
export function* textCommit(batch: Commit): Generator<number, TextCommit> {
  const events: TextEvent[] = [];
  for (const event of textEvents(batch)) {
    events.push(event);
    yield costOf(event);
  }
  return { ...batch, events };
}

/** Makes what is stored of a commit's events, and lets everything else run now and then. */
export const madeInTurns = <T>(making: Generator<number, T>): Promise<T> => inSlices(making, COST_AT_ONCE);

/** The cost of events that may be made between two turns of the event loop: some ten milliseconds of work. */
const COST_AT_ONCE = 4_000;
/** Characters that cost the same again for an event that matched nothing. */
const CHARACTERS = 4_096;
/** The cost of an event that matched beside that, and of each of its matches, with highlights to write and without. */
const MATCHED = 6;
const [SHOWN, UNSHOWN] = [8, 1];

export function costOf({ payload, matches }: TextEvent): number {
  let cost = 1 + Math.floor(payload.length / CHARACTERS) + (matches.length > 0 ? MATCHED : 0);
  for (const { highlights } of matches) cost += highlights === '' ? UNSHOWN : SHOWN;
  return cost;
}

const NO_MATCHES: readonly TextMatch[] = [];

/** The event as it is stored: that work, and the objects of its payload, stay with the caller. */
export function textEvent(platform: Platform, { event, matches, engineOnly, earlier }: CommitEvent): TextEvent {
  const { postId, accountId, source } = event;
  const json = event.json ?? JSON.stringify(event.payload);
  if (matches.length === 0) {
    return { postId, accountId, payload: json, source, matches: NO_MATCHES, ...(earlier && { earlier }) };
  }
  const payload = event.payload ?? parseColumn<Payload>(json);
  const told = comparedEvent(platform, storyTextOf(platform, payload, { postId, earlier }));
  const carried = carriedPosts(platform, payload, postId);
  return {
    postId,
    accountId,
    payload: json,
    source,
    matches: textMatches(matches, payload, told),
    ...(engineOnly && { engineOnly }),
    ...(earlier && { earlier }),
    ...(carried.length > 0 && { carried }),
    told,
  };
}

function textMatches(matches: readonly CommitMatch[], payload: Payload, { words }: ComparedEvent): TextMatch[] {
  const askedBy = askedWordsIn(payload);
  return matches.map((match) => {
    const { ruleId, version, verdict } = match;
    const isShown = match.highlights !== undefined;
    const highlights = isShown ? JSON.stringify(match.highlights) : '';
    const asked = wordPlaces(isShown ? askedBy(match.highlights) : match.asked, words);
    return { ruleId, version, verdict, highlights, asked };
  });
}
