/** Webhooks. */
import type { Bug } from '../bug.ts';

export const deliveryBugs: readonly Bug[] = [
  {
    id: 'delivery-gives-up-early',
    hurts: 'A receiver that is down for an hour loses deliveries that had attempts left.',
    file: 'src/delivery/webhooks/outcome.ts',
    find: 'const step = schedule[made - 1];',
    replace: 'const step = schedule[made];',
    caughtBy: {
      file: 'src/delivery/webhooks/schedule.test.ts',
      test: 'spreads retries to both sides, and never cuts short what the receiver asked for',
    },
  },
  {
    id: 'delivery-ignores-retry-after',
    hurts: 'A receiver that asks for an hour of quiet is asked again within seconds.',
    file: 'src/delivery/webhooks/outcome.ts',
    find: 'Math.max(retryAfter ?? 0, least)',
    replace: 'least',
    caughtBy: {
      file: 'src/delivery/webhooks/schedule.test.ts',
      test: 'leaves a receiver alone that had too much, and gives it the time it asks for within reason',
    },
  },
  {
    id: 'delivery-waits-for-ever',
    hurts: 'A receiver that answers with a retry-after of a year never hears of anything again.',
    file: 'src/delivery/webhooks/outcome.ts',
    find: 'MOST_PATIENCE * least);',
    replace: 'Infinity);',
    caughtBy: {
      file: 'src/delivery/webhooks/schedule.test.ts',
      test: 'leaves a receiver alone that had too much, and gives it the time it asks for within reason',
    },
  },
  {
    id: 'delivery-redirect-is-success',
    hurts: 'A receiver whose address moved gets nothing, and every delivery is told as delivered.',
    file: 'src/delivery/webhooks/sender.ts',
    find: 'if (statusCode >= 200 && statusCode < 300) return undefined;',
    replace: 'if (statusCode >= 200 && statusCode < 400) return undefined;',
    caughtBy: { file: 'src/delivery/webhooks/sender.test.ts', test: 'takes 301 for a failure' },
  },
  {
    id: 'delivery-gone-is-asked-on',
    hurts: 'A receiver that said 410 is asked for days.',
    file: 'src/delivery/webhooks/outcome.ts',
    find: 'if (sent.statusCode === GONE) return',
    replace: 'if (sent.statusCode === GONE && failingSince !== undefined) return',
    caughtBy: { file: 'src/delivery/webhooks/outcome.test.ts', test: 'disables a webhook that is gone, at once' },
  },
  {
    id: 'delivery-disabled-too-soon',
    hurts: 'A webhook is switched off after its second failure, and its owner misses everything from then on.',
    file: 'src/delivery/webhooks/outcome.ts',
    find: 'now.getTime() - failingSince.getTime() < DISABLED_AFTER',
    replace: 'now.getTime() - failingSince.getTime() > DISABLED_AFTER',
    caughtBy: {
      file: 'src/delivery/webhooks/outcome.test.ts',
      test: 'starts the clock with two failures within a day, and disables after five days without a success',
    },
  },
  {
    id: 'delivery-never-recovers',
    hurts: 'A webhook that works again still counts as failing, and is switched off days later.',
    file: 'src/delivery/webhooks/outcome.ts',
    find: 'health: NO_FAILURES, recovered',
    replace: 'health: context.health, recovered',
    caughtBy: { file: 'src/delivery/webhooks/outcome.test.ts', test: 'forgets all failures when one is delivered' },
  },
  {
    id: 'delivery-retry-with-another-id',
    hurts: 'A retry has an id of its own: the receiver takes it for new and acts twice.',
    file: 'src/delivery/webhooks/attempts.ts',
    find: 'signedHeaders(secrets, { id, at, body: request.body })',
    replace: "signedHeaders(secrets, { id: newId('dlv', at), at, body: request.body })",
    caughtBy: {
      file: 'src/delivery/webhooks/attempts.test.ts',
      test: 'sends the frozen bytes under their id, and notes what came of it and how long it took',
    },
  },
  {
    id: 'delivery-signed-without-id',
    hurts: 'A body that was sent once can be sent again by anybody under another id.',
    file: 'src/delivery/webhooks/signature.ts',
    find: '{id}.$',
    replace: "{''}.$",
    caughtBy: {
      file: 'src/delivery/webhooks/signature.test.ts',
      test: 'are right with either secret while one takes over from the other',
    },
  },
  {
    id: 'delivery-signed-without-time',
    hurts: 'A delivery that was recorded can be replayed for ever.',
    file: 'src/delivery/webhooks/signature.ts',
    find: '{timestamp}.',
    replace: "{''}.",
    caughtBy: {
      file: 'src/delivery/webhooks/signature.test.ts',
      test: 'are right with either secret while one takes over from the other',
    },
  },
  {
    id: 'delivery-one-signature',
    hurts: 'After a rotation a receiver with the old secret refuses everything until it is changed.',
    file: 'src/delivery/webhooks/attempts.ts',
    find: 'return previous === undefined ? [current] : [current, previous];',
    replace: 'return [current];',
    caughtBy: {
      file: 'src/delivery/webhooks/attempts.test.ts',
      test: 'is signed with the previous secret as well, until that ends, so that a receiver can change over',
    },
  },
  {
    id: 'delivery-old-secret-for-ever',
    hurts: 'A secret that leaked and was rotated away is good for ever.',
    file: 'src/delivery/webhooks/attempts.ts',
    find: ' && now < secrets.previousUntil;',
    replace: ';',
    caughtBy: {
      file: 'src/delivery/webhooks/attempts.test.ts',
      test: 'is signed with the previous secret as well, until that ends, so that a receiver can change over',
    },
  },
  {
    id: 'delivery-two-nodes-at-once',
    hurts: 'Two nodes send the same delivery at the same time.',
    file: 'src/delivery/webhooks/claims.ts',
    find: 'const isOurs = (await claim(webhookId, now, until)) === holder.id;',
    replace: 'const isOurs = (await claim(webhookId, now, until)) !== undefined;',
    caughtBy: {
      file: 'src/delivery/webhooks/claims.test.ts',
      test: 'is kept during an attempt that takes longer than the claim, and given up after it',
    },
  },
  {
    id: 'delivery-claim-of-the-living',
    hurts: 'A node takes the webhooks of another that is alive, and both send.',
    file: 'src/delivery/webhooks/claims.ts',
    find: '|| !holder.isGone(heldBy)) return heldBy;',
    replace: ') return heldBy;',
    caughtBy: {
      file: 'src/delivery/webhooks/claims.test.ts',
      test: 'that were lost to another process are not taken for held',
    },
  },
  {
    id: 'delivery-digest-an-hour-late',
    hurts: 'A digest of the hour comes an hour late, without what came last.',
    file: 'src/delivery/webhooks/batching.ts',
    find: 'const until = Math.floor(time / every) * every;',
    replace: 'const until = (Math.floor(time / every) - 1) * every;',
    caughtBy: {
      file: 'src/delivery/webhooks/batching.test.ts',
      test: 'is on the quarter hour for a digest, full or not, and takes only what came before',
    },
  },
  {
    id: 'delivery-no-pending-bound',
    hurts: 'A receiver that is down for a week is owed a million pending deliveries in memory.',
    file: 'src/delivery/webhooks/batching.ts',
    find: 'if (owedSince === undefined || pending >= MOST_PENDING) return undefined;',
    replace: 'if (owedSince === undefined) return undefined;',
    caughtBy: {
      file: 'src/delivery/webhooks/batching.test.ts',
      test: 'is later while the webhook fails, and never with a thousand deliveries under way',
    },
  },
];
