/** Webhook Stats: how the deliveries to a webhook went over time. */
import { z } from 'zod';
import type { Webhook } from '../../domain/webhook.ts';
import type { AttemptPlace, TimedAttempt } from '../../store/store.ts';
import type { ReadContext } from '../context.ts';
import { invalidArgument } from '../errors.ts';
import { countedPart } from '../matches/scan-matches.ts';
import { instant, time } from '../shapes.ts';
import { computed } from './room.ts';
import { exampleWebhook, webhookId } from './webhook-shapes.ts';
import { findWebhook } from './webhooks.ts';

/** Attempts that are gone through, and those read at a time. */
const MOST_ATTEMPTS = 50_000;
const AT_ONCE = 2_000;

export const webhookStats = computed({
  name: 'webhookStats',
  summary: 'Count the attempts of a webhook over time',
  description:
    'The stored attempts to deliver to a webhook, by the time they were made: how many succeeded and failed, and how long the receiver took. Attempts are stored as long as their delivery. The default is the last 24 hours. The newest 50,000 attempts are gone through; `complete` says whether that was enough, and buckets that were not gone through as a whole are left out.',
  access: 'read',
  input: z.strictObject({ webhook_id: webhookId, from: instant.optional(), to: instant.optional() }),
  output: z.object({
    bucket_seconds: z.int().describe('The length of a bucket.'),
    buckets: z.array(
      z.object({
        start: time,
        delivered: z.int().describe('Attempts that succeeded.'),
        failed: z.int().describe('Attempts that failed.'),
        attempts: z.int(),
        p50_ms: z.int().nullable().describe('Half of the attempts took this long or less. Null without an attempt.'),
        p95_ms: z.int().nullable().describe('95 of 100 attempts took this long or less. Null without an attempt.'),
      }),
    ),
    complete: countedPart.complete.describe('Whether these are all attempts of the time.'),
    counted_from: countedPart.counted_from.describe(
      'If not complete: attempts made after this time were counted, and older ones were not. Else null.',
    ),
  }),
  example: {
    input: { webhook_id: exampleWebhook.id, from: '2026-11-15T08:00:00Z', to: '2026-11-15T08:01:00Z' },
    output: {
      bucket_seconds: 60,
      buckets: [{ start: '2026-11-15T08:00:00.000Z', delivered: 11, failed: 1, attempts: 12, p50_ms: 84, p95_ms: 210 }],
      complete: true,
      counted_from: null,
    },
  },
  async run(context, caller, { webhook_id, ...asked }) {
    const webhook = await findWebhook(context, caller, webhook_id);
    const span = bucketsOf(context.clock.now(), asked);
    const { attempts, part } = await attemptsIn(context, webhook, span);
    const byBucket = Map.groupBy(attempts, ({ at }) => Math.floor((at.getTime() - span.first) / span.step));
    const reached = part.counted_from === null ? span.first : Date.parse(part.counted_from) + 1;
    const skipped = Math.ceil((reached - span.first) / span.step);
    const buckets = Array.from({ length: (span.last - span.first) / span.step }, (_, index) => ({
      start: new Date(span.first + index * span.step).toISOString(),
      ...figuresOf(byBucket.get(index) ?? []),
    }));
    return { bucket_seconds: span.step / 1_000, buckets: buckets.slice(skipped), ...part };
  },
});

interface Buckets {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

const DAY = 24 * 60 * 60 * 1_000;
/** The shortest that gives few enough buckets is taken. */
const STEPS = [60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000, 6 * 60 * 60_000, DAY];
const MOST_BUCKETS = 120;

/** Whole buckets around the requested times. */
function bucketsOf(now: Date, { from, to }: { from?: string | undefined; to?: string | undefined }): Buckets {
  const end = to === undefined ? now.getTime() + 1 : Date.parse(to);
  const begin = from === undefined ? end - DAY : Date.parse(from);
  if (begin >= end) throw invalidArgument([{ path: 'from', message: 'It must be before `to`.' }]);
  const step = STEPS.find((one) => (end - begin) / one <= MOST_BUCKETS);
  if (step === undefined)
    throw invalidArgument([{ path: 'from', message: `The times span more than ${MOST_BUCKETS} days.` }]);
  return { first: Math.floor(begin / step) * step, last: Math.ceil(end / step) * step, step };
}

/** The newest attempts, up to a budget. */
async function attemptsIn({ store }: ReadContext, webhook: Webhook, { first, last }: Buckets) {
  const query = {
    accountId: webhook.accountId,
    webhookId: webhook.id,
    from: new Date(first),
    to: new Date(last),
    limit: AT_ONCE,
  };
  const attempts: TimedAttempt[] = [];
  let before: AttemptPlace | undefined;
  for (;;) {
    const page = await store.attemptsOf({ ...query, ...(before && { before }) });
    attempts.push(...page.attempts);
    if (page.next === undefined) return { attempts, part: { complete: true, counted_from: null } };
    if (attempts.length >= MOST_ATTEMPTS)
      return { attempts, part: { complete: false, counted_from: new Date(page.next.at).toISOString() } };
    before = page.next;
  }
}

function figuresOf(attempts: readonly TimedAttempt[]) {
  const times = attempts.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other);
  const delivered = attempts.filter(({ isDelivered }) => isDelivered).length;
  const rank = (share: number) => times[Math.ceil(share * times.length) - 1] ?? null;
  return {
    delivered,
    failed: attempts.length - delivered,
    attempts: attempts.length,
    p50_ms: rank(0.5),
    p95_ms: rank(0.95),
  };
}
