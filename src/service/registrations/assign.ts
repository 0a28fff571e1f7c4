/** Finds a slot for each text that is to be held, has the drafts registered, and answers the requests. */
import { PlatformError } from '../../platforms/platform.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import { isLeaving } from './due.ts';
import { type Member, type Placement, place, type RegistrationDraft, type Standing } from './packing.ts';
import { noRoom, packMembers, type QueueState, roomOf } from './queue-state.ts';
import { registerDrafts } from './register-drafts.ts';
import type { HoldRequest } from './requests.ts';

/** Answers every request, but those whose slots are still taken by leaving registrations: it returns these. */
export async function assign(state: QueueState, requests: readonly HoldRequest[]): Promise<HoldRequest[]> {
  const open = Map.groupBy(
    requests.filter((request) => !answerHeld(state, request)),
    ({ text }) => textKey(text),
  );
  if (open.size === 0) return [];
  const askers = (members: readonly Member[]) => members.flatMap(({ text }) => open.get(textKey(text)) ?? []);
  try {
    const { drafts, waiting, refused } = await placementOf(
      state,
      [...open.values()].map(([first]) => first!.text),
    );
    for (const { reject } of askers(refused)) reject(noRoom(state));
    const again: HoldRequest[] = [];
    for (const { draft, error } of await registerDrafts(state, drafts)) {
      again.push(...(await askAgain(state, draft, askers(draft.members), error)));
    }
    for (const request of requests) answerHeld(state, request);
    const parked = askers(waiting);
    if (state.table.rows().some(isLeaving)) return [...parked, ...(await assign(state, again))];
    for (const { reject } of parked) reject(noRoom(state));
    return assign(state, again);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    for (const { reject } of requests) reject(error);
    return [];
  }
}

function answerHeld({ table }: QueueState, { text, resolve }: HoldRequest): boolean {
  const id = table.holderOf(text)?.platformRuleId;
  if (id !== undefined) resolve(id);
  return id !== undefined;
}

/** Before a text is refused or has to wait, the capacity is read again. */
async function placementOf(state: QueueState, texts: readonly RuleText[]): Promise<Placement> {
  const isFresh = state.capacity === undefined;
  const placement = await placeIn(state, texts);
  const isWhole = placement.refused.length + placement.waiting.length === 0;
  if (isWhole || isFresh) return placement;
  state.capacity = undefined;
  return placeIn(state, texts);
}

async function placeIn(state: QueueState, texts: readonly RuleText[]): Promise<Placement> {
  const room = await roomOf(state);
  const isTight = texts.length > Math.min(room.free, room.now);
  const newcomers = isTight ? await packMembers(state, texts) : texts.map((text) => ({ text, part: undefined }));
  const standing = isTight ? await standingOf(state) : [];
  return place(newcomers, () => standing, room);
}

/** The registrations that may be joined with others. */
async function standingOf(state: QueueState): Promise<Standing[]> {
  const { table } = state;
  const standing: Standing[] = [];
  for (const row of table.rows()) {
    const members = row.state === 'held' ? await packMembers(state, table.heldIn(row)) : [];
    if (members.length > 0 && members.every(({ part }) => part !== undefined)) standing.push({ tag: row.tag, members });
  }
  return standing;
}

/** After a draft failed: returns the requests that may try once more, and refuses all others. */
async function askAgain(
  state: QueueState,
  { members }: RegistrationDraft,
  askers: readonly HoldRequest[],
  error: PlatformError,
): Promise<HoldRequest[]> {
  if (error.fault === 'limit' && error.retryAfter === undefined) {
    // Another program has taken slots: what we know of the capacity is old.
    state.capacity = undefined;
    for (const { reject, tries } of askers) if (tries > 0) reject(error);
    return askers.filter(({ tries }) => tries === 0).map((request) => ({ ...request, tries: 1 }));
  }
  if (error.fault === 'refused' && members.length > 1) return sift(state, askers, error);
  for (const { reject } of askers) reject(error);
  return [];
}

/** A pack was refused: the texts that the upstream refuses alone are refused, the others try again without them. */
async function sift(
  { platform }: QueueState,
  askers: readonly HoldRequest[],
  refusal: PlatformError,
): Promise<HoldRequest[]> {
  const fine: HoldRequest[] = [];
  for (const request of askers) {
    try {
      await platform.validate(request.text.value, request.text.flags);
      fine.push(request);
    } catch (error) {
      request.reject(error);
    }
  }
  if (fine.length < askers.length) return fine;
  for (const { reject } of fine) reject(refusal);
  return [];
}
