/** Registers drafts: each is stored as an intent first, then the upstream is asked once for all of them. */
import { createPauses } from '../../base/cooperate.ts';
import type { Registration } from '../../domain/registration.ts';
import { PlatformError, type Registered } from '../../platforms/platform.ts';
import { packRules } from '../../rules/pack.ts';
import { textKey } from '../../rules/rule-text.ts';
import type { RegistrationChange } from '../../store/store.ts';
import type { RegistrationDraft } from './packing.ts';
import { newTag, noRoom, type QueueState } from './queue-state.ts';
import { activeHolders } from './rule-status.ts';

/** Texts read between two pauses. Each is read again to prove the pack that it is in. */
const TEXTS_PER_PAUSE = 50;

/** A draft as it was stored. */
interface Intent {
  readonly draft: RegistrationDraft;
  readonly row: Registration;
}

export interface FailedDraft {
  readonly draft: RegistrationDraft;
  readonly error: PlatformError;
}

/** Returns the drafts that could not be registered. What they would have replaced stays. */
export async function registerDrafts(state: QueueState, drafts: readonly RegistrationDraft[]): Promise<FailedDraft[]> {
  const intents: Intent[] = [];
  const failed: FailedDraft[] = [];
  const pause = createPauses(TEXTS_PER_PAUSE);
  for (const draft of drafts) {
    await pause(draft.members.length);
    const row = rowOf(state, draft);
    if (row === undefined) failed.push({ draft, error: noRoom(state) });
    else intents.push({ draft, row });
  }
  if (intents.length === 0) return failed;
  await state.table.write({ put: intents.map(({ row }) => row) });
  const answers = await register(state, intents);
  for (const { text } of intents.flatMap(({ draft }, at) => ('id' in answers[at]! ? draft.members : []))) {
    state.table.want(text);
    state.refusals.delete(textKey(text));
  }
  await state.table.write(changeFor(state, intents, answers));
  for (const [at, { draft }] of intents.entries()) {
    const answer = answers[at]!;
    if ('error' in answer) failed.push({ draft, error: answer.error });
    else if (answer.adopted === false) state.ours.add(answer.id);
  }
  return failed;
}

function rowOf(
  { platform, language, clock, prefix }: QueueState,
  { members }: RegistrationDraft,
): Registration | undefined {
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
async function register({ platform }: QueueState, intents: readonly Intent[]): Promise<Registered[]> {
  const silent = { error: new PlatformError('unreachable', 'The platform did not say what became of the rule.') };
  try {
    const answers = await platform.register(intents.map(({ row: { value, flags, tag } }) => ({ value, flags, tag })));
    return intents.map((_, at) => answers[at] ?? silent);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return intents.map(() => ({ error }));
  }
}

function changeFor({ table, clock }: QueueState, intents: readonly Intent[], answers: readonly Registered[]) {
  const since = clock.now();
  const put: Registration[] = [];
  const drop: string[] = [];
  const holders: NonNullable<RegistrationChange['holders']>[number][] = [];
  const rows = new Map(table.rows().map((row) => [row.tag, row]));
  for (const [at, { draft, row }] of intents.entries()) {
    const answer = answers[at]!;
    if ('error' in answer) {
      // Without an answer it may be held all the same: it is looked for, and removed.
      if (isCertain(answer.error)) drop.push(row.tag);
      else put.push({ ...row, state: 'leaving', since });
      continue;
    }
    put.push({ ...row, platformRuleId: answer.id, state: 'held', since });
    for (const tag of draft.replaces) put.push({ ...rows.get(tag)!, state: 'leaving', since });
    for (const { tag, state } of table.byId(answer.id)) if (state !== 'held') drop.push(tag);
    const texts = draft.members.map(({ text }) => text);
    holders.push(...activeHolders(row.platform, texts, answer.id));
  }
  return { put, drop, holders };
}

const isCertain = ({ fault }: PlatformError): boolean => fault === 'refused' || fault === 'limit';
