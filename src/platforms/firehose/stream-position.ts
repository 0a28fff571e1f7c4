/**
 * Where we are in the stream: what a cursor holds. Ids are `{partition}-{offset}`; a place has the last id of each
 * partition, and which epoch of the log they belong to. Everything here is pure.
 */

export interface Place {
  /** Grows when the log begins again, so that ids of before and after are told apart. */
  readonly epoch: number;
  readonly tap: string | undefined;
  /** The last id by partition. */
  readonly ids: Readonly<Record<string, string>>;
  /** The first and the latest `matched_at` of this epoch, by the upstream's clock. */
  readonly began: number | undefined;
  readonly latest: number | undefined;
  /** Nothing up to here is missing, by our clock. */
  readonly through: number;
}

export const firstPlace = (now: number): Place => ({
  epoch: 0,
  tap: undefined,
  ids: {},
  began: undefined,
  latest: undefined,
  through: now,
});

export const writePlace = (place: Place): string => JSON.stringify(place);

/** Undefined when the text is no cursor of ours. */
export function readPlace(text: string): Place | undefined {
  try {
    const place = JSON.parse(text) as Place;
    return typeof place.through === 'number' && typeof place.ids === 'object' ? place : undefined;
  } catch {
    return undefined;
  }
}

/** No more partitions are kept apart than this, whatever an upstream sends, and no longer id is believed. */
const MOST_PARTITIONS = 64;
const LONGEST_ID = 128;

export interface Id {
  readonly partition: string;
  /** Undefined for an id of some other form: it says where to resume, and no more. */
  readonly offset: number | undefined;
}

export function readId(id: string): Id {
  const [, partition, digits] = /^(.*)-(\d{1,15})$/.exec(id) ?? [];
  return partition === undefined ? { partition: '', offset: undefined } : { partition, offset: Number(digits) };
}

/** Whether an id can be kept and sent back in a header. */
export const isUsableId = (id: string | undefined): id is string =>
  id !== undefined && id.length <= LONGEST_ID && /^[\x21-\x7e]+$/.test(id);

export interface Step {
  readonly place: Place;
  /** The event's id, with the epoch in it from the second on: an id is used again in each. */
  readonly postId: string;
  readonly isNewEpoch: boolean;
  /** We have seen it before. */
  readonly isKnown: boolean;
  /** Offsets were left out after the last one that we know, before this one. */
  readonly missing: { readonly last: number; readonly before: number } | undefined;
}

export interface Seen {
  readonly id: string;
  readonly tap: string | undefined;
  readonly matchedAt: number | undefined;
  /** The first offset of its partition on this connection, when there was one. */
  readonly first?: number | undefined;
}

/**
 * The place after an event. An id at or before the last one is a replay, unless it was matched after everything that we
 * know: then the log has begun again. So it has when one comes that is before where the connection began, since a
 * replay goes upwards, and when another tap speaks.
 */
export function advance(place: Place, { id, tap, matchedAt, first }: Seen): Step {
  const { partition, offset } = readId(id);
  const known = place.ids[partition];
  const last = known === undefined ? undefined : readId(known).offset;
  const isBehind = last !== undefined && offset !== undefined && offset <= last;
  const isOther = tap !== undefined && place.tap !== undefined && tap !== place.tap;
  const isRestart = isBehind && first !== undefined && offset < first && !isLater(place.latest, matchedAt);
  if (isOther || isRestart || (isBehind && isLater(matchedAt, place.latest))) {
    const next = {
      ...place,
      epoch: place.epoch + 1,
      tap,
      ids: { [partition]: id },
      began: matchedAt,
      latest: matchedAt,
    };
    return { place: next, postId: postIdOf(id, next.epoch), isNewEpoch: true, isKnown: false, missing: undefined };
  }
  if (place.epoch > 0 && isLater(place.began, matchedAt)) {
    return { place, postId: postIdOf(id, place.epoch - 1), isNewEpoch: false, isKnown: true, missing: undefined };
  }
  const next = {
    ...place,
    tap: tap ?? place.tap,
    ids: isBehind ? place.ids : withId(place.ids, partition, id),
    began: place.began ?? matchedAt,
    latest: isLater(matchedAt, place.latest) || place.latest === undefined ? matchedAt : place.latest,
  };
  const isJump = last !== undefined && offset !== undefined && offset > last + 1;
  const missing = isJump && Object.keys(next.ids).length === 1 ? { last, before: offset } : undefined;
  return { place: next, postId: postIdOf(id, place.epoch), isNewEpoch: false, isKnown: isBehind, missing };
}

const isLater = (time: number | undefined, than: number | undefined): boolean =>
  time !== undefined && than !== undefined && time > than;

const postIdOf = (id: string, epoch: number): string => (epoch === 0 ? id : `${id}@${epoch}`);

function withId(ids: Place['ids'], partition: string, id: string): Place['ids'] {
  const { [partition]: _, ...others } = ids;
  return Object.fromEntries([...Object.entries(others).slice(1 - MOST_PARTITIONS), [partition, id]]);
}

/** What to ask for on connecting; the upstream takes one of these at a time. */
export type Resume =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'since'; readonly minutes: number }
  | { readonly kind: 'live' };

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Asked for on top of an outage: what was matched just before reached us just after. */
const OVERLAP_MS = 60_000;

/** The last id, when one says it all; otherwise as long as we were away. */
export function resumeFrom({ ids }: Place, awayMs: number): Resume {
  const [id, ...others] = Object.values(ids);
  if (id !== undefined && others.length === 0) return { kind: 'id', id };
  return { kind: 'since', minutes: Math.min(Math.ceil((awayMs + OVERLAP_MS) / MINUTE_MS), DAY_MINUTES) };
}

export const WHOLE_BUFFER: Resume = { kind: 'since', minutes: DAY_MINUTES };

/** The buffer holds about a day: what is nearly as old may be gone. */
const BUFFER_MS = DAY_MINUTES * MINUTE_MS - 5 * MINUTE_MS;

export const isAgedOut = (awayMs: number): boolean => awayMs > BUFFER_MS;
