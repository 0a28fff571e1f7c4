/**
 * Finds the place where a subscription begins, and what it catches up on. A cursor never lies beyond what was delivered
 * or given up.
 */
import type { Gap } from '../../domain/coverage.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { positionAt, timeOf } from '../../store/order.ts';
import type { CatchUp, Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import type { EventArguments, EventType } from '../webhooks/event-types.ts';
import type { AgentsRoom } from './room.ts';

/** The newest matches that are sent once more; with older ones the answer is `truncated`. */
const MOST_REPLAYED = 1_000;

interface Wish {
  readonly cursor: string | null | undefined;
  readonly maxAgeMs: number | undefined;
}

interface CursorPlace {
  readonly position: Position;
  readonly notBefore: Position;
  /** Up to when gaps were told, if any were: of one that lasts, its beginning. */
  readonly told: number | undefined;
}

/**
 * A gap does not move the place of a poll, so the cursor of the answer that told of it says so in a second part: the gap is told
 * once, and again where that answer was lost.
 */
const TOLD_AFTER = '.';

export function pollCursor(
  { cursors }: Pick<AgentsRoom, 'cursors'>,
  { account }: Caller,
  position: Position,
  told: number | undefined,
): string {
  const write = (place: Position) => cursors.writePlace(account.id, 'event', place);
  return told === undefined ? write(position) : `${write(position)}${TOLD_AFTER}${write(positionAt(told))}`;
}

/** The position that a cursor stands for, and the oldest one that is wanted. Undefined: from now on. */
export function cursorPlace(
  { cursors, clock }: Pick<AgentsRoom, 'cursors' | 'clock'>,
  { account }: Caller,
  { cursor, maxAgeMs }: Wish,
): CursorPlace | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  const [place, told] = cursor.split(TOLD_AFTER, 2);
  const read = (part: string) => cursors.read(account.id, 'event', 'cursor', part);
  const oldest = maxAgeMs === undefined ? 0 : positionAt(clock.now().getTime() - maxAgeMs);
  return { position: read(place!), notBefore: oldest, told: told === undefined ? undefined : timeOf(read(told)) };
}

export interface Begun {
  readonly cursor: string;
  /** Events after the cursor of the request are missing. */
  readonly truncated: boolean;
}

export interface Beginning {
  readonly start: Position;
  /** Owed by the write that makes the subscription: a crash after it loses none. `carryOut` drops what is not wanted. */
  readonly catchUp: CatchUp;
  carryOut(webhook: Webhook): Promise<Begun>;
}

/** The cursor's place, the oldest match that is kept, and where to begin by both. */
async function placesOf(
  { store, clock }: AgentsRoom,
  { isMatch }: EventType,
  place: ReturnType<typeof cursorPlace>,
): Promise<{ after: Position; oldest: Position; start: Position }> {
  const reached = isMatch ? await store.latest() : positionAt(clock.now().getTime());
  const after = place === undefined ? reached : Math.min(place.position, reached);
  const oldest = (await store.oldest()) - 1;
  return { after, oldest, start: Math.max(after, place?.notBefore ?? 0, isMatch ? oldest : 0) };
}

/** Finds the place where a poll goes on, whether something before that is left out, and up to when gaps are then told. */
export async function pollAfter(
  context: AgentsRoom,
  caller: Caller,
  { type, chosen }: { readonly type: EventType; readonly chosen: EventArguments },
  place: CursorPlace,
): Promise<{ start: Position; truncated: boolean; told: number | undefined }> {
  const { after, oldest, start } = await placesOf(context, type, place);
  const gaps = await gapsToTell(context, caller, chosen, { after, told: place.told });
  const truncated = gaps.length > 0 || (await isCut(context, caller, type, chosen, { after, begun: start, oldest }));
  const ends = gaps.map(({ from, to = from }) => to.getTime());
  return { start, truncated, told: gaps.length === 0 ? place.told : Math.max(...ends, place.told ?? 0) };
}

/** Begins a subscription that is new or had ended. */
export async function beginAfter(
  context: AgentsRoom,
  caller: Caller,
  { type, chosen }: { readonly type: EventType; readonly chosen: EventArguments },
  place: ReturnType<typeof cursorPlace>,
): Promise<Beginning> {
  const { store } = context;
  const { after, oldest, start } = await placesOf(context, type, place);
  return {
    start,
    catchUp: { after: start, limit: MOST_REPLAYED },
    async carryOut({ id, accountId }) {
      const begun = await store.replay(id, start, MOST_REPLAYED);
      const cursor = context.cursors.writePlace(accountId, 'event', begun);
      if (place === undefined) return { cursor, truncated: false };
      const isMissing =
        type.isMatch && (await gapsToTell(context, caller, chosen, { after, told: place.told })).length > 0;
      const truncated = isMissing || (await isCut(context, caller, type, chosen, { after, begun, oldest }));
      return { cursor, truncated };
    },
  };
}

/** Whether matches between the cursor and the beginning are left out. */
async function isCut(
  { store }: AgentsRoom,
  { account }: Caller,
  { isMatch }: EventType,
  { rule_id: ruleId }: EventArguments,
  { after, begun, oldest }: { after: Position; begun: Position; oldest: Position },
): Promise<boolean> {
  if (!isMatch || ruleId === undefined) return false;
  if (after < oldest) return true;
  const [first] = (await store.matchesAfter({ accountId: account.id, ruleId, after, limit: 1 })).matches;
  return first !== undefined && first.position <= begun;
}

/** More gaps of one platform are told no better. */
const MOST_GAPS = 50;

/** In which matches of a rule after the cursor may have been missed. One that lasts is told when it begins, and when it has ended. */
async function gapsToTell(
  { store }: AgentsRoom,
  { account }: Caller,
  { rule_id: ruleId }: EventArguments,
  { after, told = Number.NEGATIVE_INFINITY }: { after: Position; told: number | undefined },
): Promise<Gap[]> {
  if (ruleId === undefined) return [];
  const rule = await store.rule(account.id, ruleId);
  // A gap that ended at the time of the cursor was over when the cursor was given.
  const since = new Date(Math.max(timeOf(after), told) + 1);
  const missing = { since, accountId: account.id, ruleId, isMissing: true, limit: MOST_GAPS } as const;
  const platforms = PLATFORMS.filter((one) => rule?.platforms[one] !== undefined);
  const gaps = await Promise.all(platforms.map((platform) => store.gaps({ platform, ...missing })));
  return gaps.flat().filter(({ from, to }) => to !== undefined || from.getTime() > told);
}

/** The cursor of a subscription that goes on: that of the request is not needed. */
export async function settledCursor(
  { store, clock, cursors }: Pick<AgentsRoom, 'store' | 'clock' | 'cursors'>,
  webhook: Webhook,
): Promise<Begun> {
  const isMatch = webhook.events.includes('match');
  const reached = isMatch ? await store.watermark(webhook.id) : await store.watermark(webhook.id, clock.now());
  const settled = Math.max(reached, webhook.subscription?.start ?? 0);
  return { cursor: cursors.writePlace(webhook.accountId, 'event', settled), truncated: false };
}
