/** A rule's text for a platform, with its flags: from a request, as a key, and as a query. */
import { isPlatform, type Platform } from '../domain/platform.ts';
import type { RuleFlags } from '../domain/rule.ts';
import type { Language } from './language.ts';
import { all, any, EVERYTHING, not, type Query } from './query.ts';

/** Our own platform filters nothing that it was not asked to. */
const LOCAL_FLAGS = { quality: false, nsfw: true };

/** A text as it is registered on a platform. */
export interface RuleText {
  readonly value: string;
  readonly flags: RuleFlags;
}

export type Texts = Partial<Record<Platform, RuleText>>;

/** Equal for equal texts. */
export const textKey = ({ value, flags }: RuleText): string =>
  `${flags.quality} ${flags.nsfw} ${flags.sources?.join(',') ?? ''} ${value}`;

interface RequestOptions {
  readonly firehose?: { quality?: boolean | undefined; nsfw?: boolean | undefined } | undefined;
  readonly sources?: readonly string[] | undefined;
}

/** The text of a rule that wants everything from the sources it is limited to. */
export const ANYTHING = '*';

/** The texts of a request whose problems were looked for and not found. */
export function textsOfRequest(
  overrides: Partial<Record<Platform, string | undefined>>,
  options: RequestOptions | undefined,
): Texts {
  const texts: Texts = {};
  for (const [name, text] of Object.entries(overrides)) {
    if (!isPlatform(name) || text === undefined) continue;
    const sources = options?.sources && { sources: options.sources };
    texts[name] = { value: text.trim(), flags: { ...(name === 'firehose' && given(options?.firehose)), ...sources } };
  }
  return texts;
}

/** The flags of a request that say something. */
export function given(flags: { quality?: boolean | undefined; nsfw?: boolean | undefined } = {}): RuleFlags {
  return {
    ...(flags.quality === undefined ? {} : { quality: flags.quality }),
    ...(flags.nsfw === undefined ? {} : { nsfw: flags.nsfw }),
  };
}

/** The query that a stored text stands for, its platform's flags included; undefined when it does not parse (any more). */
export function queryOf(language: Language, { value, flags }: RuleText): Query | undefined {
  const query = value === ANYTHING && flags.sources !== undefined ? EVERYTHING : language.queryOf(value);
  return query && language.name === 'firehose' ? all([query, flagsQueryOf(flags)]) : query;
}

/** The query for the flags of Firehose. */
export const flagsQueryOf = (flags: RuleFlags): Query => withFlags(EVERYTHING, { ...LOCAL_FLAGS, ...flags });

/** The two flags of a Firehose rule, as queries that are joined with its text. */
interface Flags {
  /** Only recent pages with their own URL: no pagination, no tag or category index, no query string. */
  readonly quality: boolean;
  /** False leaves out adult pages. */
  readonly nsfw: boolean;
}

const WEEK = 7 * 24 * 3_600_000;

const url = (pattern: string): Query => ({ kind: 'regex', field: 'url', pattern });

const QUALITY: Query = all([
  { kind: 'recent', milliseconds: WEEK },
  not(
    any([
      url('[^?\\#]*\\/page\\/[0-9]+([\\/?\\#].*)?'),
      url('[^?\\#]*\\/(tag|category)([\\/?\\#].*)?'),
      { kind: 'wildcard', field: 'url', pattern: '*\\?*' },
    ]),
  ),
]);

const ADULT: Query = any([
  { kind: 'term', field: 'page_category', term: '/Adult' },
  { kind: 'prefix', field: 'page_category', prefix: '/Adult/' },
]);

/** The rule's query, restricted by its flags. */
export function withFlags(query: Query, { quality, nsfw }: Flags): Query {
  return all([query, quality ? QUALITY : EVERYTHING, nsfw ? EVERYTHING : not(ADULT)]);
}
