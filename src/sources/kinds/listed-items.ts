/** Items of an API's list as entries of a feed. One that cannot be read is counted, and the others are kept. */
import type { z } from 'zod';
import { type Feed, type FeedEntry, withinFeedLimits } from '../feeds/feed.ts';
import { readItems } from '../text/read-items.ts';

/** Returns undefined when it is no list. An item without an entry is left out. */
export function listOf<T>(
  list: unknown,
  shape: z.ZodType<T>,
  entryOf: (item: T) => FeedEntry | undefined,
): Feed | undefined {
  if (!Array.isArray(list)) return undefined;
  const { items, skipped } = readItems(list, shape);
  const entries = items.flatMap((item) => entryOf(item) ?? []);
  const bare = { title: '', link: undefined, description: '', updated: undefined };
  return withinFeedLimits({ ...bare, entries, skipped, leftOut: items.length - entries.length });
}
