/** The author, the links and the language of an event, by which people select matches. */
import { domainsOfUrl } from '../base/domains.ts';
import { idIn, type JsonRecord, listIn, recordIn, textIn } from '../base/json.ts';
import type { Payload } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';

export interface EventTraits {
  readonly author: Author | undefined;
  /** The domains of a page, or of the links of a post, each with its parents down to the registered name. */
  readonly domains: readonly (readonly string[])[];
  readonly language: string | undefined;
}

export interface Author {
  readonly id: string;
  /** As the platform shows it, without `@`. */
  readonly name: string | undefined;
}

/** Links that are looked at. A post has few; a payload by hand may have any number. */
const MAX_LINKS = 32;

export const traitsOf = (platform: Platform, payload: Payload): EventTraits =>
  platform === 'x' ? traitsOfPost(payload) : traitsOfPage(payload);

function traitsOfPost(payload: Payload): EventTraits {
  const post = recordIn(payload['data']) ?? {};
  return {
    author: authorOf(post, recordIn(payload['includes'])),
    domains: linksOf(post).map(domainsOfUrl).filter(isKnown),
    language: textIn(post['lang'])?.toLowerCase(),
  };
}

function authorOf(post: JsonRecord, includes: JsonRecord | undefined): Author | undefined {
  const id = idIn(post['author_id']);
  if (id === undefined) return undefined;
  const user = listIn(includes?.['users']).find((one) => idIn(recordIn(one)?.['id']) === id);
  return { id, name: textIn(recordIn(user)?.['username']) };
}

/** The addresses behind the links of a post, as far as they are known. */
function linksOf(post: JsonRecord): string[] {
  const note = recordIn(post['note_tweet']) ?? recordIn(post['note_post']);
  const entities = recordIn(note?.['entities']) ?? recordIn(post['entities']);
  return listIn(entities?.['urls'])
    .slice(0, MAX_LINKS)
    .flatMap((link) => {
      const { unwound_url, expanded_url, url } = recordIn(link) ?? {};
      return textIn(unwound_url) ?? textIn(expanded_url) ?? textIn(url) ?? [];
    });
}

function traitsOfPage(page: Payload): EventTraits {
  const domain = textIn(page['domain']);
  const url = domain === undefined ? textIn(page['url']) : `https://${domain}`;
  return {
    author: undefined,
    domains: url === undefined ? [] : [domainsOfUrl(url)].filter(isKnown),
    language: textIn(page['language'])?.toLowerCase(),
  };
}

const isKnown = (domains: readonly string[]): boolean => domains.length > 0;

/** The name that selects an author: in small letters, or the id of one whose name is not known. */
export const authorKey = ({ id, name }: Author): string => name?.toLowerCase() ?? id;

export interface WantedTraits {
  readonly author?: string;
  readonly domain?: string;
  readonly language?: string;
}

/** Whether an event is by that author, of that domain, and in that language. */
export function traitsFilter(wanted: WantedTraits): (traits: EventTraits) => boolean {
  const author = wanted.author?.replace(/^@/, '').toLowerCase();
  const domain = wanted.domain?.toLowerCase();
  const language = wanted.language?.toLowerCase();
  return (traits) =>
    (author === undefined ||
      (traits.author !== undefined && (authorKey(traits.author) === author || traits.author.id === wanted.author))) &&
    (domain === undefined || traits.domains.some((domains) => domains.includes(domain))) &&
    (language === undefined || traits.language === language);
}
