/**
 * Everything that a reader without another source, above all a language model, needs to write rules. Fields and operators
 * come from the syntax table, and the tests parse every rule in this file.
 */
import type { OperatorHelp, SyntaxHelp } from '../language.ts';
import { VALUES } from './labels.ts';
import { FIELDS, type Field, LIMITS, OPERATORS } from './syntax-table.ts';

const SUMMARY = `Firehose rules are Lucene classic queries over changes of web pages. Each crawled page is compared with the rule once: what was added, what was removed, its title, URL, domain, labels, language and rating. A rule is one line of text. Start from one or two words or phrases that must be in the new text, then narrow with AND: language:en, page_type:"/Article", domain:example.com, recent:24h. Words match whole words, in any case, with no stemming: vehicle does not find vehicles (write vehicle*). Always join clauses with an upper-case AND or OR, never with a bare blank, and put parentheses around every OR group.`;

const GRAMMAR = `rule    = list
list    = clause { joiner clause }            joiner: AND | OR   (a bare blank means OR)
clause  = [ "NOT" | "-" | "+" ] [ field ":" ] ( value | "(" list ")" )
field   = ${FIELDS.map((field) => field.name).join(' | ')}
value   = word | "phrase" | "phrase"~n | prefix* | wild?card | word~1 | /regex/ | [a TO b] | {a TO b} | *
words   = letters and digits; AT&T is two words (at, t), wi-fi is two (wi, fi), node.js is one
escapes = a backslash before + - & | ! ( ) { } [ ] ^ " ~ * ? : \\ /
text fields:  added (default), removed, added_anchor, removed_anchor, title       cut into lower-case words
exact fields: url, domain, publish_time, page_category, page_type, language      one value, case and all
number: dr       filter on the whole rule: recent
AND, OR and NOT have no precedence. In one list a AND b OR c means "a and b, c has no effect": write (a AND b) OR c.`;

/** Typical intents, each with a rule for it. */
const EXAMPLES: SyntaxHelp['examples'] = [
  { intent: 'Pages that newly mention Tesla', rule: 'tesla' },
  {
    intent: 'English news articles about electric vehicles from the last day',
    rule: '"electric vehicles" AND page_type:"/Article/News_Update" AND language:en AND recent:24h',
  },
  { intent: 'A brand in the title or in the new text', rule: 'title:acme OR added:acme' },
  {
    intent: 'Either of two companies together with a lawsuit',
    rule: '(tesla OR volkswagen) AND (lawsuit OR sued OR "class action")',
  },
  { intent: "A product, but not on the maker's own site", rule: '"acme widget" AND NOT domain:acme.io' },
  {
    intent:
      "Price changes on a competitor's pricing page (with quality: false, as such pages are edited, not published)",
    rule: 'domain:acme.io AND url:*\\/pricing* AND (added:"per month" OR removed:"per month")',
  },
  { intent: 'A job posting that disappeared', rule: 'removed_anchor:"apply now" AND domain:example.com' },
  {
    intent: 'Anything new about a topic, in three languages',
    rule: '(volkswagen OR vw) AND language:(en OR de OR fr)',
  },
  {
    intent: 'Articles in a topic and everything below it',
    rule: 'page_category:(\\/Finance OR \\/Finance\\/*) AND page_type:\\/Article* AND "interest rate"',
  },
  { intent: 'Strong sites only', rule: '"open source" AND dr:[70 TO *]' },
  { intent: 'Two words near each other, in either order', rule: '"merger acme"~5' },
  { intent: 'Spelling variants of a name', rule: 'volkswagen~1 OR volkswagn*' },
  { intent: 'Pages published in February 2026', rule: 'acme AND publish_time:[2026-02-01 TO 2026-03-01}' },
  {
    intent: 'A subdomain, but not its tag and page-number listings',
    rule: 'domain:blog.example.com AND NOT url:*\\/tag\\/* AND NOT url:/.*\\/page\\/[0-9]+.*/',
  },
  { intent: 'One exact page', rule: 'url:"https://www.example.com/status"' },
  { intent: 'Everything from a site that is not in English', rule: 'domain:example.com AND NOT language:en' },
];

const PITFALLS: readonly string[] = [
  'Each rule has a flag quality (options.firehose.quality), on unless you say false: only pages published in the last 7 days, with no ? in the address, no page number (/page/2), no /tag/ and no /category/. Pages that are edited rather than published, such as pricing pages, need quality: false.',
  'A word without a field searches only in added, the new text. For the title too, write title:word OR added:word.',
  'A bare blank means OR: tesla recall finds every page with either word. Write tesla AND recall, or "tesla recall".',
  'Never mix AND and OR in one list without parentheses: a OR b AND c means b AND c. Write a OR (b AND c).',
  'Exclusions alone never match, also inside parentheses: NOT a, or x AND (NOT a). Write *:* AND NOT a, or x AND NOT a.',
  'Operators are upper case: and, or, not are ordinary words. So is TO in a range.',
  'A field covers one word or one group: title:electric vehicles searches vehicles in added. Write title:"electric vehicles" or title:(electric AND vehicles).',
  'A bare slash opens a regular expression. Quote URLs and labels, url:"https://…", page_category:"/News", or escape each slash in a wildcard, url:*\\/blog\\/*.',
  'A bare colon inside a value is an error: quote it or write \\:. Inside [ ] it is fine.',
  'Wildcards do not work in quotes: "electric veh*" looks for the word veh.',
  'Exact fields take one value: language:(en de) never matches; write language:(en OR de). Their case counts: language:en, not EN.',
  'Labels do not include what is below them: page_category:"/News" misses /News/Business_News. Add page_category:\\/News\\/*. POST /platforms/values lists all labels, with a prefix for those alike.',
  'A regular expression covers the whole value: url:/blog/ never matches; write url:/.*blog.*/. There is no ^ or $, and & # @ ~ < > " need a backslash.',
  'Possessives and names are words of their own: tesla does not find Tesla\'s, Tesla’s or tesla.com. Write (tesla OR "tesla\'s" OR "tesla’s"), with both apostrophes.',
  'A hyphenated or dotted name outside quotes may fall apart: wi-fi means wi OR fi. Quote it.',
  'Use straight quotes ("), not curly ones.',
  'recent takes h, d or mo (recent:24h, recent:7d, recent:1mo), is joined with AND, once, and cannot be negated. Pages without a publication time never match it.',
  'In JSON each backslash of a rule is doubled: the rule url:*\\/tag\\/* is sent as "url:*\\\\/tag\\\\/*".',
  'Stop words (a, an, and, are, as, at, be, but, by, for, if, in, into, is, it, no, not, of, on, or, such, that, the, their, then, there, these, they, this, to, was, will, with) are not searched for, except in title.',
];

const ofField = ({ name, syntax, description, example, kind }: Field): OperatorHelp => ({
  name: `${name}:`,
  syntax,
  description,
  example,
  standalone: true,
  negatable: kind !== 'filter',
});

/** The top-level labels. */
const topOf = (labels: ReadonlySet<string>): string =>
  [...labels].filter((label) => label.lastIndexOf('/') === 0).join(' ');

/** The essentials. A test limits its size, together with that of the other language. */
export const SHORT_HELP = `
firehose: changes of web pages, as Lucene queries. Join with AND, OR, NOT in capitals and put parentheses round each OR group: there is no precedence, and a bare blank means OR.
Fields: added: (new text; the default), removed:, title:, added_anchor: removed_anchor: (link texts) hold words. url: domain: language: page_type: page_category: publish_time: hold whole values, case and all. dr:[50 TO *]; recent:24h (h, d, mo; once, with AND).
Forms: word "a phrase" "two words"~3 word* w?rd word~1 [a TO b] /regex/
- Whole words, any case, no stems. tesla misses tesla's and tesla.com: (tesla OR "tesla's" OR "tesla’s"). Quote "wi-fi".
- A bare word is not looked for in the title: title:acme OR added:acme. A field takes one word or group: title:"a b", title:(a AND b).
- A slash opens a regex: quote "/News", escape url:*\\/blog\\/*. url: is the whole address; for a site use domain:site.org.
- Labels are exact: page_category:("/News" OR \\/News\\/*). POST /platforms/values lists them.
- Exclusions alone never match: *:* AND NOT a. Words like the, of, and are not searched.
- quality (on by default) keeps pages of the last 7 days, no ? in the address, no tag or numbered pages; set quality: false for pages that are edited.
Example: "electric vehicles" AND language:en AND page_type:"/Article/News_Update" AND recent:24h
`.trim();

export const firehoseHelp: SyntaxHelp = {
  platform: 'firehose',
  rule_type: 'regular',
  summary: SUMMARY,
  grammar: GRAMMAR,
  operators: [...FIELDS.map(ofField), ...OPERATORS],
  limits: {
    rule_length: LIMITS.length,
    rule_length_unit: 'UTF-16 units',
    clauses: LIMITS.clauses,
    nesting: LIMITS.depth,
    fuzzy_edits: LIMITS.edits,
    recent_per_rule: 1,
    language_codes: [...VALUES.language].join(' '),
    page_types: topOf(VALUES.page_type),
    page_categories: topOf(VALUES.page_category),
    values: 'POST /platforms/values lists all page types, categories and languages, with names',
  },
  examples: EXAMPLES,
  pitfalls: PITFALLS,
};
