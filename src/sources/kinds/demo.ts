/**
 * The demo feed: invented posts and pages, played in a loop with fresh ids and times, so that a first rule finds something
 * within seconds. Each payload is marked `demo: true`.
 */
import type { Clock } from '../../base/clock.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { DEMO_PAGES, type DemoPage } from './demo-pages.ts';
import { AUTHORS, DEMO_POSTS, type DemoPost } from './demo-posts.ts';

/** Milliseconds between two events: about four a second. */
const PACE = 250;

export interface DemoEvent {
  readonly platform: Platform;
  readonly payload: Payload;
}

/** Two posts, then a page, and so on round the bundled set, until the signal aborts. */
export async function* demoFeed(clock: Clock, signal: AbortSignal): AsyncIterable<DemoEvent> {
  for (let turn = 0; !signal.aborted; turn++) {
    yield demoEvent(turn, clock.now());
    await clock.sleep(PACE, signal);
  }
}

/** The event of one turn; equal for equal turns and times. */
export function demoEvent(turn: number, now: Date): DemoEvent {
  const round = Math.floor(turn / 3);
  if (turn % 3 === 2)
    return { platform: 'firehose', payload: pageOf(DEMO_PAGES[round % DEMO_PAGES.length]!, turn, now) };
  const post = DEMO_POSTS[(round * 2 + (turn % 3)) % DEMO_POSTS.length]!;
  return { platform: 'x', payload: postOf(post, turn, now) };
}

function postOf({ by, text, lang = 'en' }: DemoPost, turn: number, now: Date): Payload {
  const author = AUTHORS[by];
  const id = postIdOf(turn, now);
  return {
    demo: true,
    data: {
      id,
      text,
      author_id: author.id,
      conversation_id: id,
      created_at: now.toISOString(),
      edit_history_tweet_ids: [id],
      lang,
    },
    includes: {
      users: [
        {
          id: author.id,
          name: author.name,
          username: by,
          description: author.bio,
          verified: author.followers > 50_000,
          public_metrics: {
            followers_count: author.followers,
            following_count: 120,
            tweet_count: 2_400,
            listed_count: 12,
          },
        },
      ],
    },
  };
}

/** X's ids begin with the milliseconds since its first one; the low bits tell turns of one millisecond apart. */
const postIdOf = (turn: number, now: Date): string =>
  String((BigInt(now.getTime() - 1_288_834_974_657) << 22n) | BigInt(turn % 4_194_304));

function pageOf(page: DemoPage, turn: number, now: Date): Payload {
  const chunks = [
    ...(page.removed === undefined ? [] : [{ typ: 'del', text: page.removed }]),
    { typ: 'ins', text: page.added },
  ];
  return {
    demo: true,
    id: `demo-${now.getTime()}-${turn}`,
    url: `https://${page.at}`,
    title: page.title,
    publish_time: now.toISOString().slice(0, 19),
    diff: { chunks },
    page_category: page.categories,
    page_types: page.types,
    language: page.language ?? 'en',
    domain_rating: page.rating,
  };
}
