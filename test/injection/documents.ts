/** The ways out for people: digests as JSON, Markdown and HTML, and messages for chats. Tells what leaked into them. */
import { discordMessage, slackMessage } from '../../src/delivery/webhooks/chats/slack-discord.ts';
import type { Match } from '../../src/domain/match.ts';
import { digestOfItems, heldItem, storyFacts } from '../../src/wakes/digest.ts';
import { digestHtml, digestMarkdown } from '../../src/wakes/digest-documents.ts';
import { summaryOf } from '../../src/wakes/summary.ts';
import { hiddenIn } from './leaks.ts';

/** A link that a digest makes itself: to the event. */
const OWN_LINK = /\]\(<https?:\/\/[^<>\\\s]+>\)|- <https?:\/\/[^<>\\\s]+>/g;
const OWN_TAG =
  /<(?:!doctype html|\/?(?:html|head|body|h1|h2|p|ul|li|title|div|span)|meta|a href="https?:[^"<>]*" rel="noopener noreferrer nofollow"|\/a)(?: [a-z-]+="[^"<>]*")*>/gi;
/** Digests break addresses with it, after all others are taken away. */
const withoutBreaks = (text: string): string => text.replaceAll('\u200b', '');

export function documentLeaks(matches: readonly Match[]): string[] {
  const digest = digestOfItems(matches.map(heldItem));
  const markdown = withoutBreaks(digestMarkdown(digest));
  const html = withoutBreaks(digestHtml(digest));
  const chats = {
    slack: slackMessage(matches.map(summaryOf)),
    'slack digest': slackMessage(digest.stories.map(storyFacts)),
    discord: discordMessage(matches.map(summaryOf)),
    'discord digest': discordMessage(digest.stories.map(storyFacts)),
    'digest as JSON': digest,
  };
  return [
    ...hiddenIn(markdown).map((leak) => `Markdown: ${leak}`),
    ...followedIn(markdown.replaceAll(OWN_LINK, ']').replaceAll(/\\[\s\S]/g, ''), [/!\[/, /\]\(/, /\]:/, /<[a-z/!?]/i]),
    ...hiddenIn(html).map((leak) => `HTML: ${leak}`),
    ...followedIn(html.replaceAll(OWN_TAG, ''), [/<[a-z/!?]/i]),
    ...Object.entries(chats).flatMap(([name, chat]) =>
      textsIn(chat).flatMap((text) => hiddenIn(text).map((leak) => `${name}: ${leak}`)),
    ),
    ...textsIn(chats.slack).flatMap((text) => followedIn(text.replaceAll(/<https?:\/\/[^<>|\s]+>/g, ''), [/[<>]/])),
    ...textsIn(chats.discord)
      .filter((text) => !/^https?:/.test(text))
      .flatMap((text) => followedIn(text.replaceAll(/\\[\s\S]/g, ''), [/\]\(/, /<[a-z@#!/]/i])),
  ];
}

const followedIn = (text: string, forms: readonly RegExp[]): string[] =>
  forms.flatMap((form) => {
    const found = form.exec(text);
    return found === null
      ? []
      : [`markup in ${JSON.stringify(text.slice(Math.max(0, found.index - 40), found.index + 60))}`];
  });

const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];
