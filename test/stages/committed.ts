/** What is in a commit, whether its events are objects still or texts already. */
import type { Commit } from '../../src/store/store.ts';

export const postIdIn = (event: Commit['events'][number]): string =>
  'event' in event ? event.event.postId : event.postId;
