/**
 * Recent events, for previews. The events that all accounts see have a ring of their own for each platform. The events that
 * accounts pushed share a second one: when it is full, the account that holds most of it loses its oldest events.
 */
import type { Event } from '../../domain/event.ts';
import type { Platform } from '../../domain/platform.ts';

export interface RecentStore {
  /** The account's view, newest first: shared events and its own, without the posts that it has erased. */
  recentEvents(accountId: string, platform: Platform, limit: number): AsyncIterable<RecentEvent[]>;
  /** How much both rings of a platform hold, all accounts' events together. Not scoped. */
  recentTotals(platform: Platform): Promise<{ events: number; bytes: number }>;
}

export interface RecentEvent {
  readonly event: Event;
  readonly at: Date;
}
