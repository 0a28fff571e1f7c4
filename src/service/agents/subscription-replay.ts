/**
 * Finds the place where a subscription begins, and what it catches up on. A cursor never lies beyond what was delivered
 * or given up.
 */
import { PLATFORMS } from '../../domain/platform.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { positionAt, timeOf } from '../../store/order.ts';
import type { Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import type { EventArguments, EventType } from '../webhooks/event-types.ts';
import type { AgentsRoom } from './room.ts';

/** The newest matches that are sent once more; with older ones the answer is `truncated`. */
const MOST_REPLAYED = 1_000;

interface Wish {
  readonly cursor: string | null | undefined;
  readonly maxAgeMs: number | undefined;
}

/** The position that a cursor stands for, and the oldest one that is wanted. Undefined: from now on. */
export function cursorPlace(
  { cursors, clock }: Pick<AgentsRoom, 'cursors' | 'clock'>,
  { account }: Caller,
  { cursor, maxAgeMs }: Wish,
): { position: Position; notBefore: Position } | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  const position = cursors.read(account.id, 'event', 'cursor', cursor);
  const oldest = maxAgeMs === undefined ? 0 : positionAt(clock.now().getTime() - maxAgeMs);
  return { position, notBefore: oldest };
}

export interface Begun {
  readonly cursor: string;
  /** Events after the cursor of the request are missing. */
  readonly truncated: boolean;
}

export interface Beginning {
  readonly start: Position;
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

/** Finds the place where a poll goes on, and whether something before that is left out. */
export async function pollAfter(
  context: AgentsRoom,
  caller: Caller,
  { type, chosen }: { readonly type: EventType; readonly chosen: EventArguments },
  place: ReturnType<typeof cursorPlace>,
): Promise<{ start: Position; truncated: boolean }> {
  const { after, oldest, start } = await placesOf(context, type, place);
  return { start, truncated: await isCut(context, caller, type, chosen, { after, begun: start, oldest }) };
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
    async carryOut({ id, accountId }) {
      const begun = await store.replay(id, start, MOST_REPLAYED);
      const cursor = context.cursors.writePlace(accountId, 'event', begun);
      const truncated = place !== undefined && (await isCut(context, caller, type, chosen, { after, begun, oldest }));
      return { cursor, truncated };
    },
  };
}

/** Whether matches between the cursor and the beginning are left out, or some of that time were never seen. */
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
  if (first !== undefined && first.position <= begun) return true;
  const rule = await store.rule(account.id, ruleId);
  for (const platform of PLATFORMS.filter((one) => rule?.platforms[one] !== undefined)) {
    const since = new Date(timeOf(after));
    const missing = { platform, since, accountId: account.id, ruleId, isMissing: true as const, limit: 1 };
    if ((await store.gaps(missing)).length > 0) return true;
  }
  return false;
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
