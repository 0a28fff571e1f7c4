/** The id of an event: a digest of its platform and post, so that all its matches have the same, whenever they came. */
import { hash } from 'node:crypto';
import { TAIL_BYTES, tailOf } from '../base/ids.ts';
import type { Match } from '../domain/match.ts';

export const eventIdOf = ({ platform, platformPostId }: Pick<Match, 'platform' | 'platformPostId'>): string =>
  `event_${tailOf(hash('sha256', JSON.stringify([platform, platformPostId]), 'buffer').subarray(0, TAIL_BYTES))}`;
