/** The `data` of an event about a match: text by strangers is in `untrusted_content`, and nowhere else. */

import type { Match } from '../../domain/match.ts';
import type { Digest } from '../../domain/wake.ts';
import { briefEventData, briefEventDigest } from '../../service/outlets/event-data.ts';
import { plainUrl } from '../plain-url.ts';
import { showMatch } from '../show-match.ts';
import { cutTo, FLAGS, type Flag, visible } from '../untrusted.ts';

export function eventData(match: Match, { brief }: { readonly brief: boolean }): object {
  if (brief) return briefEventData(match);
  const { id, ...shown } = showMatch(match, 'concise');
  return { match_id: id, ...shown, ...(match.storyId !== undefined && { story_id: match.storyId }) };
}

const MAX_TITLE = 200;

const linkTo = (url: string | null): { url?: string } => {
  const plain = url === null ? undefined : plainUrl(url);
  return plain === undefined ? {} : { url: plain };
};

/** The digest of a wake contract. The newest match stands for all; titles and addresses are by strangers. */
export function eventDigest(digest: Digest, newest: Match, { brief }: { readonly brief: boolean }): object {
  const told = briefEventDigest(digest, newest);
  if (brief) return told;
  const flags = new Set<Flag>();
  const stories = digest.stories.map(({ title, url, size, by }) => ({
    title: cutTo(visible(title, flags), MAX_TITLE, flags),
    ...linkTo(url),
    size,
    by: by.map((name) => visible(name, flags)),
  }));
  const { brief: _, ...head } = told;
  return {
    ...head,
    ...(flags.size > 0 && { flags: FLAGS.filter((flag) => flags.has(flag)) }),
    untrusted_content: { stories },
  };
}
