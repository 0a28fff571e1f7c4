/**
 * Poll: an agent asks for what happened after a cursor, and waits for it if need be. The cursor of a request says what its agent
 * has; so an answer that was lost is given again, and nothing is given twice. The record of wakes behind it follows: a wake is
 * offered with the answer that tells of it, and acknowledged by the first request whose cursor lies behind it.
 */
import { agentEventId } from '../../delivery/webhooks/events.ts';
import type { Match } from '../../domain/match.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';
import type { MatchesRoom } from '../matches/room.ts';
import { waitForMatches } from '../matches/wait-for-matches.ts';
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

export interface PolledEvent {
  readonly id: string;
  readonly match: Match;
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
  const { matches, last, hasMore } = await following(context, caller, { ...request, type, ruleId, start }, signal);
  if (matches.length > 0) await dispatcher.openWake(webhook);
  const events = matches.map((match) => eventOf(webhook, match));
  return { events, cursor: cursorAt(last, gapsTold), truncated, hasMore };
}

const eventOf = ({ subscription }: Webhook, match: Match): PolledEvent => ({
  id: agentEventId(subscription!.id, match.createdAt, match.id),
  match,
});

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
): Promise<{ matches: readonly Match[]; last: Position; hasMore: boolean }> {
  const { store, clock } = context;
  const until = clock.elapsed() + timeoutMs;
  for (let [after, pages] = [start, 1]; ; pages++) {
    const milliseconds = Math.max(0, until - clock.elapsed());
    const waited = await waitForMatches(context, caller, { ruleId, after, limit, milliseconds }, signal);
    const isAll = type.name === 'match.created' || waited.matches.length === 0;
    const first = isAll ? undefined : new Set(await store.storyBeginnings(waited.matches.map((one) => one.position)));
    const matches = waited.matches.filter(({ position }) => first?.has(position) !== false);
    if (matches.length > 0 || waited.matches.length === 0 || pages === MOST_PAGES)
      return { matches, last: waited.last, hasMore: waited.more };
    after = waited.last;
  }
}
