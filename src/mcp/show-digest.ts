/** The digest of a wake contract, for a model: counted, with the newest stories in an envelope, as many as fit. */
import { z } from 'zod';
import type { Digest, DigestStory } from '../domain/wake.ts';
import { cutTo, FLAGS, type Flag, plainUrl, visible } from './untrusted.ts';

export const shownDigest = z.object({
  matches: z.int(),
  stories: z.int(),
  since: z.string(),
  until: z.string(),
  flags: z.array(z.string()).optional(),
  untrusted_content: z.object({ stories: z.array(z.record(z.string(), z.unknown())) }),
});

const MAX_TITLE = 160;
const MAX_NAME = 40;
const MAX_NAMES = 3;

/** `room`: characters of JSON. */
export function showDigest(digest: Digest, room: number): z.input<typeof shownDigest> {
  const flags = new Set<Flag>();
  const stories: Record<string, unknown>[] = [];
  const shown = () => ({
    matches: digest.match_count,
    stories: digest.story_count,
    since: digest.since,
    until: digest.until,
    ...(flags.size > 0 && { flags: FLAGS.filter((flag) => flags.has(flag)) }),
    untrusted_content: { stories },
  });
  for (const story of digest.stories) {
    stories.push(showStory(story, flags));
    if (JSON.stringify(shown()).length <= room) continue;
    stories.pop();
    break;
  }
  return shown();
}

function showStory({ story_id, title, url, size, by }: DigestStory, flags: Set<Flag>): Record<string, unknown> {
  const short = (text: string, most: number): string =>
    cutTo(visible(text, flags).replaceAll(/\s+/g, ' '), most, flags);
  const link = url === null ? undefined : plainUrl(url);
  return {
    ...(story_id !== null && { story_id }),
    title: short(title, MAX_TITLE),
    matches: size,
    ...(by.length > 0 && { by: by.slice(0, MAX_NAMES).map((name) => short(name, MAX_NAME)) }),
    ...(link !== undefined && link === visible(link, flags) && { url: link }),
  };
}
