/** A commit on its way to the database. */
import type { Platform } from '../../domain/platform.ts';
import { askedWordsIn, type StoryText, storyTextOf } from '../../signal/story-text.ts';
import type { Commit, CommitEvent, CommitMatch } from '../store.ts';

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
  readonly told?: StoryText;
}

export interface TextMatch extends Omit<CommitMatch, 'highlights'> {
  readonly highlights: string;
  /** The words that the rule asked for, in the form that stories compare. */
  readonly asked: readonly number[];
}

export const textCommit = (batch: Commit): TextCommit => ({
  ...batch,
  events: batch.events.map((event) => textEvent(batch.platform, event)),
});

function textEvent(platform: Platform, { event, matches, engineOnly, earlier }: CommitEvent): TextEvent {
  const { postId, accountId, payload, json, source } = event;
  const askedWords = askedWordsIn(payload);
  return {
    postId,
    accountId,
    payload: json ?? JSON.stringify(payload),
    source,
    matches: matches.map((match) => ({
      ...match,
      highlights: JSON.stringify(match.highlights),
      asked: askedWords(match.highlights),
    })),
    ...(engineOnly && { engineOnly }),
    ...(earlier && { earlier }),
    ...(matches.length > 0 && { told: storyTextOf(platform, payload, { postId, earlier }) }),
  };
}
