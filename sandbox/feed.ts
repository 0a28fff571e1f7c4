/** A feed of events: the demo feed, or a recording that is played in a loop. */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Clock } from '../src/base/clock.ts';
import { recordIn } from '../src/base/json.ts';
import type { Payload } from '../src/domain/match.ts';
import type { Platform } from '../src/domain/platform.ts';
import { type DemoEvent, demoEvent } from '../src/sources/kinds/demo.ts';
import { jsonOf } from './http.ts';

/** `demo`, `off`, or a file with one JSON event a line (also `.gz`). Events with `data` are posts, the others pages. */
export type Feed = 'demo' | 'off' | { readonly file: string };

export type Offer = (platform: Platform, payload: Payload) => { readonly rejected: string } | object;

/** The event of each turn. */
export type EventAt = (turn: number, now: Date) => DemoEvent;

/** Reads the file at once, so that a missing file fails at the start. Undefined if there is no feed. */
export async function openFeed(feed: Feed): Promise<EventAt | undefined> {
  if (feed === 'off') return undefined;
  return feed === 'demo' ? demoEvent : recorded(feed.file);
}

export interface FeedOptions {
  readonly clock: Clock;
  readonly rate: number | undefined;
  readonly signal: AbortSignal;
  readonly offer: Offer;
  readonly log: (message: string) => void;
}

const RATE = 4;

export async function runFeed(
  eventAt: EventAt,
  { clock, rate = RATE, signal, offer, log }: FeedOptions,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    const { platform, payload } = eventAt(turn, clock.now());
    const offered = offer(platform, payload);
    if ('rejected' in offered) log(`feed: event ${turn} is not a valid event of ${platform}: ${offered.rejected}`);
    await clock.sleep(1_000 / rate, signal);
  }
}

async function recorded(file: string): Promise<EventAt> {
  const bytes = await readFile(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const events = text.split('\n').flatMap((line) => {
    const payload = recordIn(jsonOf(line));
    return payload === undefined ? [] : [{ platform: platformOf(payload), payload }];
  });
  if (events.length === 0) throw new Error(`${file} has no events. It needs one JSON object a line.`);
  return (turn) => events[turn % events.length]!;
}

const platformOf = (payload: Payload): Platform => (recordIn(payload['data']) === undefined ? 'firehose' : 'x');
