/** Takes one item of an upstream's stream into the batch, and says how far the cursor may go. */
import type { Gap } from '../../domain/coverage.ts';
import type { Arrival, BrokenCause, StreamItem, StreamState } from '../../platforms/platform.ts';
import { LEAD_MS } from '../../sources/contract/source.ts';
import { type Consumer, pass } from './consumer.ts';
import { DOUBT_MS, HOLD_MS } from './ordered-cursor.ts';

/** The pause after the store could not say which rules there are. */
const ASK_AGAIN_MS = 500;
const BROKEN: BrokenCause = 'broken';

export async function takeItem(consumer: Consumer, item: StreamItem): Promise<void> {
  const { batch, platform } = consumer;
  batch.begin();
  switch (item.kind) {
    case 'arrival':
      return takeArrival(consumer, item);
    case 'mark':
      return pass(consumer, item);
    case 'state':
      return takeState(consumer, item.state, item.reason);
    case 'gap':
      return takeGap(consumer, { platform: platform.name, ...item.gap });
    case 'broken':
      keepBroken(consumer, item, item.sample);
      return pass(consumer, item);
  }
}

/**
 * An item that is thrown away may have matched: it is kept aside for the operator, and there is a gap since all that is
 * complete. An item of a replay may be of any time that was missing.
 */
function keepBroken(
  { batch, platform, clock, metrics }: Consumer,
  { reason, through, since = through }: { readonly reason: string; readonly through: Date; readonly since?: Date },
  sample: string,
): void {
  const to = clock.now();
  // Gaps go by their beginning, and that of a break may be recovered: this one begins a millisecond before it.
  const from = new Date(Math.min(since.getTime(), through.getTime(), to.getTime()) - LEAD_MS - 1);
  batch.broken(reason, sample);
  batch.gaps([{ platform: platform.name, from, to, cause: BROKEN, recovered: false }]);
  metrics.gap(platform.name);
}

async function takeArrival(consumer: Consumer, arrival: Arrival): Promise<void> {
  const { verdicts, batch, order, clock, metrics, platform, change } = consumer;
  change({ lastEventAt: arrival.at });
  await untilCurrent(consumer);
  const judged = await verdicts.judge(arrival, arrival.verdicts);
  if ('rejected' in judged) {
    metrics.stream(platform.name, 'broken');
    keepBroken(consumer, { ...arrival, reason: judged.rejected }, JSON.stringify(arrival.payload));
    return pass(consumer, arrival);
  }
  if (judged.isLate) metrics.stream(platform.name, 'late');
  await batch.add(judged.events);
  const { unknown, doubted } = judged;
  if (unknown.length + doubted.length === 0) return pass(consumer, arrival);
  const until = clock.elapsed() + (doubted.length > 0 ? DOUBT_MS : HOLD_MS);
  order.pass(arrival, { arrival, unknown, doubted, until });
}

/** A node that was frozen may hold the lease still and lack a rule that was created meanwhile: it catches up first. */
async function untilCurrent({ current, clock, signal }: Consumer): Promise<void> {
  while (!signal.aborted) {
    try {
      return await current();
    } catch {
      await clock.sleep(ASK_AGAIN_MS, signal);
    }
  }
}

function takeState(consumer: Consumer, state: StreamState, reason: string | undefined): void {
  const { platform, registrations, gaps, clock, log, change, onState } = consumer;
  const { name } = platform;
  change({ state, reason });
  onState?.(name, state, reason);
  log.info({ platform: name, state, reason }, 'the stream of an upstream changed its state');
  if (state === 'live') gaps.live(clock.now());
  // Nothing may come because the upstream has lost our registrations.
  if (state !== 'live' && state !== 'stalled') return;
  registrations
    .reconcile(name)
    .catch((error: unknown) =>
      log.warn({ platform: name, err: error }, 'comparing registrations failed; it is repeated every minute'),
    );
}

function takeGap({ gaps, batch, metrics, log }: Consumer, gap: Gap): void {
  const { gaps: changed, isNew } = gaps.merge(gap);
  if (isNew) metrics.gap(gap.platform);
  log.warn({ ...gap }, gap.to === undefined ? 'a gap has begun' : 'a gap has ended');
  batch.gaps(changed);
}
