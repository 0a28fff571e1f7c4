/**
 * `npm run bench -- fanout`: matches a second to a thousand subscribers, against a bare loop of `res.write` of the same
 * bytes in the same run. Both serve real sockets; the readers live in a process of their own and only count bytes.
 * `benchFrames` is the same for matches that come one at a time, by CPU.
 */
import type { Match } from '../src/domain/match.ts';
import { matchText } from '../src/service/reader/reader.ts';
import { bareWriter, bytesOf, cursors, measure, ourWriter, SUBSCRIBERS } from './fanout-run.ts';

export interface FanoutFigures {
  readonly subscribers: number;
  readonly matches: number;
  readonly bytes_per_match: number;
  readonly matches_per_second: number;
  readonly bare_matches_per_second: number;
  readonly ratio: number;
}

export async function benchFanout({ quick = false }: { quick?: boolean }): Promise<FanoutFigures> {
  const { stored, frames } = framesOf(quick ? 300 : 2_000);
  const runs = { ours: [] as number[], bare: [] as number[] };
  // In turns: what disturbs the machine disturbs both.
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    runs.bare.push((await measure(frames, [frames.length], bareWriter(frames))).seconds);
    runs.ours.push((await measure(frames, [frames.length], ourWriter(stored))).seconds);
  }
  const [ours, bare] = [Math.min(...runs.ours), Math.min(...runs.bare)];
  const count = frames.length;
  return {
    subscribers: SUBSCRIBERS,
    matches: count,
    bytes_per_match: Math.round(bytesOf(frames) / count),
    matches_per_second: Math.round(count / ours),
    bare_matches_per_second: Math.round(count / bare),
    ratio: bare / ours,
  };
}

export interface FrameFigures {
  readonly bytes: number;
  /** Milliseconds of CPU of one frame to all subscribers, in each round. */
  readonly rounds: readonly { readonly ours: number; readonly bare: number }[];
}

/** Each match is sent when all subscribers have the one before. */
export async function benchFrames({ quick = false }: { quick?: boolean }): Promise<FrameFigures> {
  const { stored, frames } = framesOf(quick ? 60 : 300);
  // The first frames warm up, and find subscribers that are still reading the store.
  const ends = frames.slice(WARM_UP).map((_, index) => WARM_UP + index + 1);
  const each = (cpu: number) => (1_000 * cpu) / (ends.length - 1);
  const rounds: { ours: number; bare: number }[] = [];
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    const bare = each((await measure(frames, ends, bareWriter(frames))).cpu);
    const ours = each((await measure(frames, ends, ourWriter(stored))).cpu);
    rounds.push({ ours, bare });
  }
  return { bytes: Math.round(bytesOf(frames) / frames.length), rounds };
}

const WARM_UP = 20;

function framesOf(count: number): { stored: readonly Match[]; frames: readonly Buffer[] } {
  const stored = Array.from({ length: count }, (_, index) => matchOf(index + 1));
  const frames = stored.map((match) =>
    Buffer.from(`event: match\nid: ${cursors.write('one', 'newer', match.position)}\ndata: ${matchText(match)}\n\n`),
  );
  return { stored, frames };
}

function matchOf(position: number): Match {
  const payload = {
    data: { id: String(position), text: `The volcano is erupting again, says report ${position}. `.repeat(6) },
  };
  return {
    id: `match_${String(position).padStart(26, '0')}`,
    createdAt: new Date(0),
    position,
    platform: 'x',
    platformPostId: String(position),
    ruleId: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b',
    ruleName: 'Volcano news',
    ruleVersion: 1,
    payload,
    json: JSON.stringify(payload),
    highlights: [{ field: 'data.text', start: 4, end: 11 }],
  };
}
