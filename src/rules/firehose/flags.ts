/** The two flags of a Firehose rule, as queries that are joined with its text. */
import { all, any, EVERYTHING, not, type Query } from '../query.ts';

export interface Flags {
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
