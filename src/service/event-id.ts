/** The id of an event: a digest of its platform and post, so that all its matches have the same, whenever they came. */
import type { Match } from '../domain/match.ts';
import { eventKey } from '../store/order.ts';

const PREFIX = 'event_';

export const eventIdOf = ({ platform, platformPostId }: Pick<Match, 'platform' | 'platformPostId'>): string =>
  PREFIX + eventKey(platform, platformPostId);

/** What a store finds the event by; no event has the key of what is no id. */
export const keyOfEvent = (eventId: string): string => (eventId.startsWith(PREFIX) ? eventId.slice(PREFIX.length) : '');
