/** What webhooks want of new and stored matches, whatever the database. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { positionAt } from '../order.ts';
import type { Position } from '../store.ts';

export interface Wanting {
  readonly number: number;
  readonly rule_ids: string | null;
  readonly platforms: string | null;
}

export interface PlacedMatch {
  readonly position: Position;
  readonly ruleId: string;
  readonly account: number;
}

/** Whether a webhook wants matches of a platform, and of which rules. */
export function wantsOf({ rule_ids, platforms }: Wanting, platform: Platform): (ruleId: string) => boolean {
  if (platforms !== null && !(JSON.parse(platforms) as string[]).includes(platform)) return () => false;
  if (rule_ids === null) return () => true;
  const wanted = new Set(JSON.parse(rule_ids) as string[]);
  return (ruleId) => wanted.has(ruleId);
}

/** Where `oweStored` begins, for each platform. */
export const storedSince = (since: Date): { platform: Platform; after: Position }[] =>
  PLATFORMS.map((platform) => ({ platform, after: positionAt(since.getTime()) - 1 }));
