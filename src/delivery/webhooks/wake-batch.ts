/** A batch of a webhook with a wake contract: what wakes becomes a delivery, what does not is held for a digest. */
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { WakeContract } from '../../domain/wake.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { decideWakes, digestDue } from '../../wakes/decide.ts';
import { afterQuiet } from '../../wakes/local-time.ts';
import type { DeliveryBody } from './formats.ts';
import type { FrozenBatch, Outbox } from './outbox.ts';
import { policyOf } from './policies.ts';

/** Matches that a contract decides at a time. */
export const DECIDED_AT_ONCE = 100;
/** Matches in one digest. A window that held more has several. */
const DIGEST_MATCHES = 10_000;

/** `owed` is not empty. Answers a batch that takes at least its first match. */
export async function wakeBatch(
  outbox: Pick<Outbox, 'wakeStories'>,
  webhook: Webhook,
  contract: WakeContract,
  owed: readonly Match[],
  { at, write }: { at: Date; write: (waking: readonly Match[]) => DeliveryBody },
): Promise<Pick<FrozenBatch, 'positions' | 'body' | 'wake'>> {
  const candidates = owed.map(({ storyId, relevance = null }) => ({ story: storyId, relevance }));
  const ids = [...new Set(candidates.flatMap(({ story }) => story ?? []))];
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
        stories,
        held: held.map(({ position, storyId }) => ({ position, story: storyId })),
        digest: {
          id: newId('dlv', at),
          dueAt: digestDue(contract, at),
          most: DIGEST_MATCHES,
          ...(isFull && { fullAt: afterQuiet(contract.quiet, at) }),
        },
      },
    };
  }
}

const NO_BODY: DeliveryBody = { text: '', matches: 0 };
