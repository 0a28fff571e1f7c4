/** Stories: what several matches tell, newest activity first. */
import type { Platform } from '../../domain/platform.ts';
import type { Story } from '../../domain/story.ts';
import type { Position } from './position.ts';

export interface StoryStore {
  /** By the newest match that the question is about. A story that is joined meanwhile moves to the front. */
  stories(query: StoryQuery): Promise<StoryPage>;
}

export interface StoryQuery {
  readonly accountId: string;
  /** Only stories that this rule has a match in. */
  readonly ruleId?: string;
  /** Only stories with a match on this platform. */
  readonly platform?: Platform;
  /** The rules that the caller may see: of stories, only their matches count. */
  readonly ruleIds?: readonly string[];
  /** Joined last at or after. */
  readonly since?: Date;
  /** Joined last before. */
  readonly until?: Date;
  readonly before?: Position;
  readonly limit: number;
  /** The page ends with the story that brings the payloads of first matches to this many bytes. */
  readonly bytes?: number;
}

export interface StoryPage {
  readonly stories: Story[];
  /** Where older ones begin; undefined on the last page. */
  readonly next: Position | undefined;
}
