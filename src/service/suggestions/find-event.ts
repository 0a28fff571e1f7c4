/** Finds the post or page that a caller asks about, among recent events and stored matches. Nothing is fetched. */
import { parseUrl } from '../../base/parse-url.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { shownText } from '../../signal/shown-text.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { SCAN_BUDGET } from '../limits.ts';
import { type MatchSelection, queryOfFilter, readerOf } from '../matches/match-filter.ts';
import { scan } from '../matches/scan-matches.ts';
import { pageOfContent, postOf } from '../previews/twins.ts';
import { eventIdOf } from '../shapes.ts';

export interface EventWish {
  readonly event?: Payload | undefined;
  readonly text?: string | undefined;
  readonly url?: string | undefined;
  readonly event_id?: string | undefined;
}

export interface FoundEvent {
  readonly found: 'given' | 'recent' | 'stored' | 'text_only';
  readonly platform: Platform;
  readonly payload: Payload;
  readonly at: Date;
  /** Absent where the event was not looked up. */
  readonly postId?: string;
  readonly source?: string | undefined;
}

/** Characters of a text that stored matches are searched for. */
const SEARCHED = 200;

export async function findEvent(
  context: ReadContext,
  caller: Caller,
  platforms: readonly Platform[],
  { event, ...wish }: EventWish,
): Promise<FoundEvent> {
  const now = context.clock.now();
  if (event !== undefined) return { found: 'given', platform: platformFor(platforms, event), payload: event, at: now };
  for (const platform of platforms) {
    const found = await amongRecent(context, caller, platform, wish);
    if (found !== undefined) return found;
  }
  for (const platform of platforms) {
    const found = await amongMatches(context, caller, platform, wish);
    if (found !== undefined) return found;
  }
  const [platform] = platforms;
  if (wish.text === undefined) throw unknownEvent();
  const payload = platform === 'x' ? postOf({ text: wish.text }) : pageOfContent({ text: wish.text }, now);
  return { found: 'text_only', platform: platform!, payload, at: now };
}

const unknownEvent = (): ServiceError =>
  new ServiceError(
    'not_found',
    'It is neither among the recent events nor among the stored matches of the account, and Sluice does not fetch it. Give its `text`, or the whole of it as `event`.',
  );

/** A post has `data`, and a page has not. */
function platformFor(platforms: readonly Platform[], event: Payload): Platform {
  const shape: Platform = 'data' in event ? 'x' : 'firehose';
  return platforms.includes(shape) ? shape : platforms[0]!;
}

type Test = (postId: string, payload: Payload) => boolean;

async function amongRecent(
  { store, settings, checkpoint }: ReadContext,
  caller: Caller,
  platform: Platform,
  wish: EventWish,
): Promise<FoundEvent | undefined> {
  const isWanted = testFor(platform, wish);
  for await (const slice of store.recentEvents(caller.account.id, platform, settings.recentEvents)) {
    for (const { event, at } of slice) {
      checkpoint();
      const { postId, payload, source } = event;
      if (isWanted(postId, payload)) return { found: 'recent', platform, payload, at, postId, source };
    }
  }
  return undefined;
}

async function amongMatches(
  context: ReadContext,
  caller: Caller,
  platform: Platform,
  wish: EventWish,
): Promise<FoundEvent | undefined> {
  const isWanted = testFor(platform, wish);
  const filter = filterFor(platform, wish);
  const query = await queryOfFilter(context, caller, filter);
  let found: FoundEvent | undefined;
  await scan(
    context,
    { read: readerOf(context, caller, filter), query, least: undefined, budget: SCAN_BUDGET },
    ({ platformPostId: postId, payload, createdAt: at, source }) => {
      if (isWanted(postId, payload)) found = { found: 'stored', platform, payload, at, postId, source };
      return found !== undefined;
    },
  );
  return found;
}

/** Narrows the search among stored matches: by the id where it is known, else by the site or the words. */
function filterFor(platform: Platform, { text, url, event_id: id }: EventWish): MatchSelection {
  if (text !== undefined) return { platform, text: text.trim().slice(0, SEARCHED).toWellFormed() };
  const postId = id ?? postIdIn(platform, url!);
  if (postId === undefined) return { platform, domain: parseUrl(url!)!.hostname.replace(/^www\./, '') };
  const isEventId = postId === id && id.startsWith('event_');
  return { platform, event_id: isEventId ? postId : eventIdOf({ platform, platformPostId: postId }) };
}

function testFor(platform: Platform, { text, url, event_id: id }: EventWish): Test {
  if (text !== undefined) {
    const words = plainText(text);
    return (_, payload) => plainText(shownText(platform, payload)).includes(words);
  }
  if (id !== undefined)
    return (postId) =>
      postId === id || (id.startsWith('event_') && eventIdOf({ platform, platformPostId: postId }) === id);
  const wanted = plainAddress(url!);
  const named = postIdIn(platform, url!);
  return (postId, { url: own }) => postId === named || (typeof own === 'string' && plainAddress(own) === wanted);
}

const plainText = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** The id in the address of a post of X. */
function postIdIn(platform: Platform, url: string): string | undefined {
  const { hostname = '', pathname = '' } = parseUrl(url) ?? {};
  if (platform !== 'x' || !/^(?:www\.|mobile\.)?(?:x|twitter)\.com$/.test(hostname)) return undefined;
  return /\/status\/(\d+)/.exec(pathname)?.[1];
}

/** Without what leads to the same page: the scheme, `www.`, a fragment and a slash at the end. */
function plainAddress(address: string): string {
  const url = parseUrl(address);
  if (url === null) return address;
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/$/, '')}${url.search}`;
}
