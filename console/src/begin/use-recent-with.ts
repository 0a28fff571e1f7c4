/** Recent events of both platforms that have all of some words. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { PLATFORMS } from '../rules/draft.ts';
import { type Example, exampleOf } from './examples.ts';

const SHOWN = 8;
/** More words than that say no more of which event is meant. */
const MOST_WORDS = 12;

export const useRecentWith = (words: string) =>
  useQuery({
    queryKey: ['recent', words],
    queryFn: ({ signal }) => recentWith(words, signal),
    enabled: words !== '',
    placeholderData: (before) => before,
  });

/** The words as the languages write that all of them are there. */
const WITH_WORDS: Readonly<Record<Platform, (words: readonly string[]) => string>> = {
  x: (words) => words.map((word) => `"${word}"`).join(' '),
  firehose: (words) => words.map((word) => `(added:"${word}" OR title:"${word}")`).join(' AND '),
};

async function recentWith(text: string, signal: AbortSignal): Promise<Example[]> {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const overrides = Object.fromEntries(PLATFORMS.map((platform) => [platform, WITH_WORDS[platform](words)]));
  const { platforms } = await client.rules.preview({ platforms: [...PLATFORMS], overrides, limit: SHOWN }, { signal });
  return PLATFORMS.flatMap((platform) =>
    (platforms[platform]?.matches ?? []).map(({ payload }) => exampleOf(platform, payload)),
  );
}
