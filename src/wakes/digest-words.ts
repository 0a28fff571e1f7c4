/** A digest in words. */
import type { Digest, DigestStory } from '../domain/wake.ts';
import { cutText, LONGEST_NAME, type Summary } from './summary.ts';

const countOf = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

export function digestHeadline({ match_count, story_count, stories, since, until }: Digest): string {
  const what = `${countOf(match_count, 'match', 'matches')} in ${countOf(story_count, 'story', 'stories')}`;
  const span = `stored from ${minuteText(since)} to ${minuteText(until)} UTC`;
  const rest = stories.length < story_count ? ` The ${stories.length} newest stories are listed.` : '';
  return `Digest: ${what}, ${span}.${rest}`;
}

export const minuteText = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** How many matches, and who else. */
export function storyCount({ size, by }: Pick<DigestStory, 'size' | 'by'>): string {
  const count = countOf(size, 'match', 'matches');
  return by.length === 0 ? count : `${count}: ${by.join(', ')}`;
}

export const ruleNames = ({ rules }: Pick<DigestStory, 'rules'>): string => rules.map(({ name }) => name).join(', ');

/** A story as a chat shows a match. */
export const storyFacts = (story: DigestStory): Summary => ({
  rule: cutText(ruleNames(story), LONGEST_NAME),
  title: story.title,
  text: storyCount(story),
  url: story.url ?? undefined,
});
