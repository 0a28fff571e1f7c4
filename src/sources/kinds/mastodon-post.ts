/** A status of Mastodon in X's shape. Its entities carry no offsets: they are found again in the text. */
import { z } from 'zod';
import { type Post, placeInText, xPostOf } from '../contract/post.ts';
import { plainText } from '../text/plain-text.ts';
import { lenient } from '../text/read-items.ts';

const textShape = z.string().nullish();
const nameShape = z.string().default('');
const personShape = z.looseObject({ id: z.string(), username: nameShape, acct: nameShape });
const accountShape = personShape.extend({
  display_name: textShape,
  note: textShape,
  followers_count: z.number().optional(),
  following_count: z.number().optional(),
  statuses_count: z.number().optional(),
});

/** A status without its text is none. What else is wrong with it is left out. */
export const statusShape = z.looseObject({
  id: z.string(),
  uri: lenient(z.string()),
  url: lenient(z.string()),
  content: z.string(),
  spoiler_text: z.string().default(''),
  language: lenient(z.string()),
  created_at: z.string(),
  edited_at: z.string().nullish(),
  account: lenient(accountShape),
  tags: lenient(z.array(z.looseObject({ name: z.string() }))),
  mentions: lenient(z.array(personShape)),
  media_attachments: lenient(z.array(z.looseObject({ type: z.string(), description: textShape }))),
  card: lenient(z.looseObject({ url: z.string(), title: textShape, description: textShape })),
  in_reply_to_id: lenient(z.string()),
  in_reply_to_account_id: lenient(z.string()),
  reblog: lenient(z.looseObject({ id: z.string() })),
  // Of a quotation that was not approved, the status is null.
  quote: lenient(z.looseObject({ quoted_status: z.looseObject({ id: z.string() }).nullish() })),
});
export type Status = z.output<typeof statusShape>;

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
  const { account, card } = status;
  const text = textOfStatus(status);
  const links = [...text.matchAll(LINK)].map(({ 0: url, index }) => ({
    url,
    at: { start: index, end: index + url.length },
    ...(card?.url === url && cardOf(card)),
  }));
  return xPostOf({
    source,
    id: idOfStatus(status),
    url: addressOfStatus(server, status),
    text,
    author: account == null ? { id: '' } : authorOf(account),
    language: status.language,
    createdAt: new Date(status.created_at),
    hashtags: (status.tags ?? []).map(({ name }) => ({ tag: name, at: placeInText(text, `#${name}`) })),
    mentions: (status.mentions ?? []).map(({ id, acct, username }) => ({
      id,
      username: acct || username,
      at: placeInText(text, `@${username}`),
    })),
    links: card == null || links.some(({ url }) => url === card.url) ? links : [...links, cardOf(card)],
    media: (status.media_attachments ?? []).flatMap(({ type, description }) =>
      MEDIA[type] === undefined ? [] : [{ type: MEDIA[type], alt: description ?? undefined }],
    ),
    repliesTo:
      status.in_reply_to_id == null
        ? undefined
        : { id: status.in_reply_to_id, authorId: status.in_reply_to_account_id ?? undefined },
    reposts: status.reblog?.id,
    quotes: status.quote?.quoted_status?.id,
  });
}

const cardOf = ({ url, title, description }: NonNullable<Status['card']>) => ({
  url,
  title: title ?? undefined,
  description: description ?? undefined,
});

const authorOf = (account: NonNullable<Status['account']>) => ({
  id: account.id,
  username: account.acct || account.username,
  name: account.display_name ?? undefined,
  description: account.note == null ? undefined : plainText(account.note),
  metrics: {
    followers_count: account.followers_count,
    following_count: account.following_count,
    tweet_count: account.statuses_count,
  },
});
