/**
 * X's wire format: paths, parameters, problems and the lines of a stream. X sends posts in two vocabularies, `tweet`
 * and `post`. A payload is passed on as it came, because the engine reads both.
 */
import { type JsonRecord, listIn, recordIn, textIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import { parseExact, parseRecord } from './lines.ts';

export const RULES_PATH = '/2/tweets/search/stream/rules';
export const COUNTS_PATH = '/2/tweets/search/stream/rules/counts';
const X_STREAM_PATH = '/2/tweets/search/stream';
export const CONNECTIONS_PATH = '/2/connections';
export const WEBHOOKS_PATH = '/2/webhooks';
export const REPLAY_PATH = '/2/webhooks/replay';
export const LINKS_PATH = '/2/tweets/search/webhooks';

/** The fields that matching and payloads need. Fields that X fills only for a signed-in user, and community notes, are left out. */
const STREAM_PARAMETERS: Readonly<Record<string, string>> = {
  'tweet.fields':
    'article,attachments,author_id,card_uri,community_id,context_annotations,conversation_id,created_at,display_text_range,edit_controls,edit_history_tweet_ids,entities,geo,id,in_reply_to_user_id,lang,media_metadata,note_tweet,paid_partnership,possibly_sensitive,public_metrics,referenced_tweets,reply_settings,scopes,source,text,withheld',
  expansions:
    'attachments.media_keys,attachments.poll_ids,author_id,entities.mentions.username,geo.place_id,in_reply_to_user_id,referenced_tweets.id,referenced_tweets.id.attachments.media_keys,referenced_tweets.id.author_id',
  'media.fields': 'alt_text,duration_ms,height,media_key,preview_image_url,public_metrics,type,url,variants,width',
  'poll.fields': 'duration_minutes,end_datetime,id,options,voting_status',
  'user.fields':
    'affiliation,created_at,description,entities,id,is_identity_verified,location,name,parody,profile_image_url,protected,public_metrics,subscription_type,url,username,verified,verified_type,withheld',
  'place.fields': 'contained_within,country,country_code,full_name,geo,id,name,place_type',
};

/** The stream parameters as X lists them for a linked webhook. */
export const STREAM_FIELDS: readonly string[] = Object.entries(STREAM_PARAMETERS).map(
  ([name, values]) => `${name}=${values}`,
);

export const linkPath = (webhookId: string): string =>
  `${LINKS_PATH}/${webhookId}?${new URLSearchParams(STREAM_PARAMETERS).toString()}`;

/** The time that a connection covers: from now on, from some minutes ago on, or a span in the past. */
export type StreamRange = { readonly backfillMinutes: number } | { readonly start: Date; readonly end: Date };

export function xStreamPath(span: StreamRange): string {
  const query = new URLSearchParams(STREAM_PARAMETERS);
  if ('start' in span) {
    query.set('start_time', span.start.toISOString());
    query.set('end_time', span.end.toISOString());
  } else if (span.backfillMinutes > 0) {
    query.set('backfill_minutes', String(span.backfillMinutes));
  }
  return `${X_STREAM_PATH}?${query.toString()}`;
}

/** A problem as X describes it. X may leave out any of its fields. */
export interface Problem {
  readonly title: string;
  /** The last part of its `type`, such as `rule-cap`. */
  readonly type: string;
  readonly detail: string;
  readonly details: readonly string[];
  readonly connectionIssue: string;
  readonly disconnectType: string;
  /** For a problem with one rule: the rule's value, and its id if X holds it already. */
  readonly value: string | undefined;
  readonly id: string | undefined;
}

/** X sends ids as strings, and in older answers as numbers. `parseExact` has turned the long numbers into strings. */
export function xIdIn(value: unknown): string | undefined {
  const id = typeof value === 'number' ? String(value) : value;
  return typeof id === 'string' && /^[\w.:-]{1,64}$/.test(id) ? id : undefined;
}

/** One edition of X's interface sends counts and caps as numbers, another as strings. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

export function problemIn(value: unknown): Problem {
  const record = recordIn(value) ?? {};
  return {
    title: textIn(record['title']) ?? '',
    type: textIn(record['type'])?.split('/').at(-1) ?? '',
    detail: textIn(record['detail']) ?? '',
    details: listIn(record['details']).filter((detail) => typeof detail === 'string'),
    connectionIssue: textIn(record['connection_issue']) ?? '',
    disconnectType: textIn(record['disconnect_type']) ?? '',
    value: typeof record['value'] === 'string' ? record['value'] : undefined,
    id: xIdIn(record['id']),
  };
}

/** The answer as JSON with exact ids; an empty record if it is no JSON, as with a proxy's error page. */
export function answerIn(text: string): JsonRecord {
  const parsed = parseExact(text);
  return ('value' in parsed ? recordIn(parsed.value) : undefined) ?? {};
}

/** One line of a stream. */
export type StreamMessage =
  | {
      readonly kind: 'post';
      readonly id: string;
      readonly payload: Payload;
      readonly verdicts: readonly string[];
      readonly createdAt: number | undefined;
      /** It was delivered to a webhook before, or could not be. */
      readonly isReplayed: boolean;
    }
  | { readonly kind: 'system'; readonly problems: readonly Problem[] }
  /** A webhook is told that a replay has ended. */
  | { readonly kind: 'replayed'; readonly jobId: string; readonly isWhole: boolean }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'broken'; readonly reason: string };

export function readMessage(line: Uint8Array): StreamMessage {
  const parsed = parseRecord(line);
  if ('broken' in parsed) return { kind: 'broken', reason: parsed.broken };
  const message = recordIn(parsed.value);
  if (message === undefined) return { kind: 'broken', reason: 'it is not an object' };
  if (message['data'] !== undefined) return readPost(message);
  const replay = recordIn(message['replay_job_status']);
  const jobId = xIdIn(replay?.['job_id']);
  if (jobId !== undefined) return { kind: 'replayed', jobId, isWhole: replay?.['job_state'] === 'Complete' };
  const errors = listIn(message['errors']);
  return errors.length === 0 ? { kind: 'unknown' } : { kind: 'system', problems: errors.map(problemIn) };
}

function readPost(message: JsonRecord): StreamMessage {
  const data = recordIn(message['data']);
  const id = xIdIn(data?.['id']);
  if (data === undefined || id === undefined) return { kind: 'broken', reason: 'its post has no id' };
  const { matching_rules: rules, meta, ...payload } = message;
  const verdicts = listIn(rules).flatMap((rule) => xIdIn(recordIn(rule)?.['id']) ?? []);
  const createdAt = Date.parse(textIn(data['created_at']) ?? '');
  return {
    kind: 'post',
    id,
    // A short id may have come as a number; all later code expects a string.
    payload: { ...payload, data: { ...data, id } },
    verdicts: [...new Set(verdicts)],
    createdAt: Number.isNaN(createdAt) ? undefined : createdAt,
    isReplayed: recordIn(meta)?.['replay'] === true,
  };
}

/** True for every message about the stream itself, and for the rare post that has the word inside; that post is parsed twice. */
export const mayBeSystem = (line: Buffer): boolean => line.includes('"errors"');
