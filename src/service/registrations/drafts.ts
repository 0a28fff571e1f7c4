/** From drafts to registrations: each is written down as an intent, then the upstream is asked once for all of them. */
import type { Registration } from '../../domain/registration.ts';
import { PlatformError, type Registered } from '../../platforms/platform.ts';
import { packRules } from '../../rules/pack.ts';
import type { RegistrationChange } from '../../store/store.ts';
import { keyOf } from '../rule-text.ts';
import { createPauses } from '../yielding.ts';
import { type DeskState, newTag, noRoom } from './desk-state.ts';
import type { Draft } from './packing.ts';

/** Texts read between two pauses: each is read again to prove the pack that it is in. */
const PACKED_AT_ONCE = 50;

/** A draft as it was written down. */
interface Intent {
  readonly draft: Draft;
  readonly row: Registration;
}

export interface FailedDraft {
  readonly draft: Draft;
  readonly error: PlatformError;
}

/** Makes the drafts, and answers those that could not be made. What they would have replaced then stays. */
export async function carryOut(state: DeskState, drafts: readonly Draft[]): Promise<FailedDraft[]> {
  const intents: Intent[] = [];
  const failed: FailedDraft[] = [];
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
  const value = texts.length === 1 ? texts[0] : packRules(language, texts);
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
