/**
 * The fields that a reader of the stream asks for. X sends the id, the text and the edit history of a post, and adds only
 * what was asked for: fields by `*.fields`, other objects by `expansions`. If asked by `post.fields`, X uses its newer
 * names, with `post` instead of `tweet`.
 */
import { idIn, type JsonRecord, listIn, recordIn, textIn } from '../../src/base/json.ts';
import type { Answer } from '../http.ts';
import { invalidRequest } from './problems.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The older names. Newer ones are translated first. */
const FIELDS = {
  tweet: words(`article attachments author_id card_uri community_id context_annotations conversation_id created_at
    display_text_range edit_controls edit_history_tweet_ids entities geo id in_reply_to_user_id lang matched_media_notes
    media_metadata non_public_metrics note_request_suggestions note_tweet organic_metrics paid_partnership
    possibly_sensitive promoted_metrics public_metrics referenced_tweets reply_settings scopes source
    suggested_source_links suggested_source_links_with_counts text withheld`),
  user: words(`affiliation confirmed_email connection_status created_at description entities id is_identity_verified
    location most_recent_tweet_id name parody pinned_tweet_id profile_banner_url profile_image_url protected
    public_metrics receives_your_dm subscription subscription_type url username verified verified_followers_count
    verified_type withheld`),
  media: words(`alt_text duration_ms height media_key non_public_metrics organic_metrics preview_image_url
    promoted_metrics public_metrics type url variants width`),
  poll: words('duration_minutes end_datetime id options voting_status'),
  place: words('contained_within country country_code full_name geo id name place_type'),
} as const;

type Kind = keyof typeof FIELDS;

/** The fields that X always sends. */
const DEFAULTS: Readonly<Record<Kind, readonly string[]>> = {
  tweet: ['id', 'text', 'edit_history_tweet_ids'],
  user: ['id', 'name', 'username'],
  media: ['media_key', 'type'],
  poll: ['id', 'options'],
  place: ['id', 'full_name'],
};

const EXPANSIONS = words(`article.cover_media article.media_entities attachments.media_keys
  attachments.media_source_tweet attachments.poll_ids author_id edit_history_tweet_ids entities.mentions.username
  geo.place_id in_reply_to_user_id entities.note.mentions.username referenced_tweets.id
  referenced_tweets.id.attachments.media_keys referenced_tweets.id.author_id`);

/** The newer name of each word that has one. */
type Names = ReadonlyMap<string, string>;
const NEW_NAMES: Names = new Map([
  ['referenced_tweets', 'referenced_posts'],
  ['edit_history_tweet_ids', 'edit_history_post_ids'],
  ['note_tweet', 'note_post'],
  ['tweets', 'posts'],
  ['retweet_count', 'repost_count'],
  ['tweet_count', 'post_count'],
  ['pinned_tweet_id', 'pinned_post_id'],
  ['most_recent_tweet_id', 'most_recent_post_id'],
  ['media_source_tweet_id', 'media_source_post_id'],
]);
const OLD_NAMES: Names = new Map([...NEW_NAMES].map(([old, name]) => [name, old]));

export interface Selection {
  readonly fields: Readonly<Record<Kind, ReadonlySet<string>>>;
  readonly expansions: ReadonlySet<string>;
  /** Use the newer names. */
  readonly newNames: boolean;
}

/** Reads the field parameters of a request; an answer if they are wrong. */
export function readSelection(query: URLSearchParams): Selection | Answer {
  const newNames = query.has('post.fields');
  const fields: Partial<Record<Kind, ReadonlySet<string>>> = {};
  for (const kind of Object.keys(FIELDS) as Kind[]) {
    const parameter = kind === 'tweet' && newNames ? 'post.fields' : `${kind}.fields`;
    const asked = listOf(query.get(parameter));
    const strange = asked.find((name) => !FIELDS[kind].includes(oldName(name)));
    if (strange !== undefined) return notOneOf(parameter, strange, FIELDS[kind]);
    fields[kind] = new Set([...DEFAULTS[kind], ...asked.map(oldName)]);
  }
  const asked = listOf(query.get('expansions'));
  const strange = asked.find((name) => !EXPANSIONS.includes(oldPath(name)));
  if (strange !== undefined) return notOneOf('expansions', strange, EXPANSIONS);
  return { fields: fields as Selection['fields'], expansions: new Set(asked.map(oldPath)), newNames };
}

const listOf = (value: string | null): string[] => (value ?? '').split(',').filter((part) => part !== '');

const oldName = (name: string): string => OLD_NAMES.get(name) ?? name;

const oldPath = (path: string): string => path.split('.').map(oldName).join('.').replace('source_post', 'source_tweet');

const notOneOf = (parameter: string, value: string, allowed: readonly string[]): Answer =>
  invalidRequest(
    parameter,
    [value],
    `The \`${parameter}\` query parameter value [${value}] is not one of [${allowed.join(',')}]`,
  );

/** The payload with the older names. */
export const withOldNames = (payload: JsonRecord): JsonRecord => rename(payload, OLD_NAMES) as JsonRecord;

/** The post for this reader, from a payload with the older names: `data`, and `includes` if something was asked for and is known. */
export function select(payload: JsonRecord, { fields, expansions, newNames }: Selection): JsonRecord {
  const post = recordIn(payload['data']) ?? {};
  const all = recordIn(payload['includes']) ?? {};
  const data = pick({ edit_history_tweet_ids: [idIn(post['id'])], ...post }, fields.tweet);
  const wanted = wantedBy(post, listIn(all['tweets']), expansions);
  const includes: Record<string, readonly JsonRecord[]> = {};
  for (const [list, kind, key, ids] of [
    ['users', 'user', 'id', wanted.users],
    ['tweets', 'tweet', 'id', wanted.tweets],
    ['media', 'media', 'media_key', wanted.media],
    ['places', 'place', 'id', wanted.places],
    ['polls', 'poll', 'id', wanted.polls],
  ] as const) {
    const found = listIn(all[list])
      .map(recordIn)
      .filter((one) => one !== undefined && (ids.has(idIn(one[key]) ?? '') || ids.has(nameIn(one))));
    if (found.length > 0) includes[list] = found.map((one) => pick(one!, fields[kind]));
  }
  const message = Object.keys(includes).length > 0 ? { data, includes } : { data };
  return newNames ? (rename(message, NEW_NAMES) as JsonRecord) : message;
}

/** Mentions name users by username, not by id. */
const nameIn = (record: JsonRecord): string => `@${(textIn(record['username']) ?? '').toLowerCase()}`;

function pick(record: JsonRecord, names: ReadonlySet<string>): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)));
}

interface Wanted {
  readonly users: Set<string>;
  readonly tweets: Set<string>;
  readonly media: Set<string>;
  readonly places: Set<string>;
  readonly polls: Set<string>;
}

/** The ids of the objects that the expansions name. */
function wantedBy(post: JsonRecord, tweets: readonly unknown[], expansions: ReadonlySet<string>): Wanted {
  const wanted: Wanted = { users: new Set(), tweets: new Set(), media: new Set(), places: new Set(), polls: new Set() };
  const add = (to: Set<string>, expansion: string, values: readonly unknown[]) => {
    if (!expansions.has(expansion)) return;
    for (const value of values) to.add(idIn(value) ?? '');
  };
  const attachments = (of: JsonRecord) => recordIn(of['attachments']) ?? {};
  const mentions = (of: JsonRecord | undefined) =>
    listIn(recordIn(of?.['entities'])?.['mentions']).map(
      (one) => `@${(textIn(recordIn(one)?.['username']) ?? '').toLowerCase()}`,
    );
  add(wanted.users, 'author_id', [post['author_id']]);
  add(wanted.users, 'in_reply_to_user_id', [post['in_reply_to_user_id']]);
  add(wanted.users, 'entities.mentions.username', mentions(post));
  add(wanted.users, 'entities.note.mentions.username', mentions(recordIn(post['note_tweet'])));
  add(wanted.media, 'attachments.media_keys', listIn(attachments(post)['media_keys']));
  add(wanted.polls, 'attachments.poll_ids', listIn(attachments(post)['poll_ids']));
  add(wanted.tweets, 'attachments.media_source_tweet', listIn(attachments(post)['media_source_tweet_id']));
  add(wanted.tweets, 'edit_history_tweet_ids', listIn(post['edit_history_tweet_ids']));
  add(wanted.places, 'geo.place_id', [recordIn(post['geo'])?.['place_id']]);
  const referenced = listIn(post['referenced_tweets']).map((one) => idIn(recordIn(one)?.['id']));
  for (const expansion of expansions) {
    if (expansion.startsWith('referenced_tweets.id')) add(wanted.tweets, expansion, referenced);
  }
  for (const one of tweets.map(recordIn)) {
    if (one === undefined || !referenced.includes(idIn(one['id']))) continue;
    add(wanted.users, 'referenced_tweets.id.author_id', [one['author_id']]);
    add(wanted.media, 'referenced_tweets.id.attachments.media_keys', listIn(attachments(one)['media_keys']));
  }
  for (const set of Object.values(wanted) as Set<string>[]) {
    set.delete('');
    set.delete('@');
  }
  return wanted;
}

/** Renames keys at every depth. */
function rename(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((one) => rename(one, names));
  const record = recordIn(value);
  if (record === undefined) return value;
  return Object.fromEntries(
    Object.entries(record).map(([key, inside]) => [names.get(key) ?? key, rename(inside, names)]),
  );
}
