/** New videos of YouTube channels and playlists, by their feeds. A feed lists the last fifteen. */
import { z } from 'zod';
import type { Source } from '../contract/source.ts';
import { everyOption, pauseOption } from '../fetch/rounds.ts';
import { webAddress } from '../fetch/web-address.ts';
import { ACCEPT_FEEDS, feedInAnswer, pageOfEntry } from './feeds.ts';
import { listingSource } from './listing.ts';

export const youtubeOptions = z.strictObject({
  /** Ids of channels (`UC…`) and of playlists. */
  channels: z
    .array(z.string().regex(/^[\w-]{13,64}$/, 'must be the id of a channel, such as UC_x5XG1OV2P6uZZ5FSM9Ttw'))
    .min(1),
  /** Seconds between two visits of a feed. */
  every: everyOption(300, 900),
  /** Seconds between two requests. */
  pause: pauseOption(1),
  url: webAddress.default('https://www.youtube.com'),
});

type Options = z.output<typeof youtubeOptions>;

export function youtube(name: string, options: Options): Source {
  const addressOf = (id: string): string => {
    const address = new URL('/feeds/videos.xml', options.url);
    address.searchParams.set(/^UC[\w-]{22}$/.test(id) ? 'channel_id' : 'playlist_id', id);
    return address.href;
  };
  return listingSource(name, 'youtube', options, {
    addresses: options.channels.map(addressOf),
    accept: ACCEPT_FEEDS,
    // A video may be in a channel and in a playlist.
    hasUniqueIds: true,
    lists: 15,
    read: feedInAnswer,
    eventsOf: (version) => ({ page: pageOfEntry(name, version, { types: ['/Video'] }) }),
  });
}
