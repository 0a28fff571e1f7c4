/** Makes a post and a page with the same content, to try a rule and its translation on. */
import { idIn, type JsonRecord, listIn, recordIn, textIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import { LONGEST_POST } from '../../engine/events/x-post.ts';
import { VALUES } from '../../rules/firehose/labels.ts';
import type { Content } from '../../rules/translate-samples.ts';
import { languageOnPages, languageOnPosts } from '../../rules/translation.ts';
import { extractEntities } from '../../rules/x/entities.ts';
import { pageWith, postWith } from './twin-facts.ts';

/** The page's title is the first line of the post, and the post links to the page. */
export function postOf({ id = '1', text, title, link, language, facts = [] }: Content): Payload {
  const written = escaped(title === undefined ? text : `${title}\n${text}`);
  const leads = title !== undefined || link !== undefined;
  const post = {
    data: {
      id,
      text: written,
      ...(language !== undefined && { lang: language }),
      ...(leads && { entities: withLink(written, link, title) }),
    },
  };
  return postWith(post, facts);
}

const NO_ENTITIES: ReturnType<typeof extractEntities> = { hashtags: [], mentions: [], cashtags: [], urls: [] };

/**
 * A post with entities has no others, so the list must include those of the text. Offsets are only for highlights. A text that is
 * longer than any post has none, as it would have without a link.
 */
function withLink(text: string, link: string | undefined, title: string | undefined) {
  const { hashtags, mentions, cashtags, urls } = text.length > LONGEST_POST ? NO_ENTITIES : extractEntities(text);
  const own = { ...(link !== undefined && { expanded_url: link }), ...(title !== undefined && { title }) };
  return { hashtags, mentions, cashtags, urls: [...urls, own] };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPES[sign]!);
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt);/g, (_, name: 'amp' | 'lt' | 'gt') => ({ amp: '&', lt: '<', gt: '>' })[name]);

export function pageOfContent({ id = '1', text, title, link, language, facts = [] }: Content, now: Date): Payload {
  const code = labelOf(language ?? '');
  const page = {
    id,
    added: [text],
    ...(title !== undefined && { title }),
    ...(link !== undefined && { url: link }),
    ...(VALUES.language.has(code) && { language: code }),
    publish_time: now.toISOString().slice(0, 19),
  };
  return pageWith(page, facts);
}

/** The code that pages use for a language. X's one code for Chinese becomes the more common of the pages' codes. */
function labelOf(language: string): string {
  const code = language.toLowerCase();
  if (code === 'zh') return 'zh-cn';
  return languageOnPosts(languageOnPages(code)) === code ? languageOnPages(code) : '';
}

/** The page with the content of a post, including what it reposts or quotes. */
export function pageOfPost(payload: Payload, now: Date): Payload {
  const post = recordIn(payload['data']) ?? {};
  const included = recordIn(payload['includes']) ?? {};
  const referred = listIn(post['referenced_tweets'] ?? post['referenced_posts'])
    .map(recordIn)
    .filter((one) => one?.['type'] === 'retweeted' || one?.['type'] === 'quoted')
    .map((one) => idIn(one?.['id']));
  const others = listIn(included['tweets'] ?? included['posts'])
    .map(recordIn)
    .filter((one) => one !== undefined && referred.includes(idIn(one['id'])));
  const texts = [post, ...others].map((one) => unescaped(textOfPost(one!)));
  const link = recordIn(listIn(recordIn(post['entities'])?.['urls'])[0]);
  const [url, title, language] = [
    textIn(link?.['unwound_url']) ?? textIn(link?.['expanded_url']),
    textIn(link?.['title']),
    textIn(post['lang']),
  ];
  return {
    ...pageOfContent(
      {
        text: '',
        ...(title !== undefined && { title }),
        ...(url !== undefined && { link: url }),
        ...(language !== undefined && { language }),
      },
      now,
    ),
    added: texts,
  };
}

const textOfPost = (post: JsonRecord): string =>
  textIn(recordIn(post['note_tweet'] ?? post['note_post'])?.['text']) ?? textIn(post['text']) ?? '';

/** The post with the text that a page added. */
export function postOfPage(payload: Payload): Payload {
  const chunks = listIn(recordIn(payload['diff'])?.['chunks']).map(recordIn);
  const added = chunks.flatMap((chunk) => (chunk?.['typ'] === 'ins' ? [textIn(chunk['text']) ?? ''] : []));
  const more = ['added', 'added_anchor'].flatMap((name) => [payload[name]].flat()).map((one) => textIn(one) ?? '');
  const [title, link, language] = [textIn(payload['title']), textIn(payload['url']), textIn(payload['language'])];
  return postOf({
    text: [...added, ...more].join('\n'),
    ...(title !== undefined && { title }),
    ...(link !== undefined && { link }),
    ...(language !== undefined && { language: languageOnPosts(language) }),
  });
}
