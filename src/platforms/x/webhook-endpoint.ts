/**
 * The endpoint to which X delivers, on any node. A delivery is stored before it is acknowledged; the node that has the lease
 * reads it from the store. X delivers again what was not acknowledged. A delivery that could not be stored is noted as soon
 * as something can be, so that the time is a gap until X has brought it again.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { WebhookEndpoint } from '../platform.ts';

/** An entry that came to one of our nodes: the bytes of a delivery, or a time in which deliveries failed. */
type InboxEntry =
  | { readonly at: Date; readonly body: Uint8Array }
  | { readonly at: Date; readonly until: Date; readonly cause: string };

export interface Inbox {
  /** Resolves when it is durable. */
  put(received: readonly InboxEntry[]): Promise<void>;
  /** The rows after a position, oldest first. A new row never stands before one that was read. */
  after(position: number, limit: number): Promise<readonly InboxRow[]>;
  /** Everything up to the position is stored elsewhere. */
  drop(position: number): Promise<void>;
}

export type InboxRow = InboxEntry & { readonly position: number };

export interface XWebhookOptions {
  /** The public address of the endpoint. */
  readonly url: string;
  /** Asked for with each delivery: an earlier secret counts no more. */
  readonly secret: () => string;
  readonly inbox: Inbox;
}

interface Options extends XWebhookOptions {
  readonly clock: Clock;
  /** Something was stored. */
  readonly onStored: () => void;
}

interface XWebhookEndpoint extends WebhookEndpoint {
  /** Stores what is known of deliveries that failed. */
  flush(): Promise<void>;
}

export function createWebhookEndpoint({ secret, inbox, clock, onStored }: Options): XWebhookEndpoint {
  const failures = createFailures(clock);
  const put = createQueue(async (received) => {
    const noted = failures.take();
    try {
      if (received.length + noted.length > 0) await inbox.put([...noted, ...received]);
    } catch (error) {
      failures.giveBack(noted);
      throw error;
    }
    onStored();
  });
  const flush = () => (failures.isEmpty ? Promise.resolve() : put([]).catch(() => {}));
  return {
    respond(token) {
      void flush();
      return challengeAnswer(secret(), token);
    },
    async receive(body, signature) {
      if (isChallenge(body) || !isSigned(secret(), body, signature)) return 'unsigned';
      try {
        await put([{ at: clock.now(), body }]);
      } catch (error) {
        failures.note('refused');
        throw error;
      }
      return 'stored';
    },
    failed() {
      failures.note('cut');
      void flush();
    },
    flush,
  };
}

type Put = (received: readonly InboxEntry[]) => Promise<void>;

/** Entries that come while others are being stored are stored together next. */
function createQueue(store: Put): Put {
  let waiting: InboxEntry[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  return (received) => {
    waiting.push(...received);
    next ??= last
      .catch(() => {})
      .then(() => {
        const taken = waiting;
        waiting = [];
        next = undefined;
        return store(taken);
      });
    last = next;
    return last;
  };
}

type Failure = Extract<InboxEntry, { readonly cause: string }>;

/** One span for each cause, however many deliveries failed. */
function createFailures(clock: Clock) {
  const spans = new Map<string, Failure>();
  const add = ({ at, until, cause }: Failure): void => {
    const known = spans.get(cause);
    spans.set(cause, {
      at: known && known.at < at ? known.at : at,
      until: known && known.until > until ? known.until : until,
      cause,
    });
  };
  return {
    note: (cause: string) => add({ at: clock.now(), until: clock.now(), cause }),
    take(): Failure[] {
      const taken = [...spans.values()];
      spans.clear();
      return taken;
    },
    giveBack(taken: readonly Failure[]): void {
      for (const one of taken) add(one);
    },
    get isEmpty(): boolean {
      return spans.size === 0;
    },
  };
}

/**
 * How X proves that a delivery is its own, and how we prove that the endpoint is ours: a keyed digest under the consumer
 * secret of the app. Both use one key and no label, so whoever chooses the text of a challenge has those bytes signed. An
 * answer is therefore given only to a text without brackets, quotes and blanks, and bytes that would be answered are no
 * delivery however they are signed: `1` and `null` are JSON, too. Each post that X delivers is an object, with brackets.
 */
const LONGEST_CHALLENGE = 256;
const CHALLENGE = /^[\w+/=.~-]+$/;
const PREFIX = 'sha256=';

const signatureOf = (secret: string, content: string | Uint8Array): string =>
  `${PREFIX}${createHmac('sha256', secret).update(content).digest('base64')}`;

const isChallenge = (content: string | Uint8Array): boolean =>
  content.length <= LONGEST_CHALLENGE &&
  CHALLENGE.test(typeof content === 'string' ? content : Buffer.from(content).toString('latin1'));

/** The answer to a challenge; undefined if it is none. */
export const challengeAnswer = (secret: string, token: unknown): string | undefined =>
  typeof token === 'string' && isChallenge(token) ? signatureOf(secret, token) : undefined;

/** Whether the header signs exactly these bytes. It takes as long for a wrong signature as for a right one. */
export function isSigned(secret: string, body: Uint8Array, header: unknown): boolean {
  if (typeof header !== 'string') return false;
  const [given, right] = [Buffer.from(header), Buffer.from(signatureOf(secret, body))];
  return given.length === right.length && timingSafeEqual(given, right);
}
