/** How texts come to be held: each finds its place, the drafts are carried out, and whoever waits is answered. */
import { PlatformError } from '../../platforms/platform.ts';
import { type RuleText, textKey } from '../rule-text.ts';
import { type Member, type Placement, place, type RegistrationDraft, type Standing } from './packing.ts';
import { noRoom, packMembers, type QueueState, roomOf } from './queue-state.ts';
import { registerDrafts } from './register-drafts.ts';
import { isLeaving } from './removal.ts';

/** Somebody who waits for a text to be held. */
export interface HoldRequest {
  readonly text: RuleText;
  readonly resolve: (platformRuleId: string) => void;
  readonly reject: (error: unknown) => void;
  readonly tries: number;
}

/** Answers everybody, but those whose slots are still taken by what is leaving: these are given back. */
export async function assign(state: QueueState, wants: readonly HoldRequest[]): Promise<HoldRequest[]> {
  const open = Map.groupBy(
    wants.filter((want) => !answerHeld(state, want)),
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
    for (const want of wants) answerHeld(state, want);
    const parked = askers(waiting);
    if (state.table.rows().some(isLeaving)) return [...parked, ...(await assign(state, again))];
    for (const { reject } of parked) reject(noRoom(state));
    return assign(state, again);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    for (const { reject } of wants) reject(error);
    return [];
  }
}

function answerHeld({ table }: QueueState, { text, resolve }: HoldRequest): boolean {
  const id = table.holderOf(text)?.platformRuleId;
  if (id !== undefined) resolve(id);
  return id !== undefined;
}

/** Nobody is turned away on the word of old figures. */
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

/** What follows from a draft that could not be made: whoever may have another try is given back, all others are told. */
async function askAgain(
  state: QueueState,
  { members }: RegistrationDraft,
  askers: readonly HoldRequest[],
  error: PlatformError,
): Promise<HoldRequest[]> {
  if (error.fault === 'limit' && error.retryAfter === undefined) {
    // Somebody else has taken slots: what we know of them is old.
    state.capacity = undefined;
    for (const { reject, tries } of askers) if (tries > 0) reject(error);
    return askers.filter(({ tries }) => tries === 0).map((want) => ({ ...want, tries: 1 }));
  }
  if (error.fault === 'refused' && members.length > 1) return sift(state, askers, error);
  for (const { reject } of askers) reject(error);
  return [];
}

/** A pack was refused: those whose own text is at fault are told, the others try again without them. */
async function sift(
  { platform }: QueueState,
  askers: readonly HoldRequest[],
  refusal: PlatformError,
): Promise<HoldRequest[]> {
  const fine: HoldRequest[] = [];
  for (const want of askers) {
    try {
      await platform.validate(want.text.value, want.text.flags);
      fine.push(want);
    } catch (error) {
      want.reject(error);
    }
  }
  if (fine.length < askers.length) return fine;
  for (const { reject } of fine) reject(refusal);
  return [];
}
