/** All subscribers of one account, and the frames that they share. */
import { createFrameCache } from './frames.ts';
import type { SharedFrames } from './progress.ts';
import type { Subscriber } from './subscriber.ts';

export interface Channel extends SharedFrames {
  readonly accountId: string;
  readonly subscribers: Set<Subscriber>;
  /** Matches are being read for the ring. */
  isPumping: boolean;
  /** There may be matches that the ring does not hold yet. */
  isDirty: boolean;
}

export interface Channels {
  find(accountId: string): Channel | undefined;
  findOrAdd(accountId: string): Channel;
  all(): Iterable<Channel>;
  /** Every subscriber with its channel. */
  everySubscriber(): { channel: Channel; subscriber: Subscriber }[];
  readonly isEmpty: boolean;
  /** Removes a subscriber, and its channel when that is empty. */
  remove(channel: Channel, subscriber: Subscriber): void;
}

export function createChannels(): Channels {
  const channels = new Map<string, Channel>();
  return {
    find: (accountId) => channels.get(accountId),
    findOrAdd(accountId) {
      const channel = channels.get(accountId) ?? newChannel(accountId);
      channels.set(accountId, channel);
      return channel;
    },
    all: () => channels.values(),
    everySubscriber: () =>
      [...channels.values()].flatMap((channel) =>
        [...channel.subscribers].map((subscriber) => ({ channel, subscriber })),
      ),
    get isEmpty() {
      return channels.size === 0;
    },
    remove(channel, subscriber) {
      channel.subscribers.delete(subscriber);
      if (channel.subscribers.size === 0 && channels.get(channel.accountId) === channel)
        channels.delete(channel.accountId);
    },
  };
}

const newChannel = (accountId: string): Channel => ({
  accountId,
  subscribers: new Set(),
  ring: undefined,
  cache: createFrameCache(),
  epoch: 0,
  isPumping: false,
  isDirty: false,
});
