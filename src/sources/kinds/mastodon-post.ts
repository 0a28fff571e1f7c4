/** A status of Mastodon in X's shape. Its entities carry no offsets: its links show where they stand. */
import { z } from 'zod';
import { MAX_ENTITIES, type Post, placesIn, xPostOf } from '../contract/post.ts';
import { type HtmlLink, linksIn, plainText, readHtml, type TextLink } from '../text/plain-text.ts';
import { lenient } from '../text/read-items.ts';

const textShape = z.string().nullish();
const nameShape = z.string().default('');
const personShape = z.looseObject({ id: z.string(), username: nameShape, acct: nameShape, url: textShape });
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
  // The status of a quotation that was not approved is null.
  quote: lenient(z.looseObject({ quoted_status: z.looseObject({ id: z.string() }).nullish() })),
});
export type Status = z.output<typeof statusShape>;

export const idOfStatus = ({ id, edited_at }: Status): string => (edited_at == null ? id : `${id}/${edited_at}`);

export const addressOfStatus = (server: string, status: Status): string =>
  status.url ?? status.uri ?? new URL(`/statuses/${status.id}`, server).href;

/** The warning before the text belongs to it. */
function readStatus({ spoiler_text, content }: Status): { text: string; links: HtmlLink[] } {
  const parts = [spoiler_text, content].map((html) => readHtml(html)).filter(({ text }) => text !== '');
  const links: HtmlLink[] = [];
  let at = 0;
  for (const part of parts) {
    for (const link of part.links) links.push({ ...link, start: link.start + at, end: link.end + at });
    at += part.text.length + 1;
  }
  return { text: parts.map(({ text }) => text).join('\n'), links };
}

export const textOfStatus = (status: Status): string => readStatus(status).text;

const MEDIA: Readonly<Record<string, 'photo' | 'video' | 'animated_gif'>> = {
  image: 'photo',
  video: 'video',
  gifv: 'animated_gif',
};

export function postOfStatus(source: string, server: string, status: Status): Post {
  const { account, card } = status;
  const { text, links: shown } = readStatus(status);
  const { hashtags, mentions, links } = entitiesOf(status, text, shown);
  return xPostOf({
    source,
    id: idOfStatus(status),
    url: addressOfStatus(server, status),
    text,
    author: account == null ? { id: '' } : authorOf(account),
    language: status.language,
    createdAt: new Date(status.created_at),
    hashtags,
    mentions,
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

/** A link that shows a tag or a mention is that; any other is a link, whatever its text. What is not linked is looked for. */
function entitiesOf(status: Status, text: string, shown: readonly HtmlLink[]) {
  const { card, tags, mentions } = status;
  const placeOf = placesIn(text);
  const byText = firstBy(shown, ({ start, end }) => text.slice(start, end).toLowerCase());
  const byAddress = firstBy(shown, ({ href }) => href);
  const known = new Set<HtmlLink>();
  const placed = (found: HtmlLink | undefined, word: string) => {
    if (found !== undefined) known.add(found);
    return found === undefined ? placeOf(word) : { start: found.start, end: found.end };
  };
  const hashtags = (tags ?? []).slice(0, MAX_ENTITIES).map(({ name }) => ({
    tag: name,
    at: placed(byText.get(`#${name.toLowerCase()}`), `#${name}`),
  }));
  const named = (mentions ?? []).slice(0, MAX_ENTITIES).map(({ id, acct, username, url }) => {
    const [byName, byHandle] = [username, acct].map((one) => byText.get(`@${one.toLowerCase()}`));
    const found = (url ? byAddress.get(url) : undefined) ?? firstOf(byName, byHandle);
    return { id, username: acct || username, at: placed(found, `@${username}`) };
  });
  const anchors = shown.filter(
    (link) => !known.has(link) && /^https?:\/\//i.test(link.href) && !/^[#@]/.test(text[link.start]!),
  );
  const bare = linksIn(text).filter(isOutside(text, shown));
  const links = [...anchors.map(({ href, start, end }) => ({ url: href, at: { start, end } })), ...bare];
  return {
    hashtags,
    mentions: named,
    links: links.map((link) => ({ ...link, ...(card?.url === link.url && cardOf(card)) })),
  };
}

function firstBy(links: readonly HtmlLink[], keyOf: (link: HtmlLink) => string): Map<string, HtmlLink> {
  return new Map(links.toReversed().map((link) => [keyOf(link), link]));
}

const firstOf = (left: HtmlLink | undefined, right: HtmlLink | undefined): HtmlLink | undefined =>
  left !== undefined && right !== undefined && right.start < left.start ? right : (left ?? right);

/** Tells of a place whether no link has any of it. */
function isOutside(text: string, links: readonly HtmlLink[]): (one: TextLink) => boolean {
  const linked = new Uint8Array(text.length);
  for (const { start, end } of links) linked.fill(1, start, end);
  return ({ at }) => !linked.subarray(at.start, at.end).includes(1);
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
