/** A commit on its way to the database. */
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { askedWordsIn, type ComparedEvent, comparedEvent, storyTextOf } from '../../signal/story-text.ts';
import type { Commit, CommitEvent, CommitMatch } from '../store.ts';
import { parseColumn } from './texts.ts';

/** A commit whose payloads and highlights are JSON already: that work, and the objects, stay with the caller. */
export interface TextCommit extends Omit<Commit, 'events'> {
  readonly events: readonly TextEvent[];
}

export interface TextEvent {
  readonly postId: string;
  readonly accountId: string | undefined;
  readonly payload: string;
  readonly source?: string | undefined;
  readonly matches: readonly TextMatch[];
  readonly engineOnly?: CommitEvent['engineOnly'];
  readonly earlier?: CommitEvent['earlier'];
  /** What is compared with stories, of an event that may be stored. */
  readonly told?: ComparedEvent;
}

export interface TextMatch extends Pick<CommitMatch, 'ruleId' | 'version' | 'verdict'> {
  /** Empty when they are found when the match is read. */
  readonly highlights: string;
  /** The words that the rule asked for, in the form that stories compare. */
  readonly asked: readonly number[];
}

export const textCommit = (batch: Commit): TextCommit => ({
  ...batch,
  events: batch.events.map((event) => textEvent(batch.platform, event)),
});

const NO_MATCHES: readonly TextMatch[] = [];

function textEvent(platform: Platform, { event, matches, engineOnly, earlier }: CommitEvent): TextEvent {
  const { postId, accountId, source } = event;
  const json = event.json ?? JSON.stringify(event.payload);
  if (matches.length === 0) {
    return { postId, accountId, payload: json, source, matches: NO_MATCHES, ...(earlier && { earlier }) };
  }
  const payload = event.payload ?? parseColumn<Payload>(json);
  const told = comparedEvent(platform, storyTextOf(platform, payload, { postId, earlier }));
  return {
    postId,
    accountId,
    payload: json,
    source,
    matches: textMatches(matches, payload, told),
    ...(engineOnly && { engineOnly }),
    ...(earlier && { earlier }),
    told,
  };
}

function textMatches(matches: readonly CommitMatch[], payload: Payload, { words }: ComparedEvent): TextMatch[] {
  const askedBy = askedWordsIn(payload);
  const there = new Set(words);
  return matches.map((match) => {
    const { ruleId, version, verdict } = match;
    const base = { ruleId, version, ...(verdict && { verdict }) };
    if (match.highlights === undefined)
      return { ...base, highlights: '', asked: match.asked.filter((word) => there.has(word)) };
    return { ...base, highlights: JSON.stringify(match.highlights), asked: askedBy(match.highlights) };
  });
}
