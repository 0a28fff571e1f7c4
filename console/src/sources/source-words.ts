/** Sources in words. */
import type { ListedSource } from '../data/queries.ts';

export const KIND_WORDS: Readonly<Record<string, string>> = {
  feeds: 'Feed',
  watch: 'Page',
  youtube: 'YouTube',
  reddit: 'Reddit',
  github: 'GitHub',
  arxiv: 'arXiv',
  lemmy: 'Lemmy',
  mastodon: 'Mastodon',
  hackernews: 'Hacker News',
  jetstream: 'Bluesky',
  wikipedia: 'Wikipedia',
  gdelt: 'GDELT',
  ndjson: 'File',
};

/** "About 4 a day", "about 2 a week". */
export function rateWords(perDay: number): string {
  if (perDay >= 1) return `about ${Math.round(perDay).toLocaleString('en')} a day`;
  if (perDay >= 1 / 7) return `about ${Math.round(perDay * 7)} a week`;
  return 'less than one a week';
}

/** The address that a source visits, or what its kind is told instead. */
export function addressOf({ options }: Pick<ListedSource, 'options'>): string {
  for (const name of ['urls', 'url', 'subreddits', 'repos', 'channels', 'categories', 'communities']) {
    const value = options[name];
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(', ');
  }
  return '';
}
