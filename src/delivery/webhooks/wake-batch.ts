/** A batch of a webhook with a wake contract, or of an account with silences: what wakes becomes a delivery, what does not is held for a digest. */
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { Silence } from '../../domain/silence.ts';
import type { WakeContract } from '../../domain/wake.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { decideWakes, digestDue } from '../../wakes/decide.ts';
import { afterQuiet } from '../../wakes/local-time.ts';
import { silenceOf } from '../../wakes/silences.ts';
import type { DeliveryBody } from './formats.ts';
import type { FrozenBatch, Outbox } from './outbox.ts';
import { policyOf } from './policies.ts';

/** Matches that a contract decides at a time. */
export const DECIDED_AT_ONCE = 100;
/** Matches in one digest. A window that held more has several. */
const DIGEST_MATCHES = 10_000;
/** Without a contract everything wakes that no silence covers. */
const EVERY_MATCH: WakeContract = { per: 'match' };

interface BatchContext {
  readonly at: Date;
  /** Those of the account that hold now. */
  readonly silences: readonly Silence[];
  readonly write: (waking: readonly Match[]) => DeliveryBody;
}

/** `waiting` is not empty. Answers a batch that takes at least its first match. */
export async function wakeBatch(
  outbox: Pick<Outbox, 'wakeStories'>,
  webhook: Webhook,
  waiting: readonly Match[],
  { at, silences, write }: BatchContext,
): Promise<Pick<FrozenBatch, 'positions' | 'body' | 'wake'>> {
  const { wake: contract = EVERY_MATCH } = webhook;
  const silencing = new Map(waiting.map((match) => [match.position, silenceOf(silences, match)]));
  const until = webhook.wake === undefined ? [...silencing.values()].find((one) => one !== undefined) : undefined;
  const owed = until === undefined ? waiting : ofOneSilence(waiting, silencing, until);
  const candidates = owed.map(({ position, storyId, relevance = null }) => ({
    story: storyId,
    relevance,
    isSilenced: silencing.get(position) !== undefined,
  }));
  const ids = webhook.wake === undefined ? [] : [...new Set(candidates.flatMap(({ story }) => story ?? []))];
  const past = { account: webhook.wakeAccount, stories: await outbox.wakeStories(webhook.id, ids) };
  for (let mostWakes = policyOf(webhook).matches; ; ) {
    const { wakes, account, stories, isFull } = decideWakes(contract, past, candidates, { now: at, mostWakes });
    const waking = owed.filter((_, index) => wakes[index] === true);
    const body = waking.length === 0 ? NO_BODY : write(waking);
    // The body is full: what comes after its last match is decided another time.
    if (body.matches < waking.length) {
      mostWakes = body.matches;
      continue;
    }
    const held = owed.filter((_, index) => wakes[index] === false);
    return {
      positions: waking.map(({ position }) => position),
      body: body.text,
      wake: {
        turn: webhook.wakeTurn ?? 0,
        account,
        stories: webhook.wake === undefined ? new Map() : stories,
        held: held.map(({ position, storyId }) => ({
          position,
          story: storyId,
          silence: silencing.get(position)?.id,
        })),
        digest: {
          id: newId('dlv', at),
          dueAt: until?.until ?? digestDue(contract, at),
          ...(until && { silence: until.id }),
          most: DIGEST_MATCHES,
          ...(isFull && { fullAt: afterQuiet(contract.quiet, at) }),
        },
      },
    };
  }
}

/** Without a contract, what a silence held is told when it ends: a digest is of one silence, and so is a batch. */
function ofOneSilence(
  waiting: readonly Match[],
  silencing: ReadonlyMap<number, Silence | undefined>,
  silence: Silence,
): readonly Match[] {
  const other = waiting.findIndex(({ position }) => (silencing.get(position) ?? silence) !== silence);
  return other === -1 ? waiting : waiting.slice(0, other);
}

const NO_BODY: DeliveryBody = { text: '', matches: 0 };
