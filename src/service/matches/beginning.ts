/** Finds the place where a caller begins to wait, so that nothing lies between two of its calls. */
import { readId } from '../../base/ids.ts';
import { positionAt } from '../../store/order.ts';
import type { Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import type { MatchesRoom } from './room.ts';

export interface Beginning {
  /** `told_again`: after matches that the caller confirmed, before others that it was told of and did not confirm. */
  readonly began: 'rule_created' | 'last_told' | 'told_again' | 'now';
  readonly position: Position;
}

/** Clocks of several nodes may differ by this much. Before its creation a rule has no match, so an earlier place is as good. */
const CLOCKS_DIFFER_MS = 120_000;

const beforeRule = (ruleId: string): Position | undefined => {
  const made = readId('rule', ruleId);
  return made && positionAt(made.time - CLOCKS_DIFFER_MS);
};

/** The place where a wait without a cursor begins. */
export async function beginningOf(
  context: MatchesRoom,
  caller: Caller,
  ruleId: string | undefined,
): Promise<Beginning> {
  const told = context.toldPlaces.last(caller, ruleId);
  if (told !== undefined) return { began: told.isTold ? 'told_again' : 'last_told', position: told.position };
  const created = ruleId === undefined ? undefined : beforeRule(ruleId);
  if (created !== undefined) return { began: 'rule_created', position: created };
  return { began: 'now', position: await context.store.latest() };
}

/** A caller that comes back with a cursor has kept the answer that it is from. */
export function confirmTold(context: MatchesRoom, caller: Caller, ruleId: string | undefined, cursor: string): void {
  const position = context.cursors.read(caller.account.id, 'newer', 'cursor', cursor);
  context.toldPlaces.note(caller, ruleId, position);
}

/** A cursor to wait from. A caller that was told nothing yet waits from there even without it. */
export function cursorAt(context: MatchesRoom, caller: Caller, position: Position): string {
  const { toldPlaces, cursors } = context;
  if (toldPlaces.last(caller, undefined) === undefined) toldPlaces.note(caller, undefined, position);
  return cursors.writePlace(caller.account.id, 'newer', position);
}

/** The place before the first match of a rule that a request made. A request that is repeated answers with a rule from before. */
export const placeBefore = (ruleId: string, latest: Position, began: Date): Position => {
  const made = readId('rule', ruleId)?.time ?? began.getTime();
  return made >= began.getTime() ? latest : (beforeRule(ruleId) ?? latest);
};
