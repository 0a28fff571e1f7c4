/** The state of a wake, from the delivery that carries it. Pure. */
import type { WakeState } from '../domain/wake.ts';
import type { Delivery } from '../domain/webhook.ts';

/** A wake that nobody acknowledged is offered no longer than this. */
export const WAKE_TTL_MS = 24 * 60 * 60 * 1_000;

export const UNACKNOWLEDGED = 'Nobody acknowledged it within 24 hours.';

type Carried = Pick<Delivery, 'status' | 'made' | 'acknowledgedAt' | 'createdAt' | 'nextAt' | 'reason'>;

/**
 * `pulled`: its agent asks for it. A delivery that is still being tried is not over, however old it is. One that was delivered has
 * a reason when it asked to be acknowledged, and was not.
 */
export function wakeState(
  { status, made, acknowledgedAt, createdAt, nextAt, reason }: Carried,
  now: Date,
  pulled: boolean,
): WakeState {
  if (acknowledgedAt !== undefined) return 'acknowledged';
  // A digest is there long before it is due, and nobody is offered it until then.
  const isOld = now.getTime() - (nextAt ?? createdAt).getTime() >= WAKE_TTL_MS;
  if (status === 'failed' || reason !== undefined || (pulled && isOld && made > 0)) return 'expired';
  return status === 'pending' && made === 0 ? 'pending' : 'offered';
}
