/** Items of an API's list as entries of a feed. One that cannot be read is counted, and the others are kept. */
import type { z } from 'zod';
import type { Feed, FeedEntry } from '../feeds/feed.ts';
import { withinFeedLimits } from '../feeds/feed-limits.ts';

/** Undefined when it is no list. An item without an entry is left out. */
export function listOf<T>(
  list: unknown,
  shape: z.ZodType<T>,
  entryOf: (item: T) => FeedEntry | undefined,
): Feed | undefined {
  if (!Array.isArray(list)) return undefined;
  const read = list.map((item: unknown) => shape.safeParse(item));
  const entries = read.flatMap(({ data }) => (data === undefined ? [] : (entryOf(data) ?? [])));
  const unread = read.filter(({ success }) => !success).length;
  const bare = { title: '', link: undefined, description: '', updated: undefined, skipped: [] };
  const feed = withinFeedLimits({ ...bare, entries });
  const skipped = unread === 0 ? [] : [{ reason: 'that cannot be read', count: unread }];
  return { ...feed, skipped: [...feed.skipped, ...skipped] };
}
