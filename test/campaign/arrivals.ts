/**
 * Posts and pages that two upstreams send all the time, whose matches are known from their numbers alone; and the count of
 * what became of them. Who reads is watched meanwhile.
 */
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Gap } from '../../src/domain/coverage.ts';
import { PLATFORMS, type Platform } from '../../src/domain/platform.ts';
import { type Call, everyMatch } from './load.ts';

/** So many words; a rule asks for one of them, and every event has two. */
export const WORDS = 12;
const EVERY_MS = 25;
/** Ids of posts begin here, so that all are of one length. */
const FIRST_POST = 1_900_000_000_000_000_000n;
/**
 * A post that was sent just before a gap begins may have been on its way still: gaps are told by when posts come, and a
 * machine with more to do than cores takes a while to read what has come.
 */
const ON_ITS_WAY_MS = 1_000;

export const wordOf = (word: number): string => `word${word}`;
const wordsOf = (number: number): string[] => [wordOf(number % WORDS), wordOf((number * 7 + 3) % WORDS)];

/** A rule that is there: whoever made it was told so. */
export interface Acknowledged {
  readonly ruleId: string;
  readonly word: string;
  /** The first event that came after the answer. */
  readonly since: number;
}

interface Arrival {
  readonly number: number;
  readonly at: number;
}

/** The times of the connections that an upstream saw, in milliseconds. */
export interface Seen {
  /** The longest time without any. */
  away: number;
  /** The longest time with two or more. */
  together: number;
}

export interface Arrivals {
  /** The number of the next event. */
  readonly next: number;
  /** By platform, and by the id that the upstream gave them. */
  readonly sent: Readonly<Record<Platform, ReadonlyMap<string, Arrival>>>;
  readonly seen: Readonly<Record<Platform, Seen>>;
  /** Two connections are nobody's fault while a process that has one is frozen. */
  excuse(isExcused: boolean): void;
}

/** Sends until the signal aborts. */
export function sendArrivals(sandbox: Sandbox, signal: AbortSignal): Arrivals {
  const sent = { x: new Map<string, Arrival>(), firehose: new Map<string, Arrival>() };
  const watches = { x: createWatch(), firehose: createWatch() };
  let next = 0;
  let isExcused = false;

  function send(): void {
    const number = next++;
    const at = Date.now();
    const text = `Event ${number}: ${wordsOf(number).join(' ')}.`;
    const id = String(FIRST_POST + BigInt(number));
    sandbox.post('x', { data: { id, text, created_at: new Date(at).toISOString() } });
    sent.x.set(id, { number, at });
    const { cursor } = sandbox.post('firehose', { url: `https://example.com/${number}`, added: [text] });
    // It has no id where no rule is held that it matches: whoever counts finds it missing under its number.
    sent.firehose.set(cursor ?? `unsent ${number}`, { number, at });
  }

  const timer = setInterval(() => {
    send();
    for (const name of PLATFORMS) watches[name].look(sandbox.connections(name), isExcused);
  }, EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  return {
    get next() {
      return next;
    },
    sent,
    seen: { x: watches.x.seen, firehose: watches.firehose.seen },
    excuse(excused) {
      isExcused = excused;
    },
  };
}

function createWatch() {
  const seen: Seen = { away: 0, together: 0 };
  let [present, single] = [Date.now(), Date.now()];
  return {
    seen,
    look(connections: number, isExcused: boolean): void {
      const now = Date.now();
      if (connections > 0) present = now;
      if (connections < 2 || isExcused) single = now;
      seen.away = Math.max(seen.away, now - present);
      seen.together = Math.max(seen.together, now - single);
    },
  };
}

export interface ArrivalTally {
  /** Matches of events that came while their rule was there, neither stored nor in a gap that says so. */
  readonly missing: number;
  /** Not stored, and in a gap that was not recovered. */
  readonly inGaps: number;
  readonly twice: number;
  readonly unexpected: number;
  readonly matches: number;
}

export async function tallyArrivals(
  call: Call,
  { sent }: Arrivals,
  rules: readonly Acknowledged[],
  gaps: readonly Gap[],
): Promise<ArrivalTally> {
  const stored = new Set<string>();
  let [twice, unexpected, missing, inGaps] = [0, 0, 0, 0];
  for await (const { rule_id, rule_name, platform, platform_post_id } of everyMatch(call)) {
    const match = `${rule_id} ${platform} ${platform_post_id}`;
    const arrival = sent[platform].get(platform_post_id);
    if (arrival === undefined || !wordsOf(arrival.number).includes(rule_name)) unexpected++;
    else if (stored.has(match)) twice++;
    stored.add(match);
  }
  for (const platform of PLATFORMS) {
    const untold = gaps.filter((gap) => gap.platform === platform && !gap.recovered);
    for (const [id, arrival] of sent[platform]) {
      for (const { ruleId } of rules.filter((rule) => isWanted(arrival, rule))) {
        if (stored.has(`${ruleId} ${platform} ${id}`)) continue;
        if (untold.some((gap) => isWithin(gap, arrival.at))) inGaps++;
        else missing++;
      }
    }
  }
  return { missing, inGaps, twice, unexpected, matches: stored.size };
}

const isWanted = ({ number }: Arrival, { word, since }: Acknowledged): boolean =>
  number >= since && wordsOf(number).includes(word);

const isWithin = ({ from, to }: Gap, at: number): boolean =>
  from.getTime() - ON_ITS_WAY_MS <= at && at <= (to?.getTime() ?? Number.POSITIVE_INFINITY);
