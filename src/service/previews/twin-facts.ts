/** Gives a made post or page what a rule asks for beside words: media, places, authors, counts, kinds, labels. */
import { recordIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import type { Bound } from '../../rules/query.ts';
import type { AskedFact } from '../../rules/translate-samples.ts';

type Values = Readonly<Record<string, unknown>>;

/** The parts of a post that one fact adds. */
interface PostParts {
  readonly data?: Values;
  readonly author?: Values;
  readonly addressee?: Values;
  readonly original?: Values;
  readonly originalAuthor?: Values;
  readonly organisation?: Values;
  readonly place?: Values;
  readonly metrics?: Values;
}

const [AUTHOR, ADDRESSEE, ORIGINAL, ORIGINAL_AUTHOR, PLACE, ORGANISATION] = ['11', '12', '13', '14', '15', '16'];

const MEDIA: Readonly<Record<string, string>> = { images: '3_1', media: '3_1', video_link: '7_1' };
const REFERENCES: Readonly<Record<string, string>> = { retweet: 'retweeted', quote: 'quoted', reply: 'replied_to' };
const METRICS: Readonly<Record<string, string>> = { tweets_count: 'tweet_count' };

export function postWith(post: Payload, facts: readonly AskedFact[]): Payload {
  if (facts.length === 0) return post;
  const parts = facts.map(partsOf);
  const merged = (name: keyof PostParts): Values => Object.assign({}, ...parts.map((part) => part[name]));
  const organisation = { id: ORGANISATION, username: 'company', ...merged('organisation') };
  const affiliation = { user_id: [organisation.id] };
  const author = {
    id: AUTHOR,
    username: 'someone',
    public_metrics: merged('metrics'),
    affiliation,
    ...merged('author'),
  };
  const addressee = { id: ADDRESSEE, username: 'somebody', affiliation, ...merged('addressee') };
  const originalAuthor = { id: ORIGINAL_AUTHOR, username: 'another', ...merged('originalAuthor') };
  return {
    ...post,
    data: { ...recordIn(post['data']), author_id: author.id, ...merged('data') },
    includes: {
      users: [author, addressee, originalAuthor, organisation],
      tweets: [{ id: ORIGINAL, text: '', author_id: originalAuthor.id, ...merged('original') }],
      places: [{ id: PLACE, ...merged('place') }],
    },
  };
}

/** It stands where any value will do. */
const ANYTHING = 'a';

const isId = (text: string): boolean => /^\d+$/.test(text);
const person = (text: string): Values => (isId(text) ? { id: text } : { username: text });

function partsOf({ predicate, text }: AskedFact): PostParts {
  switch (predicate.kind) {
    case 'number':
      return { metrics: { [METRICS[predicate.field] ?? predicate.field]: within(predicate) } };
    case 'circle':
      return placed([predicate.longitude, predicate.latitude]);
    case 'box':
      return placed([(predicate.west + predicate.east) / 2, (predicate.south + predicate.north) / 2]);
    default:
      return 'field' in predicate ? (PARTS[predicate.field]?.(text || ANYTHING) ?? {}) : {};
  }
}

const placed = (coordinates: readonly number[]): PostParts => ({
  data: { geo: { place_id: PLACE, coordinates: { type: 'Point', coordinates } } },
});
const located = (place: Values): PostParts => ({ data: { geo: { place_id: PLACE } }, place });
const referring = (type: string, id = ORIGINAL): PostParts => ({
  data: { referenced_tweets: [{ type, id }] },
  original: { id },
});

/** How a post satisfies a value of each field. */
const PARTS: Readonly<Record<string, (text: string) => PostParts>> = {
  has: (text) => {
    if (text === 'geo') return located({});
    return text in MEDIA ? { data: { attachments: { media_keys: [MEDIA[text]] } } } : {};
  },
  is: (text) => {
    if (text === 'verified') return { author: { verified: true } };
    return text in REFERENCES ? referring(REFERENCES[text]!) : {};
  },
  from: (text) => ({ author: person(text) }),
  to: (text) => ({ addressee: person(text), data: { in_reply_to_user_id: isId(text) ? text : ADDRESSEE } }),
  from_affiliate_of: (text) => ({ organisation: person(text) }),
  to_affiliate_of: (text) => ({ organisation: person(text), data: { in_reply_to_user_id: ADDRESSEE } }),
  url_description: (text) => ({
    data: { entities: { urls: [{ expanded_url: 'https://a.test/x', description: text }] } },
  }),
  retweets_of: (text) => ({ ...referring('retweeted'), originalAuthor: person(text) }),
  retweets_of_tweet_id: (text) => referring('retweeted', text),
  in_reply_to_tweet_id: (text) => referring('replied_to', text),
  bio: (text) => ({ author: { description: text } }),
  bio_name: (text) => ({ author: { name: text } }),
  bio_location: (text) => ({ author: { location: text } }),
  place: (text) => located({ full_name: text }),
  place_country: (text) => located({ country_code: text }),
  place_id: (text) => ({ data: { geo: { place_id: text } } }),
  entity: (text) => ({ data: { context_annotations: [{ entity: { name: text } }] } }),
  context: (text) => {
    const [domain, entity] = text.split('.').map((part) => (part === '*' ? '1' : part));
    return { data: { context_annotations: [{ domain: { id: domain }, entity: { id: entity } }] } };
  },
  conversation_id: (text) => ({ data: { conversation_id: text } }),
  source: (text) => ({ data: { source: text } }),
};

export function pageWith(page: Payload, facts: readonly AskedFact[]): Payload {
  const added: Record<string, unknown> = {};
  for (const { predicate, text } of facts) {
    if (predicate.kind === 'number') added[predicate.field] = within(predicate);
    else if (predicate.kind === 'range' && predicate.field === 'publish_time')
      added[predicate.field] = predicate.from?.value ?? predicate.to?.value;
    else if ('field' in predicate) added[predicate.field] = text || ANYTHING;
  }
  return { ...page, ...added };
}

/** A number between the bounds. */
function within({ from, to }: { readonly from?: Bound<number>; readonly to?: Bound<number> }): number {
  if (from !== undefined) return from.inclusive ? from.value : from.value + 1;
  return to === undefined ? 0 : to.inclusive ? to.value : to.value - 1;
}
