/**
 * The wake contract of one stream. A match that does not wake is held until the next frame that carries an id, and told in
 * a digest just before it. So all that was held up to an id was sent before that id, and a client that resumes from the id
 * neither misses nor repeats a match.
 */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import type { WakeAccount, WakeContract, WakeStory } from '../../domain/wake.ts';
import { weightOf } from '../../wakes/candidates.ts';
import { decideWakes } from '../../wakes/decide.ts';
import { digestOfItems, fromListed, type HeldItem, heldItem, type ListedMatch } from '../../wakes/digest.ts';
import { dataOf, digestFrame, isDigest } from './frames.ts';

/** A digest of a stream goes out when it has as many matches. */
const MOST_HELD = 100;
/** Stories that a stream remembers: one that was forgotten may wake again. */
const MOST_STORIES = 10_000;

export interface GatedFrame {
  readonly position: number;
  readonly bytes: Buffer;
  readonly isGap?: true;
}

export interface WakeGate {
  /** Answers what to write now that this frame has come: a digest, the frame, both, or nothing. */
  pass(frame: GatedFrame): Uint8Array | undefined;
  /** Tells of what is held, before a frame that carries an id. */
  flush(): Buffer | undefined;
  /** Forgets what is held. Answers the position of the first of it, from which to read again. */
  drop(): number | undefined;
}

/** A match in a frame, without its payload. */
interface Candidate {
  readonly story: string | undefined;
  readonly relevance: number | null;
  readonly item: HeldItem;
}

/** The streams of an account share their frames, and a frame is read for all of them once. */
const read = new WeakMap<Buffer, Candidate>();

function candidateIn(frame: Buffer): Candidate {
  const known = read.get(frame);
  if (known !== undefined) return known;
  const match = JSON.parse(dataOf(frame)) as ListedMatch;
  const { story_id, relevance, judged } = match;
  const candidate = {
    story: story_id ?? undefined,
    relevance: weightOf({ relevance, judgement: judged }),
    item: heldItem(fromListed(match)),
  };
  read.set(frame, candidate);
  return candidate;
}

export function createWakeGate(contract: WakeContract, clock: Clock, cursor: (position: number) => string): WakeGate {
  const stories = createLru<string, WakeStory>({ limit: MOST_STORIES });
  let account: WakeAccount | undefined;
  let held: (HeldItem & { readonly position: number })[] = [];

  function isWake({ story, relevance }: Candidate): boolean {
    const known = story === undefined ? undefined : stories.get(story);
    const past = { account, stories: new Map(story !== undefined && known !== undefined ? [[story, known]] : []) };
    const decision = decideWakes(contract, past, [{ story, relevance }], { now: clock.now() });
    account = decision.account;
    for (const [id, state] of decision.stories) stories.set(id, state);
    return decision.wakes[0]!;
  }

  function flush(): Buffer | undefined {
    const last = held.at(-1);
    if (last === undefined) return undefined;
    const frame = digestFrame(cursor(last.position), JSON.stringify(digestOfItems(held)));
    held = [];
    return frame;
  }

  return {
    flush,
    drop() {
      const first = held[0]?.position;
      held = [];
      return first;
    },
    pass({ position, bytes, isGap }) {
      // Matches that a silence held come as a digest already.
      const candidate = isGap || isDigest(bytes) ? undefined : candidateIn(bytes);
      if (candidate === undefined || isWake(candidate)) return withDigest(flush(), bytes);
      held.push({ ...candidate.item, position });
      return held.length < MOST_HELD ? undefined : flush();
    },
  };
}

export const withDigest = (digest: Buffer | undefined, bytes: Uint8Array): Uint8Array =>
  digest === undefined ? bytes : Buffer.concat([digest, bytes]);
