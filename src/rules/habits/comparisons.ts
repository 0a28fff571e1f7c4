/** Conditions that other tools write with =, < and >, as lists, as ranges or as dates. */

import { urlWith } from '../firehose/exact-values.ts';
import { LANGUAGE_NAMES } from '../x/mend-value.ts';
import { type Dialect, either, type Habit, inQuotes, phrase, type Rewriting } from './habit.ts';

type Sign = '=' | '!=' | '>' | '>=' | '<' | '<=';

const COUNTS: Readonly<Record<string, string>> = {
  followers: 'followers_count',
  follower_count: 'followers_count',
  followers_count: 'followers_count',
  follower: 'followers_count',
  min_followers: 'followers_count',
  following: 'following_count',
  following_count: 'following_count',
  friends_count: 'following_count',
  friends: 'following_count',
  tweets_count: 'tweets_count',
  statuses_count: 'tweets_count',
  statuses: 'tweets_count',
  listed_count: 'listed_count',
};

const named = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, name]));

/** What X counts on its website and not in its stream. */
const UNCOUNTED =
  /^(?:min_)?(?:likes?|faves?|favou?rites?|retweets?|reposts?|replies|quotes?|views|impressions|engagements?|bookmarks?)(?:_count)?$/;

/** What a name is on each platform, for a value that it is compared with. */
const EXACT: Readonly<Record<Dialect['platform'], Readonly<Record<string, string>>>> = {
  x: {
    lang: 'lang',
    language: 'lang',
    country: 'place_country',
    place_country: 'place_country',
    from: 'from',
    author: 'from',
    user: 'from',
    username: 'from',
    'user.screen_name': 'from',
    screen_name: 'from',
    source: 'source',
    to: 'to',
    text: '',
    content: '',
    body: '',
    message: '',
    hashtag: '#',
    hashtags: '#',
    domain: 'url',
    site: 'url',
    url: 'url',
    is: 'is',
    has: 'has',
    ...named(
      'bio bio_name bio_location entity place url_title url_description url_contains conversation_id in_reply_to_tweet_id retweets_of sample',
    ),
    description: 'bio',
    location: 'bio_location',
  },
  firehose: {
    lang: 'language',
    language: 'language',
    domain: 'domain',
    site: 'domain',
    host: 'domain',
    hostname: 'domain',
    website: 'domain',
    source: 'domain',
    publisher: 'domain',
    title: 'title',
    headline: 'title',
    text: '',
    content: '',
    body: '',
    added: 'added',
    removed: 'removed',
    url: 'url',
    type: 'page_type',
    page_type: 'page_type',
    category: 'page_category',
    page_category: 'page_category',
    topic: 'page_category',
    ...named('recent added_anchor removed_anchor'),
  },
};

const TIMES = new Set([
  'publish_time',
  'date',
  'published',
  'published_at',
  'publish_date',
  'pub_date',
  'published_date',
  'created_at',
  'timestamp',
  'time',
  '@timestamp',
  'pubdate',
  'daterange',
]);
const RATINGS = new Set(['dr', 'domain_rating', 'rating', 'authority', 'domain_authority']);

/** `10k` is 10000. */
function numberOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,12})([km]?)$/i.exec(text.replaceAll(/(?<=\d)[,_](?=\d{3})/g, '')) ?? [];
  return digits === undefined ? undefined : Number(digits) * ({ '': 1, k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1);
}

const clean = (value: string) => value.replace(/^["'“‘](.*)["'”’]$/s, '$1').trim();
const plainName = (name: string) => name.toLowerCase().replace(/^(?:user|author|tweet|post|page|doc)\./, '');

function count(
  name: string,
  from: number | undefined,
  to: number | undefined,
  dialect: Dialect,
): Rewriting | undefined {
  const field = COUNTS[name];
  if (dialect.platform !== 'x' || field === undefined || (from === undefined && to === undefined)) return undefined;
  const text = to === undefined ? `${field}:${from}` : `${field}:${from ?? 0}..${to}`;
  const said = to === undefined ? `at least ${from}` : `from ${from ?? 0} to ${to}`;
  return { message: `Write ${text} (${said}).`, text, meaning: `posts by authors whose ${field} is ${said}` };
}

function between(
  name: string,
  from: string | undefined,
  to: string | undefined,
  brackets: string,
  dialect: Dialect,
): Rewriting | undefined {
  if (dialect.platform === 'x') {
    const [low, high] = [from, to].map((text) => (text === undefined ? undefined : numberOf(text)));
    return count(
      name,
      low === undefined ? undefined : low + Number(brackets.startsWith('{')),
      high === undefined ? undefined : high - Number(brackets.endsWith('}')),
      dialect,
    );
  }
  const field = TIMES.has(name) ? 'publish_time' : RATINGS.has(name) ? 'dr' : undefined;
  if (field === undefined) return undefined;
  const [start, stop] = [from, to].map((text) => text?.replace(/(?<=T[\d:]+)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/, ''));
  const isValue = (text: string | undefined) =>
    text === undefined || (field === 'dr' ? /^\d{1,3}$/ : /^\d{4}(?:-\d\d){0,2}(?:T[\d:]*)?$/).test(text);
  if (!isValue(start) || !isValue(stop)) return undefined;
  const text = `${field}:${brackets[0]}${start ?? '*'} TO ${stop ?? '*'}${brackets[1]}`;
  const said = from === undefined ? `up to ${to}` : to === undefined ? `from ${from} on` : `from ${from} to ${to}`;
  const what = field === 'dr' ? 'pages of sites rated' : 'pages published';
  return { message: `A range says this: ${text}.`, text, meaning: `${what} ${said}` };
}

const hostOf = (value: string): string =>
  value
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .toLowerCase();

/** `english` is `en`. */
const languageOf = (field: string, value: string): string =>
  field === 'lang' || field === 'language' ? (LANGUAGE_NAMES.get(value.toLowerCase()) ?? value) : value;

/** Fields of X whose unquoted value seems to go on with the next word. */
const OF_WORDS = /^(?:bio|bio_name|bio_location|entity|place|url_title|url_description)$/;

/** A value that a name is equal to. */
export function equal(
  name: string,
  values: readonly string[],
  isNot: boolean,
  dialect: Dialect,
): Rewriting | undefined {
  const field = EXACT[dialect.platform][name];
  if (field === undefined || values.some((value) => value === '' || /[%*]/.test(value))) return undefined;
  const clauses = values.map((value) => {
    if (field === '') return phrase(value);
    if (field === '#') return `#${value.replace(/^#/, '')}`;
    if (field === 'url' && dialect.platform === 'firehose') return `url:${inQuotes(value)}`;
    const isLabel = field.startsWith('page_') && dialect.platform === 'firehose';
    if (isLabel)
      return `${field}:${inQuotes(value.startsWith('/') ? value : `/${value.charAt(0).toUpperCase()}${value.slice(1)}`)}`;
    const plain =
      field === 'from' || field === 'to'
        ? value.replace(/^@/, '')
        : field === 'domain'
          ? hostOf(value)
          : languageOf(field, value);
    return `${field}:${/^[\w.-]+$/.test(plain) && !OF_WORDS.test(field) ? plain : inQuotes(plain)}`;
  });
  const said = isNot ? `no ${clauses.join(' and no ')}` : clauses.join(' or ');
  // Each value is excluded by itself.
  const text = isNot
    ? clauses.map((clause) => dialect.not(clause)).join(dialect.platform === 'x' ? ' ' : ' AND ')
    : either(clauses);
  return {
    message: `A value follows its name and a colon; write ${text}.`,
    text,
    meaning: `${dialect.events} with ${said}`,
    ...(isNot && clauses.length === 1 && { intent: { excludes: clauses[0]! } }),
    ...(isNot && clauses.length > 1 && { intent: 'habit' as const }),
  };
}

const HOURS: Readonly<Record<string, string>> = {
  h: 'h',
  hr: 'h',
  hrs: 'h',
  hour: 'h',
  hours: 'h',
  d: 'd',
  day: 'd',
  days: 'd',
  mo: 'mo',
  month: 'mo',
  months: 'mo',
};
const DAYS: Readonly<Record<string, number>> = { '': 1, w: 7, wk: 7, week: 7, weeks: 7, y: 365, year: 365, years: 365 };

/** `24h`, `7 days`, `2w`, `today`: a value of `recent:`. */
export function recentOf(value: string): string | undefined {
  const named = {
    today: '24h',
    yesterday: '2d',
    week: '7d',
    month: '1mo',
    hour: '1h',
    day: '24h',
    h: '1h',
    d: '24h',
    w: '7d',
    m: '1mo',
  }[value.toLowerCase()];
  if (named !== undefined) return named;
  const [, digits, unit = ''] = /^(?:now-|last[ _-]?|past[ _-]?|-)?(\d{1,4})\s?([a-z]*)$/i.exec(value) ?? [];
  if (digits === undefined || Number(digits) === 0) return undefined;
  const own = HOURS[unit.toLowerCase()];
  if (own !== undefined) return `${Number(digits)}${own}`;
  const days = DAYS[unit.toLowerCase()];
  return days === undefined ? undefined : `${Number(digits) * days}d`;
}

function compared(name: string, sign: Sign, value: string, dialect: Dialect): Rewriting | undefined {
  const number = numberOf(value);
  if (dialect.platform === 'x' && UNCOUNTED.test(name) && number !== undefined)
    return {
      message: `A post is new when the stream delivers it, so X cannot say ${name} there; leave it out and filter what is delivered.`,
    };
  if (name === 'recent' || (name === 'age' && sign.startsWith('<'))) {
    const span = dialect.platform === 'firehose' ? recentOf(value) : undefined;
    if (span === undefined) return undefined;
    return {
      message: `Write recent:${span} for pages of the last ${span}.`,
      text: `recent:${span}`,
      meaning: `pages of the last ${span}`,
      intent: 'habit',
    };
  }
  if (dialect.platform === 'x' && COUNTS[name] !== undefined) {
    if (number === undefined) return undefined;
    if (sign === '=' || sign === '>=') return count(name, number, undefined, dialect);
    if (sign === '>') return count(name, number + 1, undefined, dialect);
    return sign === '!=' ? undefined : count(name, undefined, sign === '<' ? number - 1 : number, dialect);
  }
  if (sign === '=' || sign === '!=') return equal(name, [value], sign === '!=', dialect);
  const [from, to] = sign.startsWith('>') ? [value, undefined] : [undefined, value];
  const brackets = `${sign === '>' ? '{' : '['}${sign === '<' ? '}' : ']'}`;
  return between(name, from, to, brackets, dialect);
}

const OWN_COUNTS: ReadonlySet<string> = new Set(
  'followers_count following_count friends_count tweets_count statuses_count listed_count'.split(' '),
);
const OWN: ReadonlySet<string> = new Set(['dr', 'publish_time']);

const NAME = String.raw`([\p{L}@][\p{L}_.]{0,40})`;
const VALUE = String.raw`("[^"]{1,100}"|'[^']{1,100}'|[^\s()"'<>=]{1,100})`;
const signOf = (written: string): Sign => {
  const plain = written
    .replace(/^:/, '')
    .replace('<>', '!=')
    .replace('=>', '>=')
    .replace('=<', '<=')
    .replace('≥', '>=')
    .replace('≤', '<=')
    .replace('≠', '!=')
    .replace('==', '=');
  return plain === '' ? '=' : (plain as Sign);
};

/** Kinds of posts that people name without is: or has:. */
const FLAGS: Readonly<Record<string, string>> = {
  verified: 'is:verified',
  retweet: 'is:retweet',
  retweeted: 'is:retweet',
  reply: 'is:reply',
  quote: 'is:quote',
  media: 'has:media',
  images: 'has:images',
  links: 'has:links',
  geo: 'has:geo',
};

export const COMPARISONS: readonly Habit[] = [
  {
    name: 'true-false',
    tools: 'SQL, JSON, chat models',
    meaning: 'that something is so, or is not',
    examples: { x: 'volcano is:retweet=false' },
    hint: /(?:true|false|0|1)\b/i,
    pattern: /(-?)(?:(is|has)[:_])?([a-z_]{2,20}?)\s*(?:==|=|:)\s*(true|false|yes|no)(?=[\s)]|$)/iy,
    rewrite([, sign = '', name = '', value = '', so = ''], dialect) {
      if (dialect.platform !== 'x') return undefined;
      const isNot = /^(?:false|no)$/i.test(so) !== (sign === '-');
      const plain = value.toLowerCase();
      const kind = name === '' ? FLAGS[plain] : `${name.toLowerCase()}:${plain}`;
      if (kind === undefined) return undefined;
      const clause = kind;
      const text = isNot ? `-${clause}` : clause;
      return {
        message: `Write ${text}.`,
        text,
        meaning: `posts that are ${isNot ? 'not ' : ''}${clause}`,
        ...(isNot && { intent: { excludes: clause } }),
      };
    },
  },
  {
    name: 'comparison',
    tools: 'SQL, Kibana, GitHub, chat models',
    meaning: 'a number, date or name that is compared',
    examples: { x: 'storm followers>=1000', firehose: 'tesla AND publish_time>=2026-01-01' },
    hint: /[=<>≥≤≠]/,
    pattern: new RegExp(String.raw`${NAME}\s?(:?(?:>=|<=|=>|=<|<>|!=|==|=|>|<|≥|≤|≠))\s?${VALUE}`, 'uy'),
    rewrite([, name = '', sign = '', value = ''], dialect) {
      // The checker knows signs behind its own names.
      if (dialect.platform === 'firehose' && sign.startsWith(':') && OWN.has(name)) return undefined;
      return compared(plainName(name), signOf(sign), clean(value), dialect);
    },
  },
  {
    name: 'range',
    tools: 'Lucene, Elasticsearch, GitHub',
    meaning: 'a number or date between two others',
    examples: { x: 'storm followers_count:[1000 TO 5000]', firehose: 'tesla AND date:[2026-01-01 TO 2026-02-01]' },
    hint: /[\]}]|\.\.|\sTO\s/,
    pattern: new RegExp(
      String.raw`${NAME}\s?[:=]\s?(?:([[{(])\s?"?([^\s"\]})]{1,30})"?\s+(?:TO|to|-)\s+"?([^\s"\]})]{1,30})"?\s?([\]})])|([\d-]{1,12})\.\.([\d-]{1,12}|\*))`,
      'uy',
    ),
    rewrite([, name = '', open = '[', first, last, close = ']', low, high], dialect) {
      const [from, to] = [first ?? low, last ?? high].map((text) => (text === '*' ? undefined : text));
      const plain = plainName(name);
      // What the platform itself writes so is no habit.
      if (dialect.platform === 'firehose' && OWN.has(plain) && low === undefined && open !== '(') return undefined;
      if (dialect.platform === 'x' && low !== undefined && OWN_COUNTS.has(plain)) return undefined;
      return between(plain, from, to, `${open}${close}`.replace('(', '[').replace(')', ']'), dialect);
    },
  },
  {
    name: 'at-least',
    tools: 'people, chat models',
    meaning: 'a number or more',
    examples: { x: 'storm followers:1k+' },
    hint: /:\d[\d,.]*[km]?\+?(?:\s|$|\))/i,
    pattern: new RegExp(String.raw`${NAME}:(\d[\d,.]{0,12}[km]?)\+?(?=[\s)]|$)`, 'iuy'),
    rewrite([all, name = '', value = ''], dialect) {
      const plain = plainName(name);
      const isOwn = OWN_COUNTS.has(plain) && /:\d+$/.test(all);
      return isOwn || plain === 'min_followers' ? undefined : count(plain, numberOf(value), undefined, dialect);
    },
  },
  {
    name: 'said-value',
    tools: 'plain English, chat models',
    meaning: 'a field and its value',
    examples: { x: 'volcano lang is "en"', firehose: 'recall AND language is "en"' },
    hint: /\s(?:is|equals|eq)\s(?:not\s)?["']/i,
    pattern: new RegExp(String.raw`${NAME}\s+(?:is|equals|eq)\s+(not\s+)?("[^"]{1,100}"|'[^']{1,100}')`, 'iuy'),
    rewrite: ([, name = '', not, value = ''], dialect) =>
      equal(plainName(name), [clean(value)], not !== undefined, dialect),
  },
  {
    name: 'json-pair',
    tools: 'JSON',
    meaning: 'a field and its value',
    examples: { x: 'volcano "lang": "en"', firehose: '"title": "tesla"' },
    hint: /"\s?:\s?"/,
    pattern: /"([a-z_.]{2,30})"\s?:\s?"([^"]{1,100})"/iy,
    rewrite: ([, name = '', value = ''], dialect) => equal(plainName(name), [value], false, dialect),
  },
  {
    name: 'between',
    tools: 'SQL',
    meaning: 'a number or date between two others',
    examples: {
      x: 'storm followers BETWEEN 1000 AND 5000',
      firehose: "tesla AND publish_time BETWEEN '2026-01-01' AND '2026-02-01'",
    },
    hint: /BETWEEN/i,
    pattern: new RegExp(String.raw`${NAME}\s+BETWEEN\s+${VALUE}\s+AND\s+${VALUE}`, 'uyi'),
    rewrite: ([, name = '', from = '', to = ''], dialect) =>
      between(plainName(name), clean(from), clean(to), '[]', dialect),
  },
  {
    name: 'in-list',
    tools: 'SQL',
    meaning: 'one of several values',
    examples: { x: "volcano lang IN ('en', 'de')", firehose: "tesla AND language IN ('en', 'de')" },
    hint: /\sIN\s?\(/i,
    pattern: new RegExp(String.raw`${NAME}\s+(NOT\s+)?IN\s?\(([^()]{1,300})\)`, 'uyi'),
    rewrite: ([, name = '', not, list = ''], dialect) =>
      equal(
        plainName(name),
        list.split(/[,;]/).map((value) => clean(value.trim())),
        not !== undefined,
        dialect,
      ),
  },
  {
    name: 'like',
    tools: 'SQL',
    meaning: 'a text that holds this',
    examples: { x: "text LIKE '%tesla%'", firehose: "title LIKE '%tesla%'" },
    hint: /\b(?:LIKE|CONTAINS|MATCHES)\b|\.contains|contains\(|\s=?~\s?["'/]/i,
    pattern: new RegExp(
      String.raw`(?:${NAME}(?:\s+(NOT\s+)?(?:I?LIKE|CONTAINS|MATCHES|CONTAINS_ANY)\s+|\s=?~\*?\s?|\.contains\()|contains\(${NAME}\s?,\s?)["'“/]%?([^%"'”/]{1,100})%?["'”/]\)?`,
      'uyi',
    ),
    rewrite([, before, not, inside, words = ''], dialect) {
      const name = plainName(before ?? inside ?? '');
      if (name === 'url' || name === 'link') {
        const clause = dialect.platform === 'x' ? `url_contains:${inQuotes(words)}` : urlWith(words);
        const text = not === undefined ? clause : dialect.not(clause);
        return {
          message: `Write ${text}.`,
          text,
          meaning: `${dialect.events} with ${not === undefined ? 'a' : 'no'} link that contains ${words}`,
          ...(not !== undefined && { intent: { excludes: clause } }),
        };
      }
      return equal(name, [words.trim()], not !== undefined, dialect);
    },
  },
];
