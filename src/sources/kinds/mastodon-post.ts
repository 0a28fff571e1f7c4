/** A status of Mastodon in X's shape. Its entities carry no offsets: they are found again in the text. */
import { z } from 'zod';
import { type Post, placeInText, xPostOf } from '../contract/post.ts';
import { plainText } from '../text/plain-text.ts';

export const statusShape = z.looseObject({
  id: z.string(),
  uri: z.string().optional(),
  url: z.string().nullish(),
  content: z.string(),
  spoiler_text: z.string().default(''),
  language: z.string().nullish(),
  created_at: z.string(),
  edited_at: z.string().nullish(),
});
export type Status = z.output<typeof statusShape>;

const personShape = z.object({ id: z.string(), username: z.string().default(''), acct: z.string().default('') });
const richShape = z.object({
  account: personShape
    .extend({
      display_name: z.string().optional().catch(undefined),
      note: z.string().optional().catch(undefined),
      followers_count: z.number().optional().catch(undefined),
      following_count: z.number().optional().catch(undefined),
      statuses_count: z.number().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  tags: z.array(z.object({ name: z.string() })).catch([]),
  mentions: z.array(personShape).catch([]),
  media_attachments: z.array(z.object({ type: z.string(), description: z.string().nullish() })).catch([]),
  card: z
    .object({ url: z.string(), title: z.string().optional(), description: z.string().optional() })
    .nullish()
    .catch(undefined),
  in_reply_to_id: z.string().nullish().catch(undefined),
  in_reply_to_account_id: z.string().nullish().catch(undefined),
  reblog: z.object({ id: z.string() }).nullish().catch(undefined),
  quote: z
    .object({ quoted_status: z.object({ id: z.string() }) })
    .nullish()
    .catch(undefined),
});

export const idOfStatus = ({ id, edited_at }: Status): string => (edited_at == null ? id : `${id}/${edited_at}`);

export const addressOfStatus = (server: string, status: Status): string =>
  status.url ?? status.uri ?? new URL(`/statuses/${status.id}`, server).href;

export const textOfStatus = ({ spoiler_text, content }: Status): string =>
  [plainText(spoiler_text), plainText(content)].filter((text) => text !== '').join('\n');

const MEDIA: Readonly<Record<string, 'photo' | 'video' | 'animated_gif'>> = {
  image: 'photo',
  video: 'video',
  gifv: 'animated_gif',
};
const LINK = /https?:\/\/[^\s<>"]+/g;

export function postOfStatus(source: string, server: string, status: Status): Post {
  const rich = richShape.parse(status);
  const { account, card, mentions, tags } = rich;
  const text = textOfStatus(status);
  const links = [...text.matchAll(LINK)].map(({ 0: url, index }) => ({
    url,
    at: { start: index, end: index + url.length },
    ...(card?.url === url && { title: card.title, description: card.description }),
  }));
  return xPostOf({
    source,
    id: idOfStatus(status),
    url: addressOfStatus(server, status),
    text,
    author: account === undefined ? { id: '' } : authorOf(account),
    language: status.language,
    createdAt: new Date(status.created_at),
    hashtags: tags.map(({ name }) => ({ tag: name, at: placeInText(text, `#${name}`) })),
    mentions: mentions.map(({ id, acct, username }) => ({
      id,
      username: acct || username,
      at: placeInText(text, `@${username}`),
    })),
    links: card == null || links.some(({ url }) => url === card.url) ? links : [...links, card],
    media: rich.media_attachments.flatMap(({ type, description }) =>
      MEDIA[type] === undefined ? [] : [{ type: MEDIA[type], alt: description ?? undefined }],
    ),
    repliesTo:
      rich.in_reply_to_id == null
        ? undefined
        : { id: rich.in_reply_to_id, authorId: rich.in_reply_to_account_id ?? undefined },
    reposts: rich.reblog?.id,
    quotes: rich.quote?.quoted_status.id,
  });
}

const authorOf = (account: NonNullable<z.output<typeof richShape>['account']>) => ({
  id: account.id,
  username: account.acct || account.username,
  name: account.display_name,
  description: account.note && plainText(account.note),
  metrics: {
    followers_count: account.followers_count,
    following_count: account.following_count,
    tweet_count: account.statuses_count,
  },
});
