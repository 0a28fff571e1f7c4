/** A digest as Markdown. Text by strangers can make no markup and no link; links lead to the events themselves. */
import type { Digest, DigestStory } from '../domain/digest.ts';
import { digestHeadline, minuteText, ruleNames, storyCount } from './digest-words.ts';
import { unlinked, webLink } from './unlinked-text.ts';

const SPECIAL = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;

const escaped = (text: string): string => unlinked(text).replaceAll(SPECIAL, '\\$&');

/** In angle brackets an address may have everything but these. */
const destination = (url: string): string => url.replaceAll(/[<>\\\s]/g, (character) => encodeURIComponent(character));

export function digestMarkdown(digest: Digest): string {
  return [`# ${escaped(digestHeadline(digest))}`, ...digest.stories.map(storyLines)].join('\n\n').concat('\n');
}

function storyLines(story: DigestStory): string {
  const title = escaped(story.title === '' ? 'Untitled' : story.title);
  const url = webLink(story.url);
  const links = story.links.flatMap((link) => webLink(link) ?? []);
  return [
    `## ${url === undefined ? title : `[${title}](<${destination(url)}>)`}`,
    '',
    `- ${escaped(storyCount(story))}`,
    `- ${escaped(`${ruleNames(story)}, last ${minuteText(story.last_at)} UTC`)}`,
    ...links.map((link) => `- <${destination(link)}>`),
  ].join('\n');
}
