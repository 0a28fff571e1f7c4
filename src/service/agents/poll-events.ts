/**
 * Poll: an agent asks for what happened after a cursor, and waits for it if need be. The cursor of a request says what its agent
 * has; so an answer that was lost is given again, and nothing is given twice. The record of wakes behind it follows: a wake is
 * offered with the answer that tells of it, and acknowledged by the first request whose cursor lies behind it.
 */
import { agentEventId } from '../../delivery/webhooks/events.ts';
import type { Match } from '../../domain/match.ts';
import type { Digest } from '../../domain/wake.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Position } from '../../store/store.ts';
import { digestOfItems, heldItem } from '../../wakes/digest.ts';
import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';
import type { MatchesRoom } from '../matches/room.ts';
import { type Waited, waitForMatches } from '../matches/wait-for-matches.ts';
import type { EventArguments, EventType } from '../webhooks/event-types.ts';
import { subscribeToMatches } from './matches-subscription.ts';
import type { AgentsRoom } from './room.ts';
import { cursorPlace, pollAfter, pollCursor } from './subscription-replay.ts';
import { allowedEvent } from './subscription-wish.ts';

export interface PollRequest {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly cursor: string | null | undefined;
  readonly maxAgeMs: number | undefined;
  readonly maxEvents: number;
  readonly timeoutMs: number;
}

interface FoundEvent {
  readonly match: Match;
  /** The digest of what silences held, where the match stands for all of it, as the newest. */
  readonly digest?: Digest;
}

export interface PolledEvent extends FoundEvent {
  readonly id: string;
}

export interface Polled {
  /** Oldest first. */
  readonly events: readonly PolledEvent[];
  readonly cursor: string;
  /** Something between the cursor of the request and the first event is left out. */
  readonly truncated: boolean;
  readonly hasMore: boolean;
}

type PollRoom = AgentsRoom & MatchesRoom;

export async function pollEvents(
  context: PollRoom,
  caller: Caller,
  request: PollRequest,
  signal: AbortSignal,
): Promise<Polled> {
  const { type, chosen } = await allowedEvent(context, caller, request);
  const ruleId = pollableRule(type, chosen);
  const told = { by: 'poll', event: type.name, ruleId, chosen: request.arguments } as const;
  const { store, clock, dispatcher } = context;
  const place = cursorPlace(context, caller, request);
  const cursorAt = (position: Position, gapsTold?: number) => pollCursor(context, caller, position, gapsTold);
  if (place === undefined) {
    const latest = await store.latest();
    await subscribeToMatches(context, caller, told, latest);
    return { events: [], cursor: cursorAt(latest), truncated: false, hasMore: false };
  }
  const webhook = await subscribeToMatches(context, caller, told, place.position);
  await store.acknowledgeUpTo(webhook.id, place.position, clock.now());
  const { start, truncated, told: gapsTold } = await pollAfter(context, caller, { type, chosen }, place);
  const { found, last, hasMore } = await following(context, caller, { ...request, type, ruleId, start }, signal);
  if (found.length > 0) await dispatcher.openWake(webhook);
  const events = found.map((event) => eventOf(webhook, event));
  return { events, cursor: cursorAt(last, gapsTold), truncated, hasMore };
}

const eventOf = ({ subscription }: Webhook, event: FoundEvent): PolledEvent => {
  const { match, digest } = event;
  // After the silence the newest match may be told by itself, to an agent that asks with an earlier cursor.
  const subject = digest === undefined ? match.id : `digest ${match.id}`;
  return { id: agentEventId(subscription!.id, match.createdAt, subject), ...event };
};

/** Notices, and matches that a wake contract holds, cannot be polled: only deliveries tell of them. */
function pollableRule({ name, isMatch }: EventType, { rule_id, wake }: EventArguments): string {
  if (isMatch && rule_id !== undefined && (wake === undefined || wake === null)) return rule_id;
  const details = isMatch ? { feature: 'wake', value: 'poll' } : { feature: 'deliveryMode', value: 'poll' };
  const what = isMatch ? 'A wake contract' : `The event ${name}`;
  throw new ServiceError('failed_precondition', `${what} is for webhooks; it cannot be polled.`, { details });
}

interface Following extends Pick<PollRequest, 'maxEvents' | 'timeoutMs'> {
  readonly type: EventType;
  readonly ruleId: string;
  readonly start: Position;
}

/** Pages without an event that one answer passes over: a thousand matches at most. */
const MOST_PAGES = 20;

/** Matches that are no events, as the further ones of a story, do not end the wait; but there may be a million of them. */
async function following(
  context: PollRoom,
  caller: Caller,
  { type, ruleId, start, maxEvents: limit, timeoutMs }: Following,
  signal: AbortSignal,
): Promise<Found> {
  const { clock } = context;
  const until = clock.elapsed() + timeoutMs;
  for (let [after, pages] = [start, 1]; ; pages++) {
    const milliseconds = Math.max(0, until - clock.elapsed());
    const waited = await waitForMatches(context, caller, { ruleId, after, limit, milliseconds }, signal);
    const waking = await eventsAmong(context, type, waited.matches);
    const held = await heldEvent(context, caller, { type, ruleId, after }, waited);
    const found = [...waking.map((match) => ({ match })), ...held];
    if (found.length > 0 || waited.matches.length === 0 || pages === MOST_PAGES)
      return firstOf(limit, { found, last: waited.last, hasMore: waited.more });
    after = waited.last;
  }
}

interface Found {
  readonly found: readonly FoundEvent[];
  readonly last: Position;
  readonly hasMore: boolean;
}

/** Oldest first. The digest may be one event more than was asked for. */
function firstOf(limit: number, { found, last, hasMore }: Found): Found {
  const all = found.toSorted((one, other) => one.match.position - other.match.position);
  if (all.length <= limit) return { found: all, last, hasMore };
  const first = all.slice(0, limit);
  return { found: first, last: first.at(-1)!.match.position, hasMore: true };
}

/** For `story.created` only the first match of a story is an event. */
async function eventsAmong(
  { store }: PollRoom,
  { name }: EventType,
  matches: readonly Match[],
): Promise<readonly Match[]> {
  if (name === 'match.created' || matches.length === 0) return matches;
  const first = new Set(await store.storyBeginnings(matches.map(({ position }) => position)));
  return matches.filter(({ position }) => first.has(position));
}

/** Stories that a digest lists, as one that is sent does. All are counted. */
const LISTED = 20;
const HELD_PAGE = { limit: 50, bytes: 512 * 1024 };

/**
 * One event for all that silences held, if they held any. They are read again: the digest of the wait has no matches, and also
 * counts those that are no events.
 */
async function heldEvent(
  context: PollRoom,
  { account }: Caller,
  { type, ruleId, after }: { readonly type: EventType; readonly ruleId: string; readonly after: Position },
  { matches: waking, last, digest }: Waited,
): Promise<FoundEvent[]> {
  if (digest === undefined || digest.match_count === 0) return [];
  const told = new Set(waking.map(({ id }) => id));
  const held: Match[] = [];
  for (let [from, more] = [after, true]; more && from < last; ) {
    const page = await context.reader.after({ accountId: account.id, ruleId, after: from, ...HELD_PAGE });
    const others = page.matches.filter(({ id, position }) => position <= last && !told.has(id));
    held.push(...(await eventsAmong(context, type, others)));
    [from, more] = [page.last, page.more];
  }
  const newest = held.at(-1);
  return newest === undefined ? [] : [{ match: newest, digest: digestOfItems(held.map(heldItem), LISTED) }];
}
