/** Reads the new matches of an account into its ring, page by page, and offers them to its subscribers. */

import { visitInTurns } from '../../base/cooperate.ts';
import type { Match } from '../../domain/match.ts';
import type { Silence } from '../../domain/wake.ts';
import { digestOfItems, heldItem } from '../../wakes/digest.ts';
import { silenceOf } from '../../wakes/silences.ts';
import type { Channel } from './channel.ts';
import { digestFrame, matchFrame } from './frames.ts';
import { filterKey, isWanted, type LiveDeps, PAGE_BYTES } from './match-log.ts';
import { createRing, type LiveFrame } from './ring.ts';

type PumpDeps = Pick<LiveDeps, 'matches' | 'clock' | 'log' | 'cursor' | 'encode' | 'silences'>;

/** Matches read at a time. */
const PAGE = 200;

type FrameDeps = Pick<LiveDeps, 'cursor' | 'encode'>;

/** A match that a silence covers is told as a digest of one. */
export function frameOf(
  { cursor, encode }: FrameDeps,
  accountId: string,
  match: Match,
  silences: readonly Silence[],
): LiveFrame {
  const { position, platform, ruleId, source = '' } = match;
  const [silence, id] = [silenceOf(silences, match)?.id, cursor(accountId, position)];
  const bytes =
    silence === undefined
      ? matchFrame(id, encode(match))
      : digestFrame(id, JSON.stringify(digestOfItems([{ ...heldItem(match), silence }])));
  return { position, platform, ruleId, source, bytes };
}

/** Runs until there is nothing new. A call while the pump runs makes it look once more. */
export async function pump(deps: PumpDeps, channel: Channel): Promise<void> {
  channel.isDirty = true;
  if (channel.isPumping) return;
  channel.isPumping = true;
  try {
    while (channel.isDirty && channel.subscribers.size > 0) {
      channel.isDirty = false;
      await pumpPage(deps, channel);
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'New matches cannot be read for live streams. Retrying in half a second.');
  } finally {
    channel.isPumping = false;
  }
}

async function pumpPage(deps: PumpDeps, channel: Channel): Promise<void> {
  channel.ring ??= createRing(await deps.matches.latest());
  const { ring, accountId, epoch } = channel;
  const { matches, last, more } = await deps.matches.matchesAfter({
    accountId,
    after: ring.end,
    limit: PAGE,
    bytes: PAGE_BYTES,
  });
  const silences = matches.length === 0 ? [] : await deps.silences(accountId);
  if (channel.epoch === epoch) {
    const frames = matches.map((match) => frameOf(deps, accountId, match, silences));
    for (const chunk of chunksOf(frames)) {
      // A match that was deleted while the last chunk was offered may be in this one.
      if (channel.epoch !== epoch) break;
      const from = ring.next;
      ring.push(chunk, chunk.at(-1)!.position);
      await offer(deps, channel, from, chunk);
    }
  }
  if (more || channel.epoch !== epoch) channel.isDirty = true;
  if (channel.epoch === epoch) ring.push([], last);
  for (const subscriber of channel.subscribers) subscriber.resume();
}

async function offer({ clock }: PumpDeps, channel: Channel, from: number, chunk: readonly LiveFrame[]): Promise<void> {
  /** Subscribers with equal filters get the same buffer. */
  const shared = new Map<string, Buffer>();
  await visitInTurns(clock, channel.subscribers, (subscriber) => {
    const key = filterKey(subscriber.filter);
    const bytes = shared.get(key) ?? joinFrames(chunk.filter((frame) => isWanted(subscriber.filter, frame)));
    shared.set(key, bytes);
    subscriber.offer(from, chunk.length, bytes);
  });
}

const CHUNK_BYTES = 32 * 1024;

/** Cuts frames into pieces, each of which is written to a subscriber in one go. */
export function* chunksOf(frames: readonly LiveFrame[], most = CHUNK_BYTES): Iterable<LiveFrame[]> {
  let chunk: LiveFrame[] = [];
  let bytes = 0;
  for (const frame of frames) {
    if (chunk.length > 0 && bytes + frame.bytes.length > most) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(frame);
    bytes += frame.bytes.length;
  }
  if (chunk.length > 0) yield chunk;
}

export const joinFrames = (frames: readonly LiveFrame[]): Buffer =>
  frames.length === 1 ? frames[0]!.bytes : Buffer.concat(frames.map(({ bytes }) => bytes));
