/** Rewrites names, numbers, dates and values of other tools for each platform. */
import { LANGUAGE_NAMES } from '../x/mend-value.ts';
import { type Dialect, either, inQuotes, phrase, type Rewriting } from './habit.ts';

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

const sameNames = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, name]));

/** The counts that X has on its website and not in its stream. */
const UNCOUNTED =
  /^(?:min_)?(?:likes?|faves?|favou?rites?|retweets?|reposts?|replies|quotes?|views|impressions|engagements?|bookmarks?)(?:_count)?$/;

/** The operator for a name on each platform, when it is compared with a value. */
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
    ...sameNames(
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
    ...sameNames('recent added_anchor removed_anchor'),
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
export function numberOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,12})([km]?)$/i.exec(text.replaceAll(/(?<=\d)[,_](?=\d{3})/g, '')) ?? [];
  return digits === undefined ? undefined : Number(digits) * ({ '': 1, k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1);
}

export const clean = (value: string) => value.replace(/^["'“‘](.*)["'”’]$/s, '$1').trim();
export const plainName = (name: string) => name.toLowerCase().replace(/^(?:user|author|tweet|post|page|doc)\./, '');

export function count(
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

export function between(
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
  const [start, stop] = [from, to].map((text) =>
    text?.replace(/(?<=T[\d:]{1,9})(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?$/, ''),
  );
  const isValue = (text: string | undefined) =>
    text === undefined || (field === 'dr' ? /^\d{1,3}$/ : /^\d{4}(?:-\d\d){0,2}(?:T[\d:]*)?$/).test(text);
  if (!isValue(start) || !isValue(stop)) return undefined;
  const last = stop !== undefined && field === 'publish_time' && brackets.endsWith(']') ? endOf(stop) : stop;
  const text = `${field}:${brackets[0]}${start ?? '*'} TO ${last ?? '*'}${brackets[1]}`;
  const said = from === undefined ? `up to ${to}` : to === undefined ? `from ${from} on` : `from ${from} to ${to}`;
  const what = field === 'dr' ? 'pages of sites rated' : 'pages published';
  return { message: `A range says this: ${text}.`, text, meaning: `${what} ${said}` };
}

/** Times are compared as texts, so that a bare day as the last one would leave all of that day out. */
export const endOf = (date: string): string => (/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T23:59:59` : date);

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

export function compared(name: string, sign: Sign, value: string, dialect: Dialect): Rewriting | undefined {
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

export const OWN_COUNTS: ReadonlySet<string> = new Set(
  'followers_count following_count friends_count tweets_count statuses_count listed_count'.split(' '),
);
export const OWN: ReadonlySet<string> = new Set(['dr', 'publish_time']);

export const NAME = String.raw`([\p{L}@][\p{L}_.]{0,40})`;
export const VALUE = String.raw`("[^"]{1,100}"|'[^']{1,100}'|[^\s()"'<>=]{1,100})`;
export const signOf = (written: string): Sign => {
  const plain = written
    .replace(/^:\s?/, '')
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
export const FLAGS_SAID: Readonly<Record<string, string>> = {
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
