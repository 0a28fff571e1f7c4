/**
 * Cuts at random bytes of a stream: inside records, characters, line ends and the headers of chunks, while records come
 * on. Whatever the upstream replays must be stored in the end, once, and as it was sent.
 */
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { type UpstreamService, upstreamService } from '../stages/upstream-service.ts';

export interface CutsOptions {
  readonly platform: Platform;
  readonly records: number;
  readonly cuts: number;
  readonly seed: number;
}

export interface CutsReport {
  readonly records: number;
  /** That struck. */
  readonly cuts: number;
  readonly lost: number;
  readonly twice: number;
  /** Stored otherwise than sent, or put aside as broken. */
  readonly partial: number;
  /** Gaps that were not made good for. */
  readonly unrecovered: number;
  /** Records that came again, and were known. */
  readonly repeats: number;
}

const CHUNK_MS = 30_000;
const STEP_MS = 5_000;
/** Chunks of time after which what is not there is lost. */
const PATIENCE = 100;
const FIRST_POST = 1_800_000_000_000_000_000n;
/** Beside any byte at all. */
const PLACES = ['record', 'character', 'crlf', 'chunk-header'];
const ODD = ['é', '日本', '😀', '\u2028', 'ß', ' snow', '"', '\\', '\n'];

export async function cutStreams({ platform, records, cuts, seed }: CutsOptions): Promise<CutsReport> {
  const random = randomFrom(seed);
  await using stage = await upstreamService({ upstreams: [platform], level: 'enterprise', random });
  await stage.rule('storm');
  await stage.live(platform);
  const sent = new Map<string, string>();
  const chunk = Math.max(1, Math.floor((records / cuts) * 0.9));
  while (sent.size < records || fired(stage, platform) < cuts) {
    // Mostly there is a stream to cut; sometimes records come on while there is none.
    while (stage.sandbox.connections(platform) === 0 && random() < 0.9) await stage.pass(CHUNK_MS, STEP_MS);
    if (fired(stage, platform) < cuts) cut(stage, platform, random, chunk);
    for (let left = chunk; left > 0; left--) send(stage, platform, random, sent);
    await stage.sandbox.drained();
    await stage.pass(CHUNK_MS, STEP_MS);
  }
  stage.sandbox.clearFaults();
  for (let turn = 0; turn < PATIENCE && (await stage.matchCount()) < sent.size; turn++)
    await stage.pass(CHUNK_MS, STEP_MS);
  await stage.pass(150_000, STEP_MS);
  return { records: sent.size, cuts: fired(stage, platform), ...(await compare(stage, platform, sent)) };
}

const fired = ({ sandbox }: UpstreamService, platform: Platform): number =>
  sandbox.fired(platform === 'x' ? 'X4' : 'F2');

/** One at a time: the one before may not have struck yet. */
function cut({ sandbox }: UpstreamService, platform: Platform, random: Random, chunk: number): void {
  const name = platform === 'x' ? 'X4' : 'F2';
  if (sandbox.faults().some((fault) => fault.name === name && (fault.left ?? 0) > 0)) return;
  const how = pick(random, ['reset', 'fin']);
  const after_bytes = Math.floor(random() * chunk * 400);
  if (platform === 'firehose') sandbox.throwFault('F2', { after_bytes, how });
  else if (random() < 0.5) sandbox.throwFault('X4', { after_bytes, how });
  else sandbox.throwFault('X4', { at: pick(random, PLACES), how });
}

function send(stage: UpstreamService, platform: Platform, random: Random, sent: Map<string, string>): void {
  const filling = Array.from({ length: Math.floor(random() * 60) }, () => pick(random, ODD)).join('');
  const text = `storm ${sent.size} ${filling}.`;
  if (platform === 'firehose') {
    sent.set(stage.page(text), text);
    return;
  }
  const id = String(FIRST_POST + BigInt(sent.size));
  stage.sandbox.post('x', { data: { id, text, created_at: stage.clock.now().toISOString() } });
  sent.set(id, text);
}

async function compare(stage: UpstreamService, platform: Platform, sent: ReadonlyMap<string, string>) {
  const { test, alice, store } = stage;
  const seen = new Set<string>();
  let [twice, partial] = [0, 0];
  let cursor: string | undefined;
  do {
    const page = await test.call(alice, 'listMatches', { limit: 1_000, ...(cursor !== undefined && { cursor }) });
    for (const { platform_post_id: id, payload } of page.matches) {
      if (seen.has(id)) twice++;
      seen.add(id);
      const text = sent.get(id);
      if (text === undefined || !JSON.stringify(payload).includes(JSON.stringify(text))) partial++;
    }
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  partial += (await store.broken(platform, 1_000)).length;
  const gaps = await store.gaps({ platform, limit: 100_000 });
  return {
    lost: [...sent.keys()].filter((id) => !seen.has(id)).length,
    twice,
    partial,
    unrecovered: gaps.filter(({ recovered }) => !recovered).length,
    repeats: stage.counted(platform, 'dup'),
  };
}
