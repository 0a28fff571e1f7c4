/** How texts come to be held: each finds its place, the place is written down, and the upstream is asked once for all. */
import type { Registration } from '../../domain/registration.ts';
import { PlatformError, type Registered } from '../../platforms/platform.ts';
import { pack } from '../../rules/pack.ts';
import type { RegistrationChange } from '../../store/store.ts';
import { keyOf, type RuleText } from '../rule-text.ts';
import { createPauses } from '../yielding.ts';
import { type DeskState, membersOf, newTag, noRoom, roomOf } from './desk-state.ts';
import { type Draft, type Member, type Placement, place, type Standing } from './packing.ts';
import { isLeaving } from './removal.ts';

/** Texts read between two pauses: each is read again to prove the pack that it is in. */
const PACKED_AT_ONCE = 50;

/** Somebody who waits for a text to be held. */
export interface Want {
  readonly text: RuleText;
  readonly resolve: (platformRuleId: string) => void;
  readonly reject: (error: unknown) => void;
  readonly tries: number;
}

/** A draft as it was written down. */
interface Intent {
  readonly draft: Draft;
  readonly row: Registration;
}

/** Answers everybody, but those whose slots are still taken by what is leaving: these are given back. */
export async function placeWants(state: DeskState, wants: readonly Want[]): Promise<Want[]> {
  const open = Map.groupBy(
    wants.filter((want) => !answerHeld(state, want)),
    ({ text }) => keyOf(text),
  );
  if (open.size === 0) return [];
  const askers = (members: readonly Member[]) => members.flatMap(({ text }) => open.get(keyOf(text)) ?? []);
  try {
    const { drafts, waiting, refused } = await placementOf(
      state,
      [...open.values()].map(([first]) => first!.text),
    );
    for (const { reject } of askers(refused)) reject(noRoom(state));
    const again: Want[] = [];
    for (const { draft, error } of await carryOut(state, drafts)) {
      again.push(...(await askAgain(state, draft, askers(draft.members), error)));
    }
    for (const want of wants) answerHeld(state, want);
    const parked = askers(waiting);
    if (state.book.rows().some(isLeaving)) return [...parked, ...(await placeWants(state, again))];
    for (const { reject } of parked) reject(noRoom(state));
    return placeWants(state, again);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    for (const { reject } of wants) reject(error);
    return [];
  }
}

function answerHeld({ book }: DeskState, { text, resolve }: Want): boolean {
  const id = book.home(text)?.platformRuleId;
  if (id !== undefined) resolve(id);
  return id !== undefined;
}

/** Nobody is turned away on the word of old figures. */
async function placementOf(state: DeskState, texts: readonly RuleText[]): Promise<Placement> {
  const isFresh = state.capacity === undefined;
  const placement = await placeIn(state, texts);
  const isWhole = placement.refused.length + placement.waiting.length === 0;
  if (isWhole || isFresh) return placement;
  state.capacity = undefined;
  return placeIn(state, texts);
}

async function placeIn(state: DeskState, texts: readonly RuleText[]): Promise<Placement> {
  const room = await roomOf(state);
  const isTight = texts.length > Math.min(room.free, room.now);
  const newcomers = isTight ? await membersOf(state, texts) : texts.map((text) => ({ text, part: undefined }));
  const standing = isTight ? await standingOf(state) : [];
  return place(newcomers, () => standing, room);
}

/** The registrations that may be joined with others. */
async function standingOf(state: DeskState): Promise<Standing[]> {
  const { book } = state;
  const standing: Standing[] = [];
  for (const row of book.rows()) {
    const members = row.state === 'held' ? await membersOf(state, book.livingIn(row)) : [];
    if (members.length > 0 && members.every(({ part }) => part !== undefined)) standing.push({ tag: row.tag, members });
  }
  return standing;
}

/** Makes the drafts, and answers those that could not be made. What they would have replaced then stays. */
export async function carryOut(
  state: DeskState,
  drafts: readonly Draft[],
): Promise<{ draft: Draft; error: PlatformError }[]> {
  const intents: Intent[] = [];
  const failed: { draft: Draft; error: PlatformError }[] = [];
  const pause = createPauses(PACKED_AT_ONCE);
  for (const draft of drafts) {
    await pause(draft.members.length);
    const row = rowOf(state, draft);
    if (row === undefined) failed.push({ draft, error: noRoom(state) });
    else intents.push({ draft, row });
  }
  if (intents.length === 0) return failed;
  await state.book.write({ put: intents.map(({ row }) => row) });
  const answers = await register(state, intents);
  for (const { text } of intents.flatMap(({ draft }, at) => ('id' in answers[at]! ? draft.members : []))) {
    state.book.want(text);
    state.refusals.delete(keyOf(text));
  }
  await state.book.write(changeFor(state, intents, answers));
  for (const [at, { draft }] of intents.entries()) {
    const answer = answers[at]!;
    if ('error' in answer) failed.push({ draft, error: answer.error });
    else if (answer.adopted === false) state.ours.add(answer.id);
  }
  return failed;
}

function rowOf({ platform, language, clock, prefix }: DeskState, { members }: Draft): Registration | undefined {
  const texts = members.map(({ text }) => text.value);
  const value = texts.length === 1 ? texts[0] : pack(language, texts);
  if (value === undefined) return undefined;
  return {
    tag: newTag(prefix),
    platform: platform.name,
    value,
    flags: members[0]!.text.flags,
    texts,
    platformRuleId: undefined,
    state: 'wanted',
    since: clock.now(),
  };
}

/** An answer for every intent. */
async function register({ platform }: DeskState, intents: readonly Intent[]): Promise<Registered[]> {
  const silent = { error: new PlatformError('unreachable', 'The platform did not answer for the rule.') };
  try {
    const answers = await platform.register(intents.map(({ row: { value, flags, tag } }) => ({ value, flags, tag })));
    return intents.map((_, at) => answers[at] ?? silent);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return intents.map(() => ({ error }));
  }
}

function changeFor({ book, clock }: DeskState, intents: readonly Intent[], answers: readonly Registered[]) {
  const since = clock.now();
  const put: Registration[] = [];
  const drop: string[] = [];
  const holders: NonNullable<RegistrationChange['holders']>[number][] = [];
  const rows = new Map(book.rows().map((row) => [row.tag, row]));
  for (const [at, { draft, row }] of intents.entries()) {
    const answer = answers[at]!;
    if ('error' in answer) {
      // When no answer came, it may be held all the same: it is looked for, and taken away.
      if (isCertain(answer.error)) drop.push(row.tag);
      else put.push({ ...row, state: 'leaving', since });
      continue;
    }
    put.push({ ...row, platformRuleId: answer.id, state: 'held', since });
    for (const tag of draft.replaces) put.push({ ...rows.get(tag)!, state: 'leaving', since });
    for (const { tag, state } of book.byId(answer.id)) if (state !== 'held') drop.push(tag);
    for (const { text } of draft.members) {
      holders.push({ platform: row.platform, ...text, status: 'active', platformRuleId: answer.id });
    }
  }
  return { put, drop, holders };
}

const isCertain = ({ fault }: PlatformError): boolean => fault === 'refused' || fault === 'limit';

/** What follows from a draft that could not be made: whoever may have another try is given back, all others are told. */
async function askAgain(
  state: DeskState,
  { members }: Draft,
  askers: readonly Want[],
  error: PlatformError,
): Promise<Want[]> {
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
async function sift({ platform }: DeskState, askers: readonly Want[], refusal: PlatformError): Promise<Want[]> {
  const fine: Want[] = [];
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
