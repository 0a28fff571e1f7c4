/** Names of fields, filters and functions that other tools have. */
import { trimEnd } from '../../base/parse-url.ts';
import { endOf, equal, recentOf } from './conditions.ts';
import { type Dialect, type Habit, inQuotes, isExcludedAt, phrase, type Rewriting, urlHolding } from './habit.ts';

const VALUE = String.raw`("[^"]{1,200}"|“[^”]{1,200}”|[^\s()"]{1,100})`;
const clean = (value: string) => value.replace(/^["“'](.*)["”']$/s, '$1').trim();

const NOT_SAID: Readonly<Record<string, string>> = {
  sentiment: 'how a text feels',
  tone: 'how a text feels',
  gender: 'who wrote it in that way',
  authorgender: 'who wrote it in that way',
  reach: 'how many people saw it',
  engagement: 'how many people reacted',
  engagementtype: 'how people reacted',
  impressions: 'how many people saw it',
  score: 'how well it fits',
  influence: 'how known its author is',
};

/** Kinds of posts that are left out or wanted, as X's website and Brandwatch name them. */
const KINDS: Readonly<Record<string, string>> = {
  retweets: 'is:retweet',
  retweet: 'is:retweet',
  nativeretweets: 'is:retweet',
  reposts: 'is:retweet',
  repost: 'is:retweet',
  rt: 'is:retweet',
  rts: 'is:retweet',
  replies: 'is:reply',
  reply: 'is:reply',
  quotes: 'is:quote',
  quote: 'is:quote',
  links: 'has:links',
  media: 'has:media',
  images: 'has:images',
  videos: 'has:videos',
  hashtags: 'has:hashtags',
  mentions: 'has:mentions',
};

const DATE = /^\d{4}(?:-\d\d){0,2}$/;
const dateOf = (value: string) => value.replaceAll('/', '-');

/** When it was published: a stream has new posts only; pages say when. */
function time(name: string, value: string, { platform }: Dialect, isNot = false): Rewriting | undefined {
  if (platform === 'x')
    return {
      message: `A stream delivers only new posts, so there is no ${name}:; leave it out.`,
      text: '',
      meaning: 'new posts, as always',
    };
  const date = dateOf(value);
  if (DATE.test(date)) {
    const isFrom = /^(?:after|since|from_date|start|startdate|newer|newer_than)$/.test(name);
    const isTo = /^(?:enddate|to_date)$/.test(name);
    const text = `publish_time:${isFrom ? `[${date} TO *]` : `[* TO ${isTo ? endOf(date) : date}]`}`;
    const said = isFrom ? `from ${date} on` : `${isTo ? 'up to' : 'before'} ${date}`;
    return {
      message: `A range of publish_time says this: ${text}.`,
      text,
      meaning: `pages ${isNot ? 'not ' : ''}published ${said}`,
    };
  }
  const span = recentOf(value);
  if (span === undefined || /^(?:before|until|older|older_than|end|enddate|to_date)$/.test(name)) return undefined;
  if (isNot) return { message: 'recent: cannot be excluded; for older pages use a range on publish_time.' };
  return {
    message: `Write recent:${span} for pages of the last ${span}.`,
    text: `recent:${span}`,
    meaning: `pages of the last ${span}`,
    intent: 'habit',
  };
}

/** `headline(tesla)`: the field that a function names. */
const CALLS: Readonly<Record<string, readonly [x: string, firehose: string]>> = {
  headline: ['url_title', 'title'],
  title: ['url_title', 'title'],
  intitle: ['url_title', 'title'],
  hlead: ['', ''],
  lead: ['', ''],
  body: ['', ''],
  text: ['', ''],
  content: ['', ''],
  cs: ['', ''],
  caps: ['', ''],
  allcaps: ['', ''],
  nocaps: ['', ''],
  plural: ['', ''],
  singular: ['', ''],
  exact: ['', ''],
  phrase: ['', ''],
  atleast: ['', ''],
};

function called(name: string, inside: string, dialect: Dialect): Rewriting | undefined {
  const fields = CALLS[trimEnd(name, '0123456789')];
  if (fields === undefined || /[()]/.test(inside)) return undefined;
  const field = fields[dialect.platform === 'x' ? 0 : 1];
  // Words behind an unquoted value of X's would seem to belong to it.
  const isBare = field === '' || dialect.platform === 'firehose';
  const isPlain = /^[\p{L}\p{N}_]+$|^"[^"]+"$/u.test(inside);
  const words = isPlain
    ? isBare
      ? inside
      : inQuotes(inside.replaceAll('"', ''))
    : /\s(?:OR|AND|NOT)\s/.test(inside)
      ? undefined
      : inQuotes(inside.replaceAll('"', ''));
  if (words === undefined && field !== '' && dialect.platform === 'x') return undefined;
  const text = field === '' ? (words ?? `(${inside})`) : `${field}:${words ?? `(${inside})`}`;
  return {
    message: `${dialect.name} has no ${name}(…); write ${text}.`,
    text,
    meaning: `${dialect.events} with ${text}`,
  };
}

/** The operators for the places in which Google's `allin…:` looks, for each platform. */
const ALL_IN: Readonly<Record<string, readonly [x: string, firehose: string]>> = {
  title: ['url_title:', 'title:'],
  text: ['', ''],
  url: ['url_contains:', 'url'],
  anchor: ['', 'added_anchor:'],
};

/** A kind of posts as X says it. */
export const kind = (word: string, isNot: boolean): Rewriting | undefined => {
  const clause = KINDS[word.toLowerCase()];
  if (clause === undefined) return undefined;
  const text = isNot ? `-${clause}` : clause;
  return {
    message: `Write ${text}.`,
    text,
    meaning: `posts ${isNot ? 'without' : 'with'} ${clause}`,
    ...(isNot && { intent: { excludes: clause } }),
  };
};

export const NAMES: readonly Habit[] = [
  {
    name: 'exclude-kind',
    tools: "X's website, Brandwatch, chat models",
    meaning: 'posts of a kind are left out',
    examples: { x: 'volcano exclude:retweets' },
    hint: /(?:exclude|except|without|with|no|include|isnot|not|only)[:_]|is:(?:not|original|tweet|post)/i,
    pattern:
      /(-?)(exclude|excludes|except|without|with|no|not|isnot|only|include):\s*("[^"]{1,100}"|[\p{L}\p{N}_]{2,40})(?=[\s)]|$)/iuy,
    rewrite([, sign = '', name = '', value = ''], dialect) {
      const isNot = !/^(?:only|include|with)$/i.test(name) !== (sign === '-');
      const found = dialect.platform === 'x' ? kind(value, isNot) : undefined;
      if (found !== undefined || !isNot || !/^exc/i.test(name)) return found;
      const text = dialect.not(phrase(clean(value)));
      return {
        message: `Write ${text}.`,
        text,
        meaning: `${dialect.events} without ${value}`,
        intent: { excludes: phrase(clean(value)) },
      };
    },
  },
  {
    name: 'not-kind',
    tools: 'chat models',
    meaning: 'posts of a kind are left out',
    examples: { x: 'volcano is:not_retweet' },
    hint: /(?:is|has)[:_](?:not|non|no)[-_]/i,
    pattern: /(-?)(?:is|has)[:_](?:not|non|no)[-_]([a-z]{2,16})(?::true|=true)?(?=[\s)]|$)/iy,
    rewrite: ([, sign = '', word = ''], { platform }) => (platform === 'x' ? kind(word, sign === '') : undefined),
  },
  {
    name: 'original-posts',
    tools: 'chat models',
    meaning: 'posts that are no reposts',
    examples: { x: 'volcano is:original' },
    hint: /is:(?:original|tweet|post|status)/i,
    pattern: /(-?)is:(original|original_tweet|tweet|post|status)(?=[\s)]|$)/iy,
    rewrite([, sign = '', what = ''], { platform }) {
      if (platform !== 'x') return undefined;
      if (/^orig/i.test(what)) return kind('retweets', sign === '');
      if (sign !== '') return { message: `Every post is one, so -is:${what} leaves none.` };
      return { message: `Every post is one; leave is:${what} out.`, text: '', meaning: 'posts of every kind' };
    },
  },
  {
    name: 'sign-of-name',
    tools: 'Brandwatch, Talkwalker, chat models',
    meaning: 'an account, a tag or an emoji by the name of its field',
    examples: { x: 'emoji:🚀 launch' },
    hint: /(?:emoji|at_mentions?|mentions?|hashtags?|tag|links?|domain):/i,
    pattern: new RegExp(`(emojis?|at_?mentions?|mentions?|hashtags?|links?):${VALUE}`, 'iuy'),
    rewrite([, name = '', value = ''], { platform }) {
      if (platform !== 'x') return undefined;
      const plain = clean(value).replace(/^[@#]/, '');
      if (/^(?:true|false|yes|no)$/i.test(plain)) return undefined;
      const isLink = /^link/i.test(name);
      const isName = /^\w+$/.test(plain);
      if (!isLink && !/^emoji/i.test(name) && !isName && !/^[\p{L}\p{N}_]+$/u.test(plain)) return undefined;
      const text = isLink
        ? `url:${inQuotes(plain)}`
        : /^emoji/i.test(name)
          ? /\u200d|\ufe0f/.test(plain)
            ? inQuotes(plain)
            : plain
          : `${/^hash/i.test(name) ? '#' : '@'}${plain}`;
      return {
        message: `Write ${text}.`,
        text,
        meaning: `posts with ${isLink ? 'a link to ' : ''}${isLink ? plain : text}`,
      };
    },
  },
  {
    name: 'past',
    tools: "Google, X's website, Gmail, Kibana",
    meaning: 'when something was published',
    examples: { x: 'volcano after:2026-01-01', firehose: 'solar AND last:24h' },
    hint: /(?:after|before|since|until|last|past|newer|older|when|qdr|timeframe|time_range|period|date|recent|start|end|from_date|to_date|publish)\w{0,20}:/i,
    pattern: new RegExp(
      String.raw`(-|NOT\s+)?(after|before|since|until|last|past|newer|older|newer_than|older_than|when|qdr|timeframe|time_range|period|recent|startdate|enddate|from_date|to_date|date|published|published_at|publish_time):${VALUE}`,
      'iuy',
    ),
    rewrite([all, sign, written = '', value = ''], dialect, text) {
      const name = written.toLowerCase();
      // On pages the range behind the sign is read by itself, and stays excluded.
      if (dialect.platform === 'firehose' && sign !== undefined) return undefined;
      if (dialect.platform === 'x')
        return /^(?:since|until|recent)$/.test(name) && name !== 'recent'
          ? undefined
          : time(name, clean(value), dialect);
      if (name === 'recent' && /^\d{1,6}(?:h|d|mo)$/.test(clean(value))) return undefined;
      if (/^(?:date|publish)/.test(name) && !/^(?:today|yesterday|last|past)/i.test(clean(value))) return undefined;
      return time(name, clean(value), dialect, isExcludedAt(text, this.pattern.lastIndex - all.length));
    },
  },
  {
    name: 'path-of-address',
    tools: 'people',
    meaning: 'an address that holds this',
    examples: { firehose: 'tesla AND url:/pricing/' },
    hint: /url:\//,
    pattern: /url:(\/[\w-]+(?:\/[\w-]+){0,6}\/?)(?=[\s)]|$)/y,
    rewrite: ([, path = ''], { platform }) =>
      platform === 'x'
        ? undefined
        : {
            message: `Slashes make a pattern of what is between them; write ${urlHolding(path)}.`,
            text: urlHolding(path),
            meaning: `addresses that contain ${path}`,
          },
  },
  {
    name: 'exists',
    tools: 'Elasticsearch, Kibana, Splunk',
    meaning: 'a field that has something in it',
    examples: { x: 'volcano _exists_:media', firehose: '_exists_:title AND tesla' },
    hint: /_exists_|exists\(|_missing_/i,
    pattern: /(_missing_:|_exists_:|exists\()"?([a-z_]{2,30})"?\)?/iy,
    rewrite([, name = '', field = ''], { platform }) {
      if (/^_m/i.test(name)) {
        if (platform === 'x') return undefined;
        const clause = `${field.toLowerCase()}:*`;
        return {
          message: `Write NOT ${clause}.`,
          text: `NOT ${clause}`,
          meaning: `pages without a ${field}`,
          intent: { excludes: clause },
        };
      }
      if (platform === 'x') return KINDS[field.toLowerCase()]?.startsWith('has:') ? kind(field, false) : undefined;
      const text = `${field.toLowerCase()}:*`;
      return { message: `Write ${text}.`, text, meaning: `pages that have a ${field}` };
    },
  },
  {
    name: 'function',
    tools: 'LexisNexis, Cision',
    meaning: 'a field, a spelling or a count, around words',
    examples: { x: 'cs("NASA") moon', firehose: 'headline(tesla) AND recall' },
    hint: /[a-z]\d*\(/i,
    pattern: /([a-z]{2,10}\d{0,2})\(([^()]{1,200})\)/iy,
    rewrite: ([, name = '', inside = ''], dialect) => called(name.toLowerCase(), inside.trim(), dialect),
  },
  {
    name: 'all-in',
    tools: 'Google',
    meaning: 'all words that follow, in one field',
    examples: { x: 'allintitle: solar panel', firehose: 'allintitle: solar panel' },
    hint: /allin(?:title|text|url|anchor):/i,
    pattern: /allin(title|text|url|anchor):\s*([\p{L}\p{N}][\p{L}\p{N} .'-]{0,100}[\p{L}\p{N}])(?=\s*(?:$|\)))/iuy,
    rewrite([, place = '', list = ''], { platform, events }) {
      const [x, firehose] = ALL_IN[place.toLowerCase()]!;
      const field = platform === 'x' ? x : firehose;
      const words = list
        .split(/\s+/)
        .map((word) => (platform === 'firehose' && field === 'url' ? `url:*${word}*` : `${field}${word}`));
      const text = words.length === 1 ? words[0]! : `(${words.join(platform === 'x' ? ' ' : ' AND ')})`;
      return { message: `Write ${text}.`, text, meaning: `${events} with all of these: ${words.join(', ')}` };
    },
  },
  {
    name: 'blank-at-colon',
    tools: 'Kibana, people',
    meaning: 'a field and its value',
    examples: { x: 'volcano lang: en' },
    hint: /[\p{L}_]\s?:\s|\s:/u,
    pattern: /([\p{L}_]{2,30})(?:\s+:\s*|:\s+)("[^"]{1,200}"|[@#]?[^\s()":]{1,100})/uy,
    rewrite([, name = '', value = ''], dialect) {
      // Lucene itself allows blanks around the colon, and X once did behind entity:.
      if (dialect.platform === 'firehose' || name === 'entity') return undefined;
      const found = equal(name.toLowerCase(), [clean(value)], false, dialect);
      return found && { ...found, message: `A value follows its colon at once; write ${found.text}.` };
    },
  },
  {
    name: 'hash-blank',
    tools: 'phones',
    meaning: 'a tag or an account',
    examples: { x: '# etna' },
    hint: /[#@]\s/,
    pattern: /([#@])\s+([\p{L}\p{N}_]{1,50})(?=[\s)]|$)/uy,
    rewrite: ([, sign = '', name = ''], { platform }) =>
      platform === 'x'
        ? {
            message: `${sign} and its name stand together; write ${sign}${name}.`,
            text: `${sign}${name}`,
            meaning: `posts with ${sign}${name}`,
          }
        : undefined,
  },
  {
    name: 'list-of-tags',
    tools: 'people, spreadsheets',
    meaning: 'one of several tags or accounts',
    examples: { x: '$TSLA, $AAPL' },
    hint: /[#@$]\w+,\s*[#@$]/,
    pattern: /[#@$][\p{L}\p{N}_]{1,50}(?:,\s*[#@$][\p{L}\p{N}_]{1,50}){1,20}(?=[\s)]|$)/uy,
    rewrite([all], { platform }) {
      if (platform !== 'x') return undefined;
      const text = `(${all.split(/,\s*/).join(' OR ')})`;
      return { message: `OR joins alternatives; write ${text}.`, text, meaning: `posts with any of ${all}` };
    },
  },
  {
    name: 'list-of-values',
    tools: 'people, chat models',
    meaning: 'one of several values',
    examples: { x: 'from:nasa, spacex', firehose: 'domain:(a.com, b.com)' },
    hint: /:[([]?[^\s()":]{1,60},\s?/,
    pattern:
      /(from|to|domain|site|language|lang|title):(?:[([]([^()[\]]{1,300})[)\]]|([\w@.-]+(?:,\s+[\w@.-]+){1,20})(?=[\s)]|$))/iy,
    rewrite([, name = '', group, bare], dialect) {
      const list = group ?? bare ?? '';
      if (!list.includes(',') || /\b(?:OR|AND|NOT)\b/.test(list)) return undefined;
      return equal(name.toLowerCase(), list.split(',').map(clean), false, dialect);
    },
  },
  {
    name: 'dotted-field',
    tools: 'Elasticsearch, JSON, chat models',
    meaning: 'a field by its path',
    examples: { x: 'volcano user.lang:en', firehose: 'recall AND doc.title:tesla' },
    hint: /[a-z]\.[a-z_]+:|(?:tweet|post)_[a-z]+:/i,
    pattern: new RegExp(
      String.raw`(?:(?:tweet|post)[._]|(?:user|author|page|doc|data|_source)\.)?([a-z_]{2,30}?)(?:\.(?:keyword|raw|text|en))?:${VALUE}`,
      'iuy',
    ),
    rewrite([all, name = '', value = ''], dialect) {
      if (!/^[a-z_]+\.[a-z_]+:|^(?:tweet|post)_/i.test(all)) return undefined;
      return equal(name.toLowerCase(), [clean(value)], false, dialect);
    },
  },
  {
    name: 'kind-of-post',
    tools: 'X',
    meaning: 'posts of a kind are left out, which pages never are',
    examples: { firehose: 'tesla AND NOT is:retweet' },
    hint: /(?:is|has):[a-z]/i,
    pattern: /(?:-|(?:AND\s+)?NOT\s+)(is|has):[a-z_]{2,20}(?=[\s)]|$)/iy,
    rewrite: (_, { platform }) =>
      platform === 'x'
        ? undefined
        : {
            message: 'Pages are no posts, so there is nothing of this kind to exclude; leave it out.',
            text: '',
            meaning: 'pages, whatever else the rule asks',
            intent: 'habit',
          },
  },
  {
    name: 'not-said',
    tools: 'Meltwater, Brandwatch, Talkwalker, Sprinklr',
    meaning: 'what only those tools measure',
    examples: { x: 'volcano sentiment:negative', firehose: 'tesla AND sentiment:negative' },
    hint: /(?:sentiment|tone|gender|reach|engagement\w{0,20}|impressions|score|influence):/i,
    pattern: new RegExp(
      String.raw`(sentiment|tone|gender|authorgender|reach|engagement|engagementtype|impressions|score|influence):(?:${VALUE}|\[[^\]]{1,60}\])`,
      'iuy',
    ),
    rewrite([, name = ''], { name: platform, events }) {
      const what = NOT_SAID[name.toLowerCase()] ?? 'this';
      return {
        message: `${platform} cannot say ${what}, so there is no ${name}:; leave it out and sort what is delivered, or name words that such ${events} use.`,
      };
    },
  },
];
