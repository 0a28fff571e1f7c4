/**
 * The one table of the x language's clauses. The lexer and the parser know no operator by name, the checker and
 * the lowering read the columns, and the help is printed from it, so the three cannot disagree.
 */
import type { OperatorHelp } from '../language.ts';

/** Posts show no value of the field at all, or numeric ids alone. */
type Delivered = 'nothing' | 'ids';

/** The kinds of value after an operator's colon; `values.ts` reads each. */
export type ValueKind =
  | 'user'
  | 'id'
  | 'count'
  | 'minimum'
  | 'text'
  | 'name'
  | 'url'
  | 'substring'
  | 'choice'
  | 'language'
  | 'country'
  | 'place'
  | 'context'
  | 'circle'
  | 'box'
  | 'sample'
  | 'meaning'
  | 'threshold';

export interface Operator {
  readonly name: string;
  /** Other spellings that X accepts; the canonical form uses `name`. */
  readonly aliases?: readonly string[];
  readonly value: ValueKind;
  /** The field of the query; the name itself when absent. */
  readonly field?: string;
  readonly choices?: readonly Choice[];
  /** Whether a rule may consist of this alone. The others need a standalone clause beside them. */
  readonly standalone: boolean;
  readonly negatable: boolean;
  /** The name of a property of which a post has only one value: two different ones joined by AND never match. */
  readonly single?: string;
  /** Present where X's posts do not show every value of the field: X alone can say whether such a rule matched. */
  readonly delivered?: Delivered;
  /** Only with X's embedding tier. */
  readonly embedding?: true;
  readonly syntax: string;
  readonly description: string;
  readonly example: string;
}

/** A value of `has:` or `is:`. Each has its own line in the help. */
export interface Choice {
  readonly value: string;
  readonly aliases?: readonly string[];
  readonly onlyNegated?: true;
  readonly description: string;
  readonly example: string;
}

/** Clauses that are not `name:value`. */
export const PLAIN_CLAUSES: readonly OperatorHelp[] = [
  {
    name: 'keyword',
    syntax: 'word',
    description:
      'The post holds this word, upper or lower case alike, accents exactly as written. Whole words only: no stems, prefixes or wildcards. The words of hashtags, mentions and expanded links count too, so volcano finds #volcano but not #volcanoes.',
    example: 'volcano',
    standalone: true,
    negatable: true,
  },
  {
    name: 'emoji',
    syntax: '🌋',
    description:
      'The post holds this emoji, blanks around it or not. One with a variation selector or joiner (❤️, 👩‍🚀) must be quoted.',
    example: '🌋 iceland',
    standalone: true,
    negatable: true,
  },
  {
    name: 'phrase',
    syntax: '"word word"',
    description:
      'These words in this order, written exactly so: punctuation and blanks count, upper or lower case does not. Also the way to look for anything that holds punctuation. A quote inside is \\".',
    example: '"lava flow"',
    standalone: true,
    negatable: true,
  },
  {
    name: 'proximity',
    syntax: '"word word"~N',
    description:
      'These words with at most N other words between them, N from 1 to 6; in reversed order at most N-2. No blank before ~.',
    example: '"eruption iceland"~4',
    standalone: true,
    negatable: true,
  },
  {
    name: 'hashtag',
    syntax: '#tag',
    description: 'The post has exactly this hashtag; never a prefix of a longer one. Letters, digits and _ only.',
    example: '#etna',
    standalone: true,
    negatable: true,
  },
  {
    name: 'mention',
    syntax: '@username',
    description: 'The post mentions this account (username or numeric id).',
    example: '@usgs',
    standalone: true,
    negatable: true,
  },
  {
    name: 'cashtag',
    syntax: '$TICKER',
    description: 'The post has this cashtag: letters, with an optional suffix such as .A; no digits.',
    example: '$nvda',
    standalone: true,
    negatable: true,
  },
];

export const OPERATORS: readonly Operator[] = [
  {
    name: 'entity',
    value: 'name',
    standalone: true,
    negatable: true,
    syntax: 'entity:"name"',
    description: 'X recognised this person, place, product or organisation in the post, by its full name.',
    example: 'entity:"Mount Etna"',
  },
  {
    name: 'context',
    value: 'context',
    standalone: true,
    negatable: true,
    syntax: 'context:DOMAIN.ENTITY',
    description: 'X put the post into this topic, by the ids of its domain and entity; * may stand for one of the two.',
    example: 'context:11.*',
  },
  {
    name: 'from',
    value: 'user',
    single: 'author',
    standalone: true,
    negatable: true,
    syntax: 'from:username',
    description: 'Written by this account (username without @, or numeric id). A repost is by whoever reposted it.',
    example: 'from:usgs',
  },
  {
    name: 'to',
    value: 'user',
    single: 'account that it replies to',
    standalone: true,
    negatable: true,
    syntax: 'to:username',
    description: 'A reply to a post of this account. Being mentioned is not enough; that is @username.',
    example: 'to:usgs',
  },
  {
    name: 'retweets_of',
    aliases: ['retweets_of_user'],
    value: 'user',
    single: 'reposted author',
    standalone: true,
    negatable: true,
    syntax: 'retweets_of:username',
    description: 'A repost of a post by this account.',
    example: 'retweets_of:usgs',
  },
  {
    name: 'from_affiliate_of',
    value: 'user',
    delivered: 'ids',
    standalone: true,
    negatable: true,
    syntax: 'from_affiliate_of:username',
    description: 'Written by an account that is affiliated with this organisation.',
    example: 'from_affiliate_of:nasa',
  },
  {
    name: 'to_affiliate_of',
    value: 'user',
    delivered: 'ids',
    standalone: true,
    negatable: true,
    syntax: 'to_affiliate_of:username',
    description: 'A reply to an account that is affiliated with this organisation.',
    example: 'to_affiliate_of:nasa',
  },
  {
    name: 'bio',
    aliases: ['user_bio'],
    value: 'text',
    standalone: true,
    negatable: true,
    syntax: 'bio:word or bio:"several words"',
    description: "A word or phrase in the author's profile description.",
    example: 'bio:geologist',
  },
  {
    name: 'bio_name',
    value: 'text',
    standalone: true,
    negatable: true,
    syntax: 'bio_name:word',
    description: "A word in the author's display name.",
    example: 'bio_name:volcano',
  },
  {
    name: 'bio_location',
    aliases: ['user_bio_location'],
    value: 'text',
    standalone: true,
    negatable: true,
    syntax: 'bio_location:word or bio_location:"several words"',
    description:
      'A word or phrase in the location that authors give in their profile (free text, not where the post was made).',
    example: 'bio_location:reykjavik',
  },
  {
    name: 'followers_count',
    value: 'count',
    standalone: true,
    negatable: true,
    syntax: 'followers_count:N or followers_count:A..B',
    description: 'The author has at least N followers, or between A and B, both included.',
    example: 'followers_count:250..300',
  },
  {
    name: 'min_followers',
    field: 'followers_count',
    value: 'minimum',
    standalone: true,
    negatable: true,
    syntax: 'min_followers:N',
    description: 'The author has at least N followers.',
    example: 'min_followers:2500',
  },
  {
    name: 'tweets_count',
    aliases: ['statuses_count'],
    value: 'count',
    standalone: true,
    negatable: true,
    syntax: 'tweets_count:N or tweets_count:A..B',
    description: 'The author has written at least N posts, or between A and B.',
    example: 'tweets_count:40',
  },
  {
    name: 'following_count',
    aliases: ['friends_count'],
    value: 'count',
    standalone: true,
    negatable: true,
    syntax: 'following_count:N or following_count:A..B',
    description: 'The author follows at least N accounts, or between A and B.',
    example: 'following_count:10..20',
  },
  {
    name: 'listed_count',
    aliases: ['user_in_lists_count'],
    value: 'count',
    standalone: true,
    negatable: true,
    syntax: 'listed_count:N or listed_count:A..B',
    description: 'The author is on at least N lists, or on between A and B.',
    example: 'listed_count:5',
  },
  {
    name: 'url',
    value: 'url',
    standalone: true,
    negatable: true,
    syntax: 'url:word or url:"address or part of one"',
    description:
      'A link of the post holds these words next to each other; the address is cut at its punctuation. Quote anything that has punctuation, a full address included.',
    example: 'url:"example.org/earthquakes"',
  },
  {
    name: 'url_title',
    aliases: ['within_url_title'],
    value: 'text',
    standalone: true,
    negatable: true,
    syntax: 'url_title:word or url_title:"several words"',
    description: 'A word or phrase in the title of a linked page.',
    example: 'url_title:magma',
  },
  {
    name: 'url_description',
    aliases: ['within_url_description'],
    value: 'text',
    standalone: true,
    negatable: true,
    syntax: 'url_description:word or url_description:"several words"',
    description: 'A word or phrase in the description of a linked page.',
    example: 'url_description:"ash cloud"',
  },
  {
    name: 'url_contains',
    field: 'url',
    value: 'substring',
    standalone: true,
    negatable: true,
    syntax: 'url_contains:text',
    description: 'A link of the post contains this text anywhere, inside a word too.',
    example: 'url_contains:quake',
  },
  {
    name: 'conversation_id',
    value: 'id',
    single: 'conversation',
    standalone: true,
    negatable: true,
    syntax: 'conversation_id:ID',
    description: 'Anywhere in the thread that began with this post.',
    example: 'conversation_id:1700000000000000001',
  },
  {
    name: 'in_reply_to_tweet_id',
    aliases: ['in_reply_to_status_id'],
    value: 'id',
    single: 'post that it replies to',
    standalone: true,
    negatable: true,
    syntax: 'in_reply_to_tweet_id:ID',
    description: 'A direct reply to this post.',
    example: 'in_reply_to_tweet_id:1700000000000000001',
  },
  {
    name: 'retweets_of_tweet_id',
    aliases: ['retweets_of_status_id'],
    value: 'id',
    single: 'post that it reposts',
    standalone: true,
    negatable: true,
    syntax: 'retweets_of_tweet_id:ID',
    description: 'A repost of this post.',
    example: 'retweets_of_tweet_id:1700000000000000001',
  },
  {
    name: 'place',
    value: 'place',
    standalone: true,
    negatable: true,
    syntax: 'place:name or place:"several words" or place:ID',
    description: 'The post is tagged with this place, by words of its name or by its id. Few posts carry a place.',
    example: 'place:"new york city"',
  },
  {
    name: 'place_country',
    value: 'country',
    single: 'country',
    standalone: true,
    negatable: true,
    syntax: 'place_country:XX',
    description: 'The tagged place is in this country, by its two-letter ISO code.',
    example: 'place_country:IS',
  },
  {
    name: 'point_radius',
    value: 'circle',
    standalone: true,
    negatable: true,
    syntax: 'point_radius:[LONGITUDE LATITUDE RADIUS]',
    description:
      'Posted inside this circle. Longitude first, blanks and no commas, radius with mi or km right after the number and under 25mi (40.2km).',
    example: 'point_radius:[-21.94 64.14 12km]',
  },
  {
    name: 'bounding_box',
    aliases: ['geo_bounding_box'],
    value: 'box',
    standalone: true,
    negatable: true,
    syntax: 'bounding_box:[WEST SOUTH EAST NORTH]',
    description:
      'Posted inside this box of less than 25mi (40.2km) in width and height. Degrees, blanks and no commas.',
    example: 'bounding_box:[-0.20 51.45 -0.05 51.55]',
  },
  {
    name: 'is',
    value: 'choice',
    standalone: false,
    negatable: true,
    syntax: 'is:kind',
    description: 'What kind of post it is.',
    example: 'lava -is:retweet',
    choices: [
      {
        value: 'retweet',
        description: 'A repost made with the button. Quotes are not reposts.',
        example: 'lava -is:retweet',
      },
      { value: 'reply', description: 'A reply, or a quote or repost of one.', example: 'lava is:reply' },
      { value: 'quote', description: 'Quotes another post.', example: 'lava is:quote' },
      { value: 'verified', description: 'The author is verified.', example: 'lava is:verified' },
      {
        value: 'nullcast',
        onlyNegated: true,
        description: 'Drops posts that exist only as advertisements. Must be negated.',
        example: 'lava -is:nullcast',
      },
    ],
  },
  {
    name: 'has',
    value: 'choice',
    standalone: false,
    negatable: true,
    syntax: 'has:thing',
    description: 'What the post carries.',
    example: 'lava has:images',
    choices: [
      { value: 'hashtags', description: 'At least one hashtag.', example: 'lava has:hashtags' },
      { value: 'cashtags', description: 'At least one cashtag.', example: 'mining has:cashtags' },
      { value: 'links', description: 'At least one link; attached media count.', example: 'lava has:links' },
      { value: 'mentions', description: 'At least one mention.', example: 'lava has:mentions' },
      {
        value: 'media',
        aliases: ['media_link'],
        description: "A photo, GIF or video of X's own; links elsewhere do not count.",
        example: 'lava has:media',
      },
      { value: 'images', description: "A photo of X's own.", example: 'lava has:images' },
      {
        value: 'video_link',
        aliases: ['videos'],
        description: "A video of X's own; has:videos means the same.",
        example: 'lava has:video_link',
      },
      { value: 'geo', description: 'A place or coordinates.', example: 'lava has:geo' },
    ],
  },
  {
    name: 'lang',
    value: 'language',
    single: 'language',
    standalone: false,
    negatable: true,
    syntax: 'lang:code',
    description: "The post's language as X judged it, for instance en, ja, zh-CN; iw is Hebrew, in is Indonesian.",
    example: 'lava lang:is',
  },
  {
    name: 'source',
    value: 'name',
    // X filters by the posting app, but no longer promises that posts name it.
    delivered: 'nothing',
    single: 'source',
    standalone: false,
    negatable: true,
    syntax: 'source:"app name"',
    description: 'Posted with this app, by its full name or address.',
    example: 'lava source:"Example App"',
  },
  {
    name: 'sample',
    value: 'sample',
    single: 'sample',
    standalone: false,
    negatable: false,
    syntax: 'sample:N',
    description:
      'Only this share of what would match, in percent, 1 to 100; always the same posts. Covers the whole rule, so ORs beside it go in parentheses.',
    example: '(lava OR magma) sample:20',
  },
  {
    name: 'embedding',
    value: 'meaning',
    embedding: true,
    standalone: true,
    negatable: false,
    syntax: 'embedding:"what it is about"',
    description:
      'The post is close in meaning to this text. Only with X, at the embedding tier; never on a local platform.',
    example: 'embedding:"volcanic hazard warnings"',
  },
  {
    name: 'embedding_threshold',
    value: 'threshold',
    embedding: true,
    standalone: false,
    negatable: false,
    syntax: 'embedding_threshold:0.N',
    description: 'How close the embedding: beside it must be, from 0.0 to 1.0; 0.3 when absent.',
    example: 'embedding:"ash clouds" embedding_threshold:0.5',
  },
];

/** By every spelling, in lower case. */
export const OPERATOR_BY_NAME: ReadonlyMap<string, Operator> = new Map(
  OPERATORS.flatMap((operator) => [operator.name, ...(operator.aliases ?? [])].map((name) => [name, operator])),
);

/** Operators of X's search, of its website and of PowerTrack: known by name, but not available in the stream. */
export const ELSEWHERE: ReadonlySet<string> = new Set(
  (
    'list quotes_of_tweet_id min_likes min_replies min_reposts contains profile_country profile_region profile_locality ' +
    'profile_subregion profile_point_radius profile_bounding_box since until since_id max_id min_faves min_retweets filter ' +
    'near within community_id'
  ).split(' '),
);

/** Names that people write instead, from X's website and other search languages; also for `has` and `is` values. */
export const MEANT: ReadonlyMap<string, string> = new Map([
  ['author', 'from:'],
  ['from_user', 'from:'],
  ['account', 'from:'],
  ['text', ''],
  ['keyword', ''],
  ['contains', ''],
  ['content', ''],
  ['body', ''],
  ['tweet', ''],
  ['post', ''],
  ['user', 'from:'],
  ['username', 'from:'],
  ['screen_name', 'from:'],
  ['conversation', 'conversation_id:'],
  ['by', 'from:'],
  ['reply_to', 'to:'],
  ['in_reply_to', 'to:'],
  ['hashtag', '#'],
  ['hashtags', '#'],
  ['tag', '#'],
  ['mention', '@'],
  ['mentions', '@'],
  ['cashtag', '$'],
  ['symbol', '$'],
  ['language', 'lang:'],
  ['country', 'place_country:'],
  ['near', 'place:'],
  ['location', 'bio_location:'],
  ['title', 'url_title:'],
  ['description', 'url_description:'],
  ['domain', 'url:'],
  ['site', 'url:'],
  ['link', 'url:'],
  ['inurl', 'url_contains:'],
  ['retweet_of', 'retweets_of:'],
  ['rt_of', 'retweets_of:'],
  ['followers', 'followers_count:'],
  ['filter:links', 'has:links'],
  ['filter:media', 'has:media'],
  ['filter:images', 'has:images'],
  ['filter:videos', 'has:videos'],
  ['filter:retweets', 'is:retweet'],
  ['filter:nativeretweets', 'is:retweet'],
  ['filter:replies', 'is:reply'],
  ['filter:quote', 'is:quote'],
  ['filter:verified', 'is:verified'],
  ['has:symbols', 'has:cashtags'],
  ['has:image', 'has:images'],
  ['has:photo', 'has:images'],
  ['has:photos', 'has:images'],
  ['has:video', 'has:videos'],
  ['has:url', 'has:links'],
  ['has:urls', 'has:links'],
  ['is:rt', 'is:retweet'],
  ['is:retweets', 'is:retweet'],
  ['is:reposts', 'is:retweet'],
  ['is:replies', 'is:reply'],
  ['is:quotes', 'is:quote'],
  ['is:blue', 'is:verified'],
  ['is:repost', 'is:retweet'],
  ['is:blue_verified', 'is:verified'],
]);

/** Words too common to match by; a rule needs a clause that is none of them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and at but by com from http https if in is it its me or rt the this to too via we www you'.split(' '),
);

/** The codes that X gives to posts, past and present, with those for posts without a language of their own. */
export const LANGUAGES: ReadonlyMap<string, string> = new Map(
  (
    'am ar hy eu bn bg ca hr cs da nl en et fi fr de ka el gu iw hi hu in it ja kn ko lv lt ml mr no fa pl pt ro ru sr ' +
    'zh-CN sk sl es sv ta te th zh-TW tr uk ur vi bs my ht hi-Latn is km lo dv ne or pa ps sd si ckb tl bo ug cy ' +
    'und zh qam qct qht qme qst zxx'
  )
    .split(' ')
    .map((code) => [code.toLowerCase(), code]),
);

/** Codes used elsewhere for languages that have another code on X. */
export const LANGUAGE_MEANT: ReadonlyMap<string, string> = new Map([
  ['he', 'iw'],
  ['id', 'in'],
  ['jp', 'ja'],
  ['kr', 'ko'],
  ['cn', 'zh-CN'],
  ['gr', 'el'],
  ['cz', 'cs'],
  ['se', 'sv'],
  ['dk', 'da'],
  ['ua', 'uk'],
  ['nb', 'no'],
  ['fil', 'tl'],
  ['eng', 'en'],
  ['spa', 'es'],
  ['fra', 'fr'],
  ['deu', 'de'],
  ['ger', 'de'],
  ['ita', 'it'],
  ['jpn', 'ja'],
]);
