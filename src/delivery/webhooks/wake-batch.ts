/** A batch of a webhook with a wake contract, or of an account with silences: what wakes becomes a delivery, what does not is held for a digest. */
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { Silence, WakeContract } from '../../domain/wake.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { candidateOf } from '../../wakes/candidates.ts';
import { decideWakes, digestDue, type WakeCandidate } from '../../wakes/decide.ts';
import { afterQuiet } from '../../wakes/local-time.ts';
import { silenceOf } from '../../wakes/silences.ts';
import { policyOf } from './batching.ts';
import type { DeliveryBody } from './formats.ts';
import type { FrozenBatch, Outbox } from './outbox.ts';

/** Matches that a contract decides at a time. */
export const DECIDED_AT_ONCE = 100;
/** Their payloads, unless the first alone is larger: they are parsed in one turn. */
export const DECIDED_BYTES = 1024 * 1024;
/** Matches in one digest. A window that held more has several. */
const DIGEST_MATCHES = 10_000;
/** Without a contract everything wakes that no silence covers. */
const EVERY_MATCH: WakeContract = { per: 'match' };

interface BatchContext {
  readonly at: Date;
  /** The account's silences that hold now. */
  readonly silences: readonly Silence[];
  readonly write: (waking: readonly Match[], because: readonly string[]) => DeliveryBody;
}

/** `waiting` is not empty. Answers a batch that takes at least its first match. */
export async function wakeBatch(
  outbox: Pick<Outbox, 'wakeStories' | 'matchesAfter'>,
  webhook: Webhook,
  waiting: readonly Match[],
  { at, silences, write }: BatchContext,
): Promise<Pick<FrozenBatch, 'positions' | 'body' | 'note' | 'wake'>> {
  const { wake: contract = EVERY_MATCH } = webhook;
  const { owed, until } = silencedIn(webhook, waiting, silences);
  const candidates = await candidatesOf(outbox, webhook, contract, owed);
  const ids = webhook.wake === undefined ? [] : [...new Set(candidates.flatMap(({ story }) => story ?? []))];
  const past = { account: webhook.wakeAccount, stories: await outbox.wakeStories(webhook.id, ids) };
  for (let mostWakes = policyOf(webhook).matches; ; ) {
    const { wakes, account, stories, isFull, because } = decideWakes(contract, past, candidates, {
      now: at,
      mostWakes,
    });
    const waking = owed.filter((_, index) => wakes[index] === true).map(({ match }) => match);
    const body = waking.length === 0 ? NO_BODY : write(waking, because);
    // The body is full: what comes after its last match is decided another time.
    if (body.matches < waking.length) {
      mostWakes = body.matches;
      continue;
    }
    const held = owed.filter((_, index) => wakes[index] === false);
    return {
      positions: waking.map(({ position }) => position),
      body: body.text,
      note: body.note,
      wake: {
        turn: webhook.wakeTurn ?? 0,
        account,
        stories: webhook.wake === undefined ? new Map() : stories,
        held: held.map(heldOf),
        digest: { ...digestOf(contract, at, until), ...(isFull && { fullAt: afterQuiet(contract.quiet, at) }) },
      },
    };
  }
}

const digestOf = (contract: WakeContract, at: Date, until: Silence | undefined) => ({
  id: newId('dlv', at),
  dueAt: until?.until ?? digestDue(contract, at),
  most: DIGEST_MATCHES,
  ...(until && { silence: until.id }),
});

const heldOf = ({ match: { position, storyId }, silence }: OwedMatch) => ({
  position,
  story: storyId,
  silence: silence?.id,
});

async function candidatesOf(
  outbox: Pick<Outbox, 'matchesAfter'>,
  webhook: Webhook,
  contract: WakeContract,
  owed: readonly OwedMatch[],
): Promise<WakeCandidate[]> {
  const answers = await answersOf(outbox, webhook, owed);
  return owed.map(({ match, silence }, at) => ({
    ...candidateOf(contract, match, silence !== undefined),
    isAnswered: answers[at],
  }));
}

/**
 * Whether a match of the rule that must not follow has followed each within the time, which is over. They are in their order, and
 * what follows one mostly follows the next: it may have a megabyte, and is read once.
 */
async function answersOf(
  outbox: Pick<Outbox, 'matchesAfter'>,
  { accountId, wake }: Webhook,
  owed: readonly OwedMatch[],
): Promise<boolean[]> {
  const { without: ruleId, within = 0 } = wake?.when ?? {};
  if (ruleId === undefined) return [];
  const answers: boolean[] = [];
  let next = { position: -1, at: 0 };
  for (const { match } of owed) {
    if (next.position <= match.position) {
      const { matches } = await outbox.matchesAfter({ accountId, ruleId, after: match.position, limit: 1 });
      const { position = Infinity, createdAt } = matches[0] ?? {};
      next = { position, at: createdAt?.getTime() ?? Infinity };
    }
    answers.push(next.at - match.createdAt.getTime() <= within);
  }
  return answers;
}

interface OwedMatch {
  readonly match: Match;
  readonly silence: Silence | undefined;
}

/** Without a contract, what a silence held is told when it ends: a digest is of one silence, and so is a batch. */
function silencedIn(
  { wake }: Webhook,
  waiting: readonly Match[],
  silences: readonly Silence[],
): { owed: readonly OwedMatch[]; until?: Silence | undefined } {
  const owed = waiting.map((match) => ({ match, silence: silenceOf(silences, match) }));
  if (wake !== undefined) return { owed };
  const until = owed.find(({ silence }) => silence !== undefined)?.silence;
  const other = owed.findIndex(({ silence = until }) => silence !== until);
  return { owed: other === -1 ? owed : owed.slice(0, other), until };
}

const NO_BODY: DeliveryBody = { text: '', matches: 0 };
