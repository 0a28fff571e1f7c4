/** A batch of a webhook with a wake contract: what wakes becomes a delivery, what does not is held for a digest. */
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { WakeContract } from '../../domain/wake.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { decideWakes, wakeWindow } from '../../wakes/decide.ts';
import { deliveryBody, type Encode, FORMATS } from './formats.ts';
import type { FrozenBatch, Outbox } from './outbox.ts';

/** Matches in one digest. A window that held more has several. */
const DIGEST_MATCHES = 10_000;

export interface WakeBatchDeps {
  readonly outbox: Pick<Outbox, 'wakeStories'>;
  readonly encode: Encode;
}

/** `owed` is not empty. Answers a batch that takes at least its first match. */
export async function wakeBatch(
  { outbox, encode }: WakeBatchDeps,
  webhook: Webhook,
  contract: WakeContract,
  owed: readonly Match[],
  at: Date,
): Promise<Pick<FrozenBatch, 'positions' | 'body' | 'wake'>> {
  const candidates = owed.map(({ storyId, relevance = null }) => ({ story: storyId, relevance }));
  const ids = [...new Set(candidates.flatMap(({ story }) => story ?? []))];
  const past = { account: webhook.wakeAccount, stories: await outbox.wakeStories(webhook.id, ids) };
  for (let mostWakes = FORMATS[webhook.format].matches; ; ) {
    const { wakes, account, stories } = decideWakes(contract, past, candidates, { now: at, mostWakes });
    const waking = owed.filter((_, index) => wakes[index] === true);
    const body = deliveryBody(webhook, waking, encode);
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
        digest: { id: newId('dlv', at), dueAt: wakeWindow(contract, at).until, most: DIGEST_MATCHES },
      },
    };
  }
}
