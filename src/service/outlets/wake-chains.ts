/**
 * The memory of the wake contracts of waiting requests. A request that goes on from the cursor of an earlier one goes
 * on with that one's account and stories. They are kept in memory: after a restart, and after the oldest ones of the
 * account with most were dropped, a story may wake again. Nothing is lost by that: where a request goes on is in its cursor.
 */
import type { Match } from '../../domain/match.ts';
import type { Digest, Silence, WakeContract, WakeStory } from '../../domain/wake.ts';
import { weightOf } from '../../wakes/candidates.ts';
import { decideWakes, type WakePast } from '../../wakes/decide.ts';
import { digestOfItems, type HeldItem, heldItem } from '../../wakes/digest.ts';
import { silenceOf } from '../../wakes/silences.ts';

/** Requests that are remembered, of all accounts together, and stories of each. */
const MOST_CHAINS = 1_000;
const MOST_STORIES = 200;
/** A request that holds more answers, although nothing woke it. */
const MOST_HELD = 1_000;

/** One decided match. */
interface Decided {
  readonly position: number;
  readonly story: string | undefined;
  readonly relevance: number | null;
  readonly decidedAt: Date;
  readonly isSilenced: boolean;
  /** It is undefined for a match that wakes. */
  readonly held: HeldItem | undefined;
}

/** The contract of one request. */
export interface WakeTally {
  /** Decides a page of matches in their order. Answers those that wake. */
  take(matches: readonly Match[], silences?: readonly Silence[]): Match[];
  /** So much is held that the request must answer. */
  readonly isFull: boolean;
  /** The digest of the matches held up to a position. */
  digestTo(position: number): Digest;
  /** A request that goes on from this cursor, after this position, goes on with this one's account and stories. */
  keep(cursor: string, position: number): void;
}

export interface WakeChains {
  begin(accountId: string, contract: WakeContract, cursor: string | undefined, now: () => Date): WakeTally;
}

/** The account and the stories of a request. They change with each decided match. */
interface Chain {
  account: WakePast['account'];
  readonly stories: Map<string, WakeStory>;
}

const chainAfter = ({ account, stories }: WakePast): Chain => ({ account, stories: new Map(stories) });

const NOTHING: WakePast = { account: undefined, stories: new Map() };

export function createWakeChains(): WakeChains {
  const chains = createMemory();
  const keyOf = (contract: WakeContract, cursor: string) => JSON.stringify([cursor, contract]);
  return {
    begin(accountId, contract, cursor, now) {
      const start = (cursor === undefined ? undefined : chains.get(accountId, keyOf(contract, cursor))) ?? NOTHING;
      const decided: Decided[] = [];
      const chain = chainAfter(start);
      let held = 0;
      const upTo = (position: number) => decided.filter((one) => one.position <= position);
      return {
        take: (matches, silences = []) =>
          matches.filter((match) => {
            const { position, storyId } = match;
            const silence = silenceOf(silences, match)?.id;
            const isSilenced = silence !== undefined;
            const one = { position, story: storyId, relevance: weightOf(match), decidedAt: now(), isSilenced };
            const isWake = decide(contract, chain, one);
            if (!isWake) held++;
            decided.push({ ...one, held: isWake ? undefined : { ...heldItem(match), silence } });
            return isWake;
          }),
        get isFull() {
          return held >= MOST_HELD;
        },
        digestTo: (position) => digestOfItems(upTo(position).flatMap((one) => one.held ?? [])),
        keep(next, position) {
          const kept = chainAfter(start);
          for (const one of upTo(position)) decide(contract, kept, one);
          chains.set(accountId, keyOf(contract, next), kept);
        },
      };
    },
  };
}

/** The account with most forgets its oldest where there are too many: however many it sends, others keep theirs. */
function createMemory() {
  const accounts = new Map<string, Map<string, WakePast>>();
  let count = 0;
  return {
    get: (accountId: string, key: string) => accounts.get(accountId)?.get(key),
    set(accountId: string, key: string, past: WakePast): void {
      const own = accounts.get(accountId) ?? new Map<string, WakePast>();
      accounts.set(accountId, own);
      if (!own.delete(key)) count++;
      own.set(key, past);
      if (count > MOST_CHAINS) forgetOne();
    },
  };

  function forgetOne(): void {
    const [accountId, most] = [...accounts].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    const [oldest] = most.keys();
    most.delete(oldest!);
    if (most.size === 0) accounts.delete(accountId);
    count--;
  }
}

/** Answers whether it wakes. */
function decide(
  contract: WakeContract,
  chain: Chain,
  one: Pick<Decided, 'story' | 'relevance' | 'decidedAt' | 'isSilenced'>,
): boolean {
  const { wakes, account, stories } = decideWakes(contract, chain, [one], { now: one.decidedAt });
  chain.account = account;
  for (const [story, state] of stories) note(chain.stories, story, state);
  return wakes[0]!;
}

/** The story that was seen last is at the end; the ones at the beginning are forgotten. */
function note(stories: Chain['stories'], story: string, state: WakeStory): void {
  stories.delete(story);
  stories.set(story, state);
  const [oldest] = stories.keys();
  if (stories.size > MOST_STORIES) stories.delete(oldest!);
}
