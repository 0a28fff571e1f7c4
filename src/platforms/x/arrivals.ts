/** Turns entries of the backlog into items of the stream: parses lines and leaves out repeats. */
import type { StreamCounter, StreamItem } from '../platform.ts';
import type { BacklogEntry } from './backlog-entry.ts';
import type { RecentPosts } from './recent-posts.ts';
import type { SilenceDetector } from './silence.ts';
import { readMessage } from './wire.ts';

/** How many bytes are kept of a line that cannot be read. */
const SAMPLE = 4_096;

interface Parts {
  readonly recent: RecentPosts;
  readonly silence: SilenceDetector;
  readonly count: (counter: StreamCounter) => void;
}

/** Returns undefined for a repeat, and for a message that is no post. */
export function itemOf(entry: BacklogEntry, parts: Parts): StreamItem | undefined {
  switch (entry.kind) {
    case 'record':
      return arrivalOf(entry, parts);
    case 'mark':
      return { ...entry, through: new Date(entry.through) };
    case 'gap': {
      const { from, to, cause, recovered } = entry;
      const end = to === undefined ? undefined : new Date(to);
      return { kind: 'gap', gap: { from: new Date(from), to: end, cause, recovered } };
    }
    case 'broken': {
      const { since, ...rest } = entry;
      return { ...rest, through: new Date(entry.through), ...dateOf(since) };
    }
    case 'state':
      return entry;
  }
}

const dateOf = (since: number | undefined) => (since === undefined ? {} : { since: new Date(since) });

function arrivalOf(
  { at, through, cursor, replayed, since, line }: Extract<BacklogEntry, { kind: 'record' }>,
  { recent, silence, count }: Parts,
): StreamItem | undefined {
  const message = readMessage(line);
  switch (message.kind) {
    case 'post': {
      const { id: postId, payload, verdicts } = message;
      if (recent.isRepeat(postId, verdicts)) {
        count('dup');
        return undefined;
      }
      if (!replayed) silence.learn(verdicts);
      const times = { at: new Date(at), through: new Date(through), ...dateOf(since) };
      return { kind: 'arrival', postId, payload, cursor, verdicts, ...times };
    }
    case 'broken':
      count('broken');
      return {
        kind: 'broken',
        cursor,
        through: new Date(through),
        ...dateOf(since),
        reason: message.reason,
        sample: line.toString('utf8', 0, SAMPLE),
      };
    case 'system':
    case 'replayed':
    case 'unknown':
      count('unknown_message');
      return undefined;
  }
}
