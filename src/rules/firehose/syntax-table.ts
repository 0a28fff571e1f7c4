/**
 * The one table of the language: its fields, operators and limits. The parser reads how a field is analysed, the
 * checker reads which fields and values exist, and the help prints the table, so the three cannot disagree.
 */
import type { OperatorHelp } from '../language.ts';
export type FieldKind =
  /** Words, lower case; English stop words left out where `stopWords` says so. */
  | 'text'
  /** The whole value is one term, compared character for character. */
  | 'exact'
  | 'number'
  /** Not a field of the page but a condition on the rule as a whole. */
  | 'filter';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly stopWords: boolean;
  /** Present where Firehose looks at the field and leaves it out of what it delivers. */
  readonly delivered?: 'nothing';
  readonly syntax: string;
  readonly description: string;
  readonly example: string;
}

export const DEFAULT_FIELD = 'added';

export const FIELDS: readonly Field[] = [
  {
    name: 'added',
    kind: 'text',
    stopWords: true,
    syntax: 'word  |  added:word',
    description:
      'Text newly inserted on the page. The default field: a word without a field searches here, and only here (not in the title).',
    example: '"electric vehicles"',
  },
  {
    name: 'removed',
    kind: 'text',
    stopWords: true,
    syntax: 'removed:word',
    description: 'Text deleted from the page.',
    example: 'removed:"free plan"',
  },
  {
    name: 'added_anchor',
    kind: 'text',
    stopWords: true,
    delivered: 'nothing',
    syntax: 'added_anchor:word',
    description: 'Anchor text of newly inserted links.',
    example: 'added_anchor:"apply now"',
  },
  {
    name: 'removed_anchor',
    kind: 'text',
    stopWords: true,
    delivered: 'nothing',
    syntax: 'removed_anchor:word',
    description: 'Anchor text of deleted links.',
    example: 'removed_anchor:"buy now"',
  },
  {
    name: 'title',
    kind: 'text',
    stopWords: false,
    syntax: 'title:word',
    description: 'Page title. Keeps stop words such as "the" and "of", which the other text fields drop.',
    example: 'title:earnings',
  },
  {
    name: 'url',
    kind: 'exact',
    stopWords: false,
    syntax: 'url:"value"  |  url:*part*',
    description:
      'The whole URL as crawled, case and all. Quote a full URL; in a wildcard escape every / and : with a backslash.',
    example: 'url:*\\/pricing*',
  },
  {
    name: 'domain',
    kind: 'exact',
    stopWords: false,
    syntax: 'domain:name',
    description:
      'Host of the URL, also without www. and with every parent domain, lower case: domain:example.com covers blog.example.com.',
    example: 'domain:example.com',
  },
  {
    name: 'publish_time',
    kind: 'exact',
    stopWords: false,
    syntax: 'publish_time:[from TO to]',
    description:
      'Publication time as text, 2026-02-13T08:06:32 (no zone). Ranges compare as text; publish_time:2026-02-13* selects one day.',
    example: 'publish_time:[2026-02-01 TO 2026-03-01}',
  },
  {
    name: 'page_category',
    kind: 'exact',
    stopWords: false,
    syntax: 'page_category:"/Label"',
    description:
      'Topic label such as "/News" or "/News/Business_News". Exact and case-sensitive; always quote it, because a bare / opens a regex. A parent does not include its children: add a prefix, page_category:\\/News*.',
    example: 'page_category:"/News/Business_News"',
  },
  {
    name: 'page_type',
    kind: 'exact',
    stopWords: false,
    syntax: 'page_type:"/Label"',
    description:
      'Kind of page, such as "/Article" or "/Article/News_Update". As page_category: exact, and always quoted.',
    example: 'page_type:"/Article/News_Update"',
  },
  {
    name: 'language',
    kind: 'exact',
    stopWords: false,
    syntax: 'language:code',
    description: 'Language of the page, a lower-case code such as en, de, zh-cn. Several: language:(en OR de).',
    example: 'language:en',
  },
  {
    name: 'dr',
    kind: 'number',
    stopWords: false,
    syntax: 'dr:n  |  dr:[a TO b]',
    description: 'Domain Rating of the site, 0 to 100. Compared as a number; * is an open end.',
    example: 'dr:[50 TO *]',
  },
  {
    name: 'recent',
    kind: 'filter',
    stopWords: false,
    syntax: 'recent:<n>h  |  recent:<n>d  |  recent:<n>mo',
    description:
      'The page was published within this many hours, days or months (30 days). At most one in a rule, joined with AND, never negated; it applies to the rule as a whole.',
    example: 'tesla AND recent:24h',
  },
];

const BY_NAME: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [field.name, field]));

export const fieldNamed = (name: string): Field | undefined => BY_NAME.get(name);

export const OPERATORS: readonly OperatorHelp[] = [
  {
    name: 'AND',
    syntax: 'a AND b  |  a && b',
    description:
      'Both must hold. Upper case. Do not mix with OR without parentheses: there is no precedence between them.',
    example: 'tesla AND earnings',
    standalone: true,
    negatable: true,
  },
  {
    name: 'OR',
    syntax: 'a OR b  |  a || b  |  a b',
    description: 'At least one must hold. Upper case. It is also what a plain blank between two clauses means.',
    example: 'tesla OR volkswagen',
    standalone: true,
    negatable: true,
  },
  {
    name: 'NOT',
    syntax: 'a AND NOT b  |  a -b  |  a !b',
    description:
      'Excludes. Needs something positive beside it in the same group: exclusions alone never match; write *:* AND NOT b.',
    example: 'tesla AND NOT nikola',
    standalone: false,
    negatable: false,
  },
  {
    name: '+',
    syntax: '+a b',
    description:
      'Required. In a group with a required clause, the clauses with no sign are optional and have no effect.',
    example: '+tesla +earnings',
    standalone: true,
    negatable: false,
  },
  {
    name: 'group',
    syntax: '(…)  |  field:(…)',
    description: 'Groups clauses; with a field in front, the field holds for everything inside that names no other.',
    example: 'title:(tesla OR volkswagen) AND earnings',
    standalone: true,
    negatable: true,
  },
  {
    name: 'phrase',
    syntax: '"a b"',
    description: 'The words in this order, next to each other. Wildcards have no meaning inside quotes.',
    example: '"electric vehicles"',
    standalone: true,
    negatable: true,
  },
  {
    name: 'proximity',
    syntax: '"a b"~n',
    description: 'The words at most n moves apart; two words in reverse order cost 2.',
    example: '"tesla earnings"~5',
    standalone: true,
    negatable: true,
  },
  {
    name: 'prefix and wildcard',
    syntax: 'te*  |  t?st  |  *ing',
    description: '* stands for any run of characters, ? for exactly one. The whole word (or exact value) must fit.',
    example: 'electri*',
    standalone: true,
    negatable: true,
  },
  {
    name: 'fuzzy',
    syntax: 'word~  |  word~1',
    description: 'Words within 1 or 2 edits (2 is the default and the maximum); a swap of neighbours is one edit.',
    example: 'volkswagon~1',
    standalone: true,
    negatable: true,
  },
  {
    name: 'regex',
    syntax: '/pattern/',
    description:
      'Lucene regular expression. The whole word or value must fit (no ^ or $; use .* at both ends). Special: . ? + * | { } [ ] ( ) " \\ # @ & < > ~; write \\/ for a slash.',
    example: 'url:/https?:\\/\\/[^\\/]+\\/blog\\/.*/',
    standalone: true,
    negatable: true,
  },
  {
    name: 'range',
    syntax: 'field:[a TO b]  |  field:{a TO b}',
    description: 'Square brackets include the bound, curly ones exclude it, * is an open end; TO in upper case.',
    example: 'publish_time:[2026-01-01 TO *]',
    standalone: true,
    negatable: true,
  },
  {
    name: 'exists',
    syntax: 'field:*',
    description: 'The page has some value in the field.',
    example: 'removed:* AND domain:example.com',
    standalone: true,
    negatable: true,
  },
  {
    name: 'everything',
    syntax: '*:*',
    description: 'Every page. For use with NOT.',
    example: '*:* AND NOT language:en AND domain:example.com',
    standalone: true,
    negatable: true,
  },
  {
    name: 'escape',
    syntax: '\\x',
    description: 'Makes one of + - & | ! ( ) { } [ ] ^ " ~ * ? : \\ / plain. In quotes only " and \\ need it.',
    example: 'url:https\\:\\/\\/example.com\\/blog\\/*',
    standalone: true,
    negatable: true,
  },
  {
    name: 'boost',
    syntax: 'a^2',
    description: 'Accepted, without effect on what matches.',
    example: 'tesla^2 OR volkswagen',
    standalone: true,
    negatable: true,
  },
];

export const LIMITS = {
  /** UTF-16 units. */
  length: 8_192,
  /** Longer texts are not parsed at all. */
  hopelessLength: 16_384,
  clauses: 1_024,
  depth: 50,
  edits: 2,
} as const;
