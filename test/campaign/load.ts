/** Events whose matches are known from their numbers alone, and the count of what became of them. */
import type { Answer } from '../black-box/server.ts';

export const RULES = 20;
export const BATCH = 100;
/** One event in so many matches; the others only keep the pipeline busy. */
const EVERY = 5;
/** Ids of posts begin here, so that all are of one length. */
const FIRST_ID = 10_000_000;

type Platform = 'x' | 'firehose';
export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Which rules the event of this number matches: two, as a rule. */
export function rulesOf(number: number): number[] {
  if (number % EVERY !== 0) return [];
  const turn = number / EVERY;
  return [...new Set([turn % RULES, (turn * 7 + 3) % RULES])];
}

function textOf(number: number): string {
  const words = rulesOf(number).map((rule) => `word${rule}`);
  return `Event ${number}: ${['nothing', ...words].join(' ')}.`;
}

export const eventOf = (number: number): unknown => ({
  data: { id: String(FIRST_ID + number), text: textOf(number) },
});
/** The event as a document of an open source. */
export const documentOf = (number: number): unknown => ({ id: String(FIRST_ID + number), title: textOf(number) });

export const batchFrom = (first: number): number[] => Array.from({ length: BATCH }, (_, offset) => first + offset);

const textFor = (platform: Platform, rule: number) => (platform === 'x' ? `word${rule}` : `title:word${rule}`);

export async function createRules(call: Call, platforms: readonly Platform[]): Promise<string[]> {
  const ids: string[] = [];
  for (let rule = 0; rule < RULES; rule++) {
    const { body, text } = await call('POST', '/api.CreateRule', {
      name: `rule ${rule}`,
      intent: '',
      platforms,
      overrides: Object.fromEntries(platforms.map((platform) => [platform, textFor(platform, rule)])),
    });
    if (typeof body['rule_id'] !== 'string') throw new Error(`a rule was not taken: ${text}`);
    ids.push(body['rule_id']);
  }
  return ids;
}

/** The events that were sent of a platform: those below a number, of which some were acknowledged. */
export interface Sent {
  readonly below: number;
  readonly acknowledged: Iterable<number>;
}

export interface Tally {
  /** Matches of acknowledged events that are not there. */
  readonly missing: number;
  readonly twice: number;
  readonly unexpected: number;
  /** Rules whose own count is not that of their matches. */
  readonly miscounted: number;
  /** Every match that is there, by its id. */
  readonly matchIds: ReadonlySet<string>;
}

export interface ListedMatch {
  readonly id: string;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly platform: Platform;
  readonly platform_post_id: string;
}

/** Reads every match as a client would, and holds it against what was sent. */
export async function tally(
  call: Call,
  ruleIds: readonly string[],
  sent: Partial<Record<Platform, Sent>>,
): Promise<Tally> {
  const seen = { x: new Uint32Array(sent.x?.below ?? 0), firehose: new Uint32Array(sent.firehose?.below ?? 0) };
  const counts = ruleIds.map(() => 0);
  const matchIds = new Set<string>();
  let [twice, unexpected, missing] = [0, 0, 0];
  for await (const { id, rule_id, platform, platform_post_id } of everyMatch(call)) {
    const number = Number(/\d+$/.exec(platform_post_id)![0]) - FIRST_ID;
    const rule = ruleIds.indexOf(rule_id);
    matchIds.add(id);
    counts[rule]!++;
    if (!rulesOf(number).includes(rule) || !(number < seen[platform].length)) unexpected++;
    else if ((seen[platform][number]! & (1 << rule)) !== 0) twice++;
    else seen[platform][number]! |= 1 << rule;
  }
  for (const platform of ['x', 'firehose'] as const) {
    for (const number of sent[platform]?.acknowledged ?? []) {
      for (const rule of rulesOf(number)) if ((seen[platform][number]! & (1 << rule)) === 0) missing++;
    }
  }
  return { missing, twice, unexpected, miscounted: await miscounted(call, ruleIds, counts), matchIds };
}

/** The numbers of the events whose matches are in the body of a delivery. */
export const numbersIn = (body: string): number[] =>
  (JSON.parse(body) as { matches: ListedMatch[] }).matches.map(
    ({ platform_post_id }) => Number(/\d+$/.exec(platform_post_id)![0]) - FIRST_ID,
  );

export async function* everyMatch(call: Call): AsyncIterable<ListedMatch> {
  let cursor: string | undefined;
  do {
    const { body } = await call('POST', '/matches', { limit: 1_000, ...(cursor !== undefined && { cursor }) });
    yield* body['matches'] as ListedMatch[];
    cursor = body['next_cursor'] as string | undefined;
  } while (cursor !== undefined);
}

async function miscounted(call: Call, ruleIds: readonly string[], counts: readonly number[]): Promise<number> {
  const { body } = await call('GET', '/api.ListRules');
  const listed = body['rules'] as { id: string; platforms: Record<string, { match_count: number }> }[];
  return listed.filter(({ id, platforms }) => {
    const counted = Object.values(platforms).reduce((sum, { match_count }) => sum + match_count, 0);
    return counted !== counts[ruleIds.indexOf(id)];
  }).length;
}
