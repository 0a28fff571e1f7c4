/**
 * Our position in the stream, which is what a cursor holds. Ids are `{partition}-{offset}`. A position has the last id of
 * each partition, and the epoch of the log that they belong to. Everything here is pure.
 */

/**
 * Firehose puts an event into its log some time after it matched it, and does not say how long that takes. We allow 10 s:
 * what we read now shows only that events matched 10 s ago have come. Gaps begin this much before the last bytes.
 */
export const FIREHOSE_DELAY_MS = 10_000;

export interface StreamPosition {
  /** Grows when the log begins again, so that equal ids of two epochs differ. */
  readonly epoch: number;
  readonly tap: string | undefined;
  /** The last id by partition. */
  readonly ids: Readonly<Record<string, string>>;
  /** The first and the latest `matched_at` of this epoch, by the upstream's clock. */
  readonly began: number | undefined;
  readonly latest: number | undefined;
  /** Everything that Firehose sent up to here has been read, by our clock. */
  readonly through: number;
}

export const firstPosition = (now: number): StreamPosition => ({
  epoch: 0,
  tap: undefined,
  ids: {},
  began: undefined,
  latest: undefined,
  through: now,
});

export const writePosition = (position: StreamPosition): string => JSON.stringify(position);

/** Returns undefined if the text is not a cursor of ours. */
export function readPosition(text: string): StreamPosition | undefined {
  try {
    const position = JSON.parse(text) as StreamPosition;
    return typeof position.through === 'number' && typeof position.ids === 'object' ? position : undefined;
  } catch {
    return undefined;
  }
}

/** Limits against a faulty upstream: how many partitions are told apart, and how long an id may be. */
const MOST_PARTITIONS = 64;
const LONGEST_ID = 128;

export interface EventId {
  readonly partition: string;
  /** It is undefined for an id of another form, which only says where to resume. */
  readonly offset: number | undefined;
}

export function parseEventId(id: string): EventId {
  const [, partition, digits] = /^(.*)-(\d{1,15})$/.exec(id) ?? [];
  return partition === undefined ? { partition: '', offset: undefined } : { partition, offset: Number(digits) };
}

/** Whether an id can be kept and sent back in a header. */
export const isUsableId = (id: string | undefined): id is string =>
  id !== undefined && id.length <= LONGEST_ID && /^[\x21-\x7e]+$/.test(id);

export interface Step {
  readonly position: StreamPosition;
  /** The event's id. From the second epoch on it contains the epoch, because each epoch uses the same ids. */
  readonly postId: string;
  readonly isNewEpoch: boolean;
  /** We have seen the event before. */
  readonly isKnown: boolean;
  /** Offsets between the last one that we know and this one were left out. */
  readonly missing: { readonly last: number; readonly before: number } | undefined;
}

export interface SeenEvent {
  readonly id: string;
  readonly tap: string | undefined;
  readonly matchedAt: number | undefined;
  /** The first offset of its partition on this connection, if there was one. */
  readonly first?: number | undefined;
}

/**
 * The position after an event. An id at or before the last one is a replay, unless the event was matched after everything
 * that we know: then the log has begun again. The log has also begun again if an id is lower than the first one of the
 * connection, because a replay goes upwards, and if the event comes from another tap.
 */
export function advance(position: StreamPosition, { id, tap, matchedAt, first }: SeenEvent): Step {
  const { partition, offset } = parseEventId(id);
  const known = position.ids[partition];
  const last = known === undefined ? undefined : parseEventId(known).offset;
  const isBehind = last !== undefined && offset !== undefined && offset <= last;
  const isOther = tap !== undefined && position.tap !== undefined && tap !== position.tap;
  const isRestart = isBehind && first !== undefined && offset < first && !isLater(position.latest, matchedAt);
  if (isOther || isRestart || (isBehind && isLater(matchedAt, position.latest))) {
    const next = {
      ...position,
      epoch: position.epoch + 1,
      tap,
      ids: { [partition]: id },
      began: matchedAt,
      latest: matchedAt,
    };
    return { position: next, postId: postIdOf(id, next.epoch), isNewEpoch: true, isKnown: false, missing: undefined };
  }
  if (position.epoch > 0 && isLater(position.began, matchedAt)) {
    return { position, postId: postIdOf(id, position.epoch - 1), isNewEpoch: false, isKnown: true, missing: undefined };
  }
  const next = {
    ...position,
    tap: tap ?? position.tap,
    ids: isBehind ? position.ids : withId(position.ids, partition, id),
    began: position.began ?? matchedAt,
    latest: isLater(matchedAt, position.latest) || position.latest === undefined ? matchedAt : position.latest,
  };
  const isJump = last !== undefined && offset !== undefined && offset > last + 1;
  const missing = isJump && Object.keys(next.ids).length === 1 ? { last, before: offset } : undefined;
  return { position: next, postId: postIdOf(id, position.epoch), isNewEpoch: false, isKnown: isBehind, missing };
}

const isLater = (time: number | undefined, than: number | undefined): boolean =>
  time !== undefined && than !== undefined && time > than;

const postIdOf = (id: string, epoch: number): string => (epoch === 0 ? id : `${id}@${epoch}`);

function withId(ids: StreamPosition['ids'], partition: string, id: string): StreamPosition['ids'] {
  const { [partition]: _, ...others } = ids;
  return Object.fromEntries([...Object.entries(others).slice(1 - MOST_PARTITIONS), [partition, id]]);
}

/** The point at which a connection begins. Firehose accepts one of these at a time. */
export type Resume =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'since'; readonly minutes: number }
  | { readonly kind: 'live' };

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** A replay by time is asked for this much more, because events reach us after they were matched. */
const OVERLAP_MS = 60_000;

/** After the last id, if there is one partition; otherwise by the time that we were away. */
export function resumeFrom({ ids }: StreamPosition, awayMs: number): Resume {
  const [id, ...others] = Object.values(ids);
  if (id !== undefined && others.length === 0) return { kind: 'id', id };
  return { kind: 'since', minutes: Math.min(Math.ceil((awayMs + OVERLAP_MS) / MINUTE_MS), DAY_MINUTES) };
}

export const WHOLE_BUFFER: Resume = { kind: 'since', minutes: DAY_MINUTES };

/** The buffer holds about a day. What is nearly as old may be gone. */
const BUFFER_MS = DAY_MINUTES * MINUTE_MS - 5 * MINUTE_MS;

export const isAgedOut = (awayMs: number): boolean => awayMs > BUFFER_MS;
