/** What waited in the backlog, as the contract says it: lines are parsed here, and repeats left out. */
import type { StreamCounter, StreamItem } from '../platform.ts';
import type { Entry } from './backlog-entry.ts';
import type { RecentPosts } from './recent-posts.ts';
import type { Volume } from './silence.ts';
import { readMessage } from './wire.ts';

/** What is kept of a line that cannot be read. */
const SAMPLE = 4_096;

interface Parts {
  readonly recent: RecentPosts;
  readonly volume: Volume;
  readonly count: (counter: StreamCounter) => void;
}

/** Undefined when there is nothing to tell. */
export function itemOf(entry: Entry, parts: Parts): StreamItem | undefined {
  switch (entry.kind) {
    case 'record':
      return arrivalOf(entry, parts);
    case 'mark':
      return { ...entry, at: new Date(entry.at) };
    case 'gap': {
      const { from, to, cause, recovered } = entry;
      const end = to === undefined ? undefined : new Date(to);
      return { kind: 'gap', gap: { from: new Date(from), to: end, cause, recovered } };
    }
    case 'state':
    case 'broken':
      return entry;
  }
}

function arrivalOf(
  { at, cursor, replayed, line }: Extract<Entry, { kind: 'record' }>,
  { recent, volume, count }: Parts,
): StreamItem | undefined {
  const message = readMessage(line);
  switch (message.kind) {
    case 'post': {
      const { id: postId, payload, verdicts } = message;
      if (recent.isRepeat(postId, verdicts)) {
        count('dup');
        return undefined;
      }
      if (!replayed) volume.learn(verdicts);
      return { kind: 'arrival', postId, payload, cursor, verdicts, at: new Date(at) };
    }
    case 'broken':
      count('broken');
      return { kind: 'broken', cursor, reason: message.reason, sample: line.toString('utf8', 0, SAMPLE) };
    case 'system':
    case 'unknown':
      count('unknown_message');
      return undefined;
  }
}
