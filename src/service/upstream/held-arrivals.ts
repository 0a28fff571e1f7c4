/**
 * Arrivals that wait: for a registration that they name and that is not known yet, for a minute; or for a comparison of
 * registrations, where the engine finds a rule satisfied that the upstream did not name.
 */
import type { Consumer } from './consumer.ts';
import type { HeldArrival } from './ordered-cursor.ts';

/** How often held arrivals are judged again. */
export const LOOK_EVERY_MS = 1_000;

/** Whether held arrivals are to be judged now: once a second, and at once when there are too many. Pure. */
export const isLookDue = (held: number, excess: number, sinceLast: number): boolean =>
  excess > 0 || (held > 0 && sinceLast >= LOOK_EVERY_MS);

/** Whether a held arrival may wait no longer: its minute is over, or it is among the oldest of too many. Pure. */
export const mustGo = (
  index: number,
  excess: number,
  { until }: Pick<HeldArrival, 'until'>,
  elapsed: number,
): boolean => index < excess || elapsed >= until;

export async function lookAgain(consumer: Consumer): Promise<void> {
  const { order, clock, metrics, platform } = consumer;
  const { excess } = order;
  if (!isLookDue(order.held.length, excess, clock.elapsed() - consumer.lookedAt)) return;
  consumer.lookedAt = clock.elapsed();
  const done = new Set<HeldArrival>();
  for (const [index, waiting] of order.held.entries()) {
    const isLast = mustGo(index, excess, waiting, clock.elapsed());
    const isKnown = await judgeAgain(consumer, waiting);
    const isResolved = await resolveDoubtsOf(consumer, waiting, isLast);
    if (!isKnown && isLast) metrics.stream(platform.name, 'orphan');
    if ((isKnown && isResolved) || isLast) done.add(waiting);
  }
  if (done.size > 0) order.release(done);
}

/** True when every registration that the arrival names is known. */
async function judgeAgain(consumer: Consumer, waiting: HeldArrival): Promise<boolean> {
  const { registrations, verdicts, batch, metrics, platform } = consumer;
  if (waiting.unknown.length === 0) return true;
  if (waiting.unknown.every((id) => registrations.resolve(platform.name, id) === undefined)) return false;
  const judged = await verdicts.judge(waiting.arrival, waiting.unknown);
  // It could be read when it came.
  if ('rejected' in judged) return true;
  if (judged.isLate) metrics.stream(platform.name, 'late');
  await batch.add(judged.events);
  waiting.unknown = judged.unknown;
  const named = new Set(judged.events.flatMap(({ matches }) => matches.map(({ ruleId }) => ruleId)));
  waiting.doubted = waiting.doubted.filter(({ ruleId }) => !named.has(ruleId));
  return judged.unknown.length === 0;
}

/** True when no rule is in doubt any more. */
async function resolveDoubtsOf({ verdicts, batch }: Consumer, waiting: HeldArrival, isLast: boolean): Promise<boolean> {
  if (waiting.doubted.length === 0) return true;
  const { events, doubted } = await verdicts.resolveDoubts(waiting.arrival, waiting.doubted, isLast);
  await batch.add(events);
  waiting.doubted = doubted;
  return doubted.length === 0;
}

/** The stream ends here, and an upstream may not send again what it sent: what may have been missed is stored. */
export async function endDoubts(consumer: Consumer): Promise<void> {
  const { order } = consumer;
  for (const waiting of order.held) await resolveDoubtsOf(consumer, waiting, true);
  order.release(new Set(order.held.filter(({ unknown }) => unknown.length === 0)));
}
