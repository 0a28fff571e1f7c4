/** The exact values of an X post: who, to whom, where, of what kind, with what in it. */
import { idIn, type JsonRecord, listIn, numberIn, recordIn, textIn } from '../../base/json.ts';
import { fold } from '../../rules/x/words.ts';
import type { GeoPlace, NumberValue } from './event-view.ts';
import { addValue, listWithin, shownAt, type ViewBuilder } from './view-builder.ts';
import {
  type Included,
  isReply,
  mediaOf,
  type PayloadPart,
  placeOf,
  type Reference,
  type References,
  type SeenPost,
  userOf,
  usersWith,
} from './x-post.ts';
import { addExact, addWords, entitiesOf, shownInText } from './x-text.ts';

export interface PostReading {
  readonly id: string;
  readonly post: JsonRecord;
  readonly included: Included;
  readonly references: References;
  readonly seen: readonly SeenPost[];
  readonly author: PayloadPart | undefined;
}

/** Adds everything but texts and tags, and says where the post was sent from. */
export function addFacts(builder: ViewBuilder, reading: PostReading): GeoPlace | undefined {
  addAnnotations(builder, reading);
  addAuthor(builder, reading);
  addAddressee(builder, reading);
  addThread(builder, reading);
  const app = appOf(reading.post);
  addKinds(builder, reading, app);
  addOrigin(builder, reading.post, app);
  // A repost has no place, even if the original has one.
  const geo = reading.references.retweeted === undefined ? recordIn(reading.post['geo']) : undefined;
  const point = geo && pointOf(geo);
  addContents(builder, reading, point !== undefined || idIn(geo?.['place_id']) !== undefined);
  return geo && addPlace(builder, geo, reading.included, point);
}

/** A value that no string of the payload shows. */
const addFlag = (builder: ViewBuilder, field: string, text: string): void => addValue(builder, field, text, NOWHERE);

const NOWHERE = shownAt('', '');

/** Adds what X recognised in the post, and in the original of a repost; a quoted post does not count here. */
function addAnnotations(builder: ViewBuilder, { post, references, seen }: PostReading): void {
  const recognised = references.retweeted === undefined ? [seen[0]!] : seen;
  for (const annotation of entitiesOf(recognised, 'annotations')) {
    const name = textIn(annotation.record['normalized_text']);
    if (name !== undefined)
      addValue(builder, 'entity', fold(name), shownInText(annotation, 'normalized_text', name, 1));
  }
  const contexts = contextsOf(post, 'data');
  if (references.retweeted?.post !== undefined) {
    contexts.push(...contextsOf(references.retweeted.post.record, references.retweeted.post.path));
  }
  for (const { record, path } of contexts) {
    addExact(builder, 'entity', textIn(recordIn(record['entity'])?.['name']), `${path}.entity.name`);
  }
  for (const { record } of contexts) {
    const domain = idIn(recordIn(record['domain'])?.['id']);
    const entity = idIn(recordIn(record['entity'])?.['id']);
    if (domain !== undefined) addFlag(builder, 'context', `${domain}.*`);
    if (entity !== undefined) addFlag(builder, 'context', `*.${entity}`);
    if (domain !== undefined && entity !== undefined) addFlag(builder, 'context', `${domain}.${entity}`);
  }
}

function contextsOf(post: JsonRecord, path: string): PayloadPart[] {
  const list = listIn(post['context_annotations']);
  const found: PayloadPart[] = [];
  for (let at = 0; at < list.length; at++) {
    const record = recordIn(list[at]);
    if (record !== undefined) found.push({ record, path: `${path}.context_annotations.${at}` });
  }
  return found;
}

/** The author by name and id, whom they belong to, and the words of their profile. */
function addAuthor(builder: ViewBuilder, { post, author, included }: PostReading): void {
  addExact(builder, 'from', idIn(post['author_id']), 'data.author_id');
  if (author === undefined) return;
  const { record, path } = author;
  addExact(builder, 'from', textIn(record['username']), `${path}.username`);
  addAffiliations(builder, 'from_affiliate_of', author, included);
  addWords(builder, 'bio', record['description'], `${path}.description`);
  addWords(builder, 'bio_name', record['name'], `${path}.name`);
  addWords(builder, 'bio_location', record['location'], `${path}.location`);
}

function addAffiliations(builder: ViewBuilder, field: string, { record, path }: PayloadPart, included: Included): void {
  const affiliation = recordIn(record['affiliation']);
  if (affiliation === undefined) return;
  addProfileName(builder, field, textIn(affiliation['url']), `${path}.affiliation.url`);
  const ids = affiliation['user_id'];
  const list = Array.isArray(ids) ? listWithin(builder, 'user_id', ids, `${path}.affiliation.user_id`) : [ids];
  const wanted = new Set(list.flatMap((one) => idIn(one) ?? []));
  const organisations = usersWith(wanted, included);
  for (const id of wanted) {
    addExact(builder, field, id, `${path}.affiliation.user_id`);
    const organisation = organisations.get(id);
    if (organisation === undefined) continue;
    addExact(builder, field, textIn(organisation.record['username']), `${organisation.path}.username`);
  }
}

/** The address of a profile, and the name in it. */
const PROFILE = /^(https?:\/\/(?:(?:www|mobile)\.)?(?:x|twitter)\.com\/)(\w{1,20})\/?(?:[?#]|$)/i;

/** The organisation itself is seldom included: its name is known from the address of its profile. */
function addProfileName(builder: ViewBuilder, field: string, url: string | undefined, path: string): void {
  const [, site = '', name = ''] = PROFILE.exec(url ?? '') ?? [];
  if (url === undefined || name === '') return;
  const span = { start: site.length, end: site.length + name.length };
  addValue(builder, field, fold(name), { path, source: url, span });
}

/** Whom the post answers, by name and id. The name may be known from the mention that every reply begins with. */
function addAddressee(builder: ViewBuilder, { post, references, included }: PostReading): void {
  const id = idIn(post['in_reply_to_user_id']) ?? idIn(references.repliedTo?.post?.record['author_id']);
  if (id === undefined) return;
  addExact(builder, 'to', id, 'data.in_reply_to_user_id');
  const addressee = userOf(included, id);
  if (addressee === undefined) {
    const mention = mentionOf(post, (one) => idIn(one['id']) === id);
    if (mention !== undefined) addExact(builder, 'to', textIn(mention.record['username']), `${mention.path}.username`);
    return;
  }
  addExact(builder, 'to', textIn(addressee.record['username']), `${addressee.path}.username`);
  addAffiliations(builder, 'to_affiliate_of', addressee, included);
}

function mentionOf(post: JsonRecord, fits: (mention: JsonRecord) => boolean): PayloadPart | undefined {
  const mentions = listIn(recordIn(post['entities'])?.['mentions']);
  const at = mentions.findIndex((one) => fits(recordIn(one) ?? {}));
  const record = recordIn(mentions[at]);
  return record === undefined ? undefined : { record, path: `data.entities.mentions.${at}` };
}

function addThread(builder: ViewBuilder, { id, post, references, included }: PostReading): void {
  const { retweeted, repliedTo } = references;
  // A post that starts a conversation gives it its id.
  const conversation = idIn(post['conversation_id']);
  if (conversation !== undefined) addExact(builder, 'conversation_id', conversation, 'data.conversation_id');
  else if (!isReply(post)) addExact(builder, 'conversation_id', id, 'data.id');
  if (repliedTo !== undefined) addExact(builder, 'in_reply_to_tweet_id', repliedTo.id, repliedTo.path);
  if (retweeted === undefined) return;
  addExact(builder, 'retweets_of_tweet_id', retweeted.id, retweeted.path);
  addOriginalAuthor(builder, post, retweeted, included);
}

/** By the original where it is included, else by the mention in `RT @name: …`. */
function addOriginalAuthor(
  builder: ViewBuilder,
  post: JsonRecord,
  { post: original }: Reference,
  included: Included,
): void {
  const id = idIn(original?.record['author_id']);
  const author = userOf(included, id);
  addExact(builder, 'retweets_of', id, `${original?.path}.author_id`);
  if (author !== undefined) {
    addExact(builder, 'retweets_of', textIn(author.record['username']), `${author.path}.username`);
    return;
  }
  const mention = mentionOf(post, (one) => one['start'] === 'RT '.length);
  if (mention === undefined || !String(post['text']).startsWith('RT @')) return;
  addExact(builder, 'retweets_of', textIn(mention.record['username']), `${mention.path}.username`);
  if (id === undefined) addExact(builder, 'retweets_of', idIn(mention.record['id']), `${mention.path}.id`);
}

function addKinds(builder: ViewBuilder, { post, references, author }: PostReading, app: App | undefined): void {
  const { retweeted, quoted } = references;
  if (retweeted !== undefined) addFlag(builder, 'is', 'retweet');
  if (quoted !== undefined) addFlag(builder, 'is', 'quote');
  // Answers, and what reposts or quotes an answer.
  const within = retweeted?.post ?? quoted?.post;
  if (isReply(post) || (within !== undefined && isReply(within.record))) addFlag(builder, 'is', 'reply');
  if (author?.record['verified'] === true) addFlag(builder, 'is', 'verified');
  if (isPromotedOnly(post, app)) addFlag(builder, 'is', 'nullcast');
}

const isPromotedOnly = (post: JsonRecord, app: App | undefined): boolean =>
  recordIn(post['scopes'])?.['followers'] === false || app?.name.startsWith('Twitter for Advertisers') === true;

function addContents(builder: ViewBuilder, { seen, references, included }: PostReading, located: boolean): void {
  if (holdsSome(seen, 'hashtags')) addFlag(builder, 'has', 'hashtags');
  if (holdsSome(seen, 'cashtags')) addFlag(builder, 'has', 'cashtags');
  if (holdsSome(seen, 'mentions')) addFlag(builder, 'has', 'mentions');
  const media = mediaOf(seen, included);
  // Attached media and a quoted post are links in the text, whether or not the payload lists them.
  if (holdsSome(seen, 'urls') || media.length > 0 || references.quoted !== undefined) addFlag(builder, 'has', 'links');
  if (media.length > 0) addFlag(builder, 'has', 'media');
  if (media.includes('photo')) addFlag(builder, 'has', 'images');
  if (media.includes('video')) addFlag(builder, 'has', 'video_link');
  if (located) addFlag(builder, 'has', 'geo');
}

function holdsSome(seen: readonly SeenPost[], kind: string): boolean {
  return seen.some(({ entities, cut }) => listIn(entities[kind]).length > 0 || listIn(cut?.entities[kind]).length > 0);
}

/** The app that a post was written with. Only the older form, `<a href="…">name</a>`, has an address too. */
interface App {
  readonly name: string;
  readonly address: string | undefined;
}

function appOf(post: JsonRecord): App | undefined {
  const source = textIn(post['source']);
  if (source === undefined) return undefined;
  const [, address, name] = source.startsWith('<a ') ? (/^<a href="([^"]*)"[^>]*>([^<]*)/.exec(source) ?? []) : [];
  return { name: name ?? source, address };
}

function addOrigin(builder: ViewBuilder, post: JsonRecord, app: App | undefined): void {
  addExact(builder, 'lang', textIn(post['lang']), 'data.lang');
  addExact(builder, 'source', app?.name, 'data.source');
  addExact(builder, 'source', app?.address, 'data.source');
}

function pointOf(geo: JsonRecord): GeoPlace | undefined {
  const [longitude, latitude] = listIn(recordIn(geo['coordinates'])?.['coordinates']).slice(0, 2).map(numberIn);
  return longitude === undefined || latitude === undefined ? undefined : { kind: 'point', longitude, latitude };
}

/** The exact point where there is one, else the whole place. */
function addPlace(
  builder: ViewBuilder,
  geo: JsonRecord,
  included: Included,
  point: GeoPlace | undefined,
): GeoPlace | undefined {
  const id = idIn(geo['place_id']);
  addExact(builder, 'place_id', id, 'data.geo.place_id');
  const place = placeOf(included, id);
  if (place !== undefined) {
    addExact(builder, 'place_country', textIn(place.record['country_code']), `${place.path}.country_code`);
    addWords(builder, 'place', place.record['full_name'], `${place.path}.full_name`);
    addWords(builder, 'place', place.record['name'], `${place.path}.name`);
  }
  if (point !== undefined) return point;
  const [west, south, east, north] = listIn(recordIn(place?.record['geo'])?.['bbox']).slice(0, 4).map(numberIn);
  if (west === undefined || south === undefined || east === undefined || north === undefined) return undefined;
  return { kind: 'box', west, south, east, north };
}

const NO_NUMBERS: readonly NumberValue[] = [];

/** The author's counts; `tweet_count` goes by another name since posts do. */
export function countsOf(author: JsonRecord | undefined): readonly NumberValue[] {
  const metrics = recordIn(author?.['public_metrics']);
  if (metrics === undefined) return NO_NUMBERS;
  const numbers: NumberValue[] = [];
  const add = (field: string, value: unknown) => {
    if (typeof value === 'number') numbers.push({ field, value });
  };
  add('followers_count', metrics['followers_count']);
  add('following_count', metrics['following_count']);
  add('listed_count', metrics['listed_count']);
  add('tweets_count', metrics['tweet_count'] ?? metrics['post_count']);
  return numbers;
}
