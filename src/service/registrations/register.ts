/**
 * Has an upstream hold texts: finds a slot for each, stores what is to be registered as wanted, asks the upstream once for all of it, and
 * answers the requests.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { unhurried } from '../../base/cooperate.ts';
import type { Registration } from '../../domain/rule.ts';
import { type LivePlatform, PlatformError, type Registered } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import { type PackPart, packPart, packRules } from '../../rules/pack.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import { isLeaving } from './due.ts';
import { type Joinable, type Member, type Placement, place, type RegistrationDraft } from './packing.ts';
import { type RegistrationStep, registrationChange } from './registration-lifecycle.ts';
import type { RegistrationTable } from './registration-table.ts';
import type { HoldRequest } from './requests.ts';
import type { UpstreamSlots } from './slots.ts';

export interface RegisterDeps {
  readonly platform: LivePlatform;
  readonly language: Language;
  readonly table: RegistrationTable;
  readonly slots: UpstreamSlots;
  readonly clock: Clock;
  /** The tags of this instance's registrations begin with it. */
  readonly prefix: string;
  /** Ids that bear our mark upstream. */
  readonly ours: Set<string>;
  /** The part of a pack that each text takes, once it was read for one. */
  readonly packParts: Map<string, PackPart | undefined>;
  /** Texts that the upstream refused, and when to ask again. */
  readonly refusals: Map<string, { readonly tries: number; readonly again: number }>;
}

/** Answers every request, but those whose slots are still taken by leaving registrations: it returns these. */
export async function assign(state: RegisterDeps, requests: readonly HoldRequest[]): Promise<HoldRequest[]> {
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
    for (const { reject } of askers(refused)) reject(state.slots.full());
    const again: HoldRequest[] = [];
    for (const { draft, error } of await registerDrafts(state, drafts)) {
      again.push(...(await askAgain(state, draft, askers(draft.members), error)));
    }
    for (const request of requests) answerHeld(state, request);
    const parked = askers(waiting);
    if (state.table.rows().some(isLeaving)) return [...parked, ...(await assign(state, again))];
    for (const { reject } of parked) reject(state.slots.full());
    return assign(state, again);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    for (const { reject } of requests) reject(error);
    return [];
  }
}

function answerHeld({ table }: RegisterDeps, { text, resolve }: HoldRequest): boolean {
  const id = table.holderOf(text)?.platformRuleId;
  if (id !== undefined) resolve(id);
  return id !== undefined;
}

/** Before a text is refused or has to wait, the capacity is read again. */
async function placementOf(state: RegisterDeps, texts: readonly RuleText[]): Promise<Placement> {
  const isFresh = state.slots.capacity === undefined;
  const placement = await placeIn(state, texts);
  const isWhole = placement.refused.length + placement.waiting.length === 0;
  if (isWhole || isFresh) return placement;
  state.slots.doubt();
  return placeIn(state, texts);
}

async function placeIn(state: RegisterDeps, texts: readonly RuleText[]): Promise<Placement> {
  const room = await state.slots.room();
  const isTight = texts.length > Math.min(room.free, room.now);
  const newcomers = isTight ? await packMembers(state, texts) : texts.map((text) => ({ text, part: undefined }));
  const joinable = isTight ? await joinableOf(state) : [];
  return place(newcomers, () => joinable, room);
}

/** The registrations that may be joined with others. */
async function joinableOf(state: RegisterDeps): Promise<Joinable[]> {
  const { table } = state;
  const joinable: Joinable[] = [];
  for (const row of table.rows()) {
    const members = row.state === 'held' ? await packMembers(state, table.heldIn(row)) : [];
    if (members.length > 0 && members.every(({ part }) => part !== undefined)) joinable.push({ tag: row.tag, members });
  }
  return joinable;
}

/** After a draft failed: returns the requests that may try once more, and refuses all others. */
async function askAgain(
  state: RegisterDeps,
  { members }: RegistrationDraft,
  askers: readonly HoldRequest[],
  error: PlatformError,
): Promise<HoldRequest[]> {
  if (error.fault === 'limit' && error.retryAfter === undefined) {
    // Another program has taken slots: what we know of the capacity is old.
    state.slots.doubt();
    for (const { reject, tries } of askers) if (tries > 0) reject(error);
    return askers.filter(({ tries }) => tries === 0).map((request) => ({ ...request, tries: 1 }));
  }
  if (error.fault === 'refused' && members.length > 1) return sift(state, askers, error);
  for (const { reject } of askers) reject(error);
  return [];
}

/** A pack was refused: the texts that the upstream refuses alone are refused, the others try again without them. */
async function sift(
  { platform }: RegisterDeps,
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

/** The texts with what each of them takes of a pack. */
export async function packMembers(
  { language, packParts }: Pick<RegisterDeps, 'language' | 'packParts'>,
  texts: readonly RuleText[],
): Promise<Member[]> {
  const members: Member[] = [];
  for await (const text of unhurried(texts, (one) => (packParts.has(textKey(one)) ? 0 : 1))) {
    const key = textKey(text);
    if (!packParts.has(key)) packParts.set(key, packPart(language, text.value));
    members.push({ text, part: packParts.get(key) });
  }
  return members;
}

/** A draft, and the registration that was stored for it. */
interface Offer {
  readonly draft: RegistrationDraft;
  readonly row: Registration;
}

export interface FailedDraft {
  readonly draft: RegistrationDraft;
  readonly error: PlatformError;
}

/** Returns the drafts that could not be registered. What they would have replaced stays. */
export async function registerDrafts(
  state: RegisterDeps,
  drafts: readonly RegistrationDraft[],
): Promise<FailedDraft[]> {
  const offers: Offer[] = [];
  const failed: FailedDraft[] = [];
  // Each text of a draft is read again to prove the pack that it is in.
  for await (const draft of unhurried(drafts, ({ members }) => members.length)) {
    const row = rowOf(state, draft);
    if (row === undefined) failed.push({ draft, error: state.slots.full() });
    else offers.push({ draft, row });
  }
  if (offers.length === 0) return failed;
  await state.table.write({ put: offers.map(({ row }) => row) });
  const answers = await register(state, offers);
  for (const { text } of offers.flatMap(({ draft }, at) => ('id' in answers[at]! ? draft.members : []))) {
    state.table.want(text);
    state.refusals.delete(textKey(text));
  }
  await state.table.write(registrationChange(stepsFor(state, offers, answers)));
  for (const [at, { draft }] of offers.entries()) {
    const answer = answers[at]!;
    if ('error' in answer) failed.push({ draft, error: answer.error });
    else if (answer.adopted === false) state.ours.add(answer.id);
  }
  return failed;
}

function rowOf(
  { platform, language, clock, prefix }: RegisterDeps,
  { members }: RegistrationDraft,
): Registration | undefined {
  const texts = members.map(({ text }) => text.value);
  const value = texts.length === 1 ? texts[0] : packRules(language, texts);
  if (value === undefined) return undefined;
  return {
    // A mark that no other registration bears. It begins with the mark of this instance.
    tag: `${prefix}${randomBytes(8).toString('hex')}`,
    platform: platform.name,
    value,
    flags: members[0]!.text.flags,
    texts,
    platformRuleId: undefined,
    state: 'wanted',
    since: clock.now(),
  };
}

/** An answer for every offer. */
async function register({ platform }: RegisterDeps, offers: readonly Offer[]): Promise<Registered[]> {
  const silent = { error: new PlatformError('unreachable', 'The platform did not say what became of the rule.') };
  try {
    const answers = await platform.register(offers.map(({ row: { value, flags, tag } }) => ({ value, flags, tag })));
    return offers.map((_, at) => answers[at] ?? silent);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return offers.map(() => ({ error }));
  }
}

/** Without an answer it may be held all the same: it is looked for, and removed. */
const eventOf = (answer: Registered): RegistrationStep['event'] => {
  if (!('error' in answer)) return 'accepted';
  const { fault } = answer.error;
  return fault === 'refused' || fault === 'limit' ? 'refused' : 'unanswered';
};

/** A registration that is replaced leaves, and another one with the same id is dropped. */
function* stepsFor(
  { table, clock }: RegisterDeps,
  offers: readonly Offer[],
  answers: readonly Registered[],
): Iterable<RegistrationStep> {
  const at = clock.now();
  const rows = new Map(table.rows().map((row) => [row.tag, row]));
  for (const [index, { draft, row }] of offers.entries()) {
    const answer = answers[index]!;
    const id = 'id' in answer ? answer.id : undefined;
    yield { row, event: eventOf(answer), at, id };
    if (id === undefined) continue;
    for (const tag of draft.replaces) yield { row: rows.get(tag)!, event: 'unneeded', at };
    for (const other of table.byId(id)) if (other.state !== 'held') yield { row: other, event: 'superseded', at };
  }
}
