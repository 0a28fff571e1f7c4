/**
 * A digest as an HTML e-mail: no script, no image, nothing that is fetched. Text by strangers can make no markup and no
 * link; links lead to the events themselves.
 */
import type { Digest, DigestStory } from '../domain/wake.ts';
import { digestHeadline, minuteText, ruleNames, storyCount } from './digest.ts';
import { unlinked, webLink } from './summary.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const attribute = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
const escaped = (text: string): string => attribute(unlinked(text));

/** Characters of an address that are shown. */
const SHOWN = 100;

const link = (url: string, text: string): string =>
  `<a href="${attribute(url)}" rel="noopener noreferrer nofollow">${text}</a>`;

export function digestHtml(digest: Digest): string {
  const headline = escaped(digestHeadline(digest));
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${headline}</title></head>
<body style="margin:0 auto;padding:16px;max-width:640px;font-family:sans-serif;line-height:1.4;color:#1a1a1a">
<h1 style="font-size:18px">${headline}</h1>
${digest.stories.map(storyBlock).join('\n')}
</body>
</html>
`;
}

function storyBlock(story: DigestStory): string {
  const title = escaped(story.title === '' ? 'Untitled' : story.title);
  const url = webLink(story.url);
  const links = story.links.flatMap((one) => webLink(one) ?? []);
  const more = links.map((one) => `<li>${link(one, escaped(one.slice(0, SHOWN)))}</li>`).join('');
  return `<div style="padding:12px 0;border-top:1px solid #ddd">
<h2 style="margin:0;font-size:16px">${url === undefined ? title : link(url, title)}</h2>
<p style="margin:4px 0">${escaped(storyCount(story))}</p>
<p style="margin:4px 0;color:#666">${escaped(`${ruleNames(story)}, last ${minuteText(story.last_at)} UTC`)}</p>
${more === '' ? '' : `<ul style="margin:4px 0;padding-left:20px">${more}</ul>`}</div>`;
}

/** A digest as Markdown. Text by strangers can make no markup and no link; links lead to the events themselves. */
const SPECIAL = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;

const escapedMarkdown = (text: string): string => unlinked(text).replaceAll(SPECIAL, '\\$&');

/** In angle brackets an address may have everything but these. */
const destination = (url: string): string => url.replaceAll(/[<>\\\s]/g, (character) => encodeURIComponent(character));

export function digestMarkdown(digest: Digest): string {
  return [`# ${escapedMarkdown(digestHeadline(digest))}`, ...digest.stories.map(storyLines)].join('\n\n').concat('\n');
}

function storyLines(story: DigestStory): string {
  const title = escapedMarkdown(story.title === '' ? 'Untitled' : story.title);
  const url = webLink(story.url);
  const links = story.links.flatMap((one) => webLink(one) ?? []);
  return [
    `## ${url === undefined ? title : `[${title}](<${destination(url)}>)`}`,
    '',
    `- ${escapedMarkdown(storyCount(story))}`,
    `- ${escapedMarkdown(`${ruleNames(story)}, last ${minuteText(story.last_at)} UTC`)}`,
    ...links.map((one) => `- <${destination(one)}>`),
  ].join('\n');
}
