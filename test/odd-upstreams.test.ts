/**
 * Each stream of an upstream × everything that can be wrong with what it says, before the real stand-ins: what is stored, what is
 * told, and whether a certificate is issued. Nothing that was sent is neither stored nor told.
 */
import { describe, expect, it } from 'vitest';
import type { Platform } from '../src/domain/platform.ts';
import { FAULTS, type Fault } from './sources/odd-sites.ts';
import { type OddFront, openOddFront } from './stages/odd-front.ts';
import { type UpstreamService, upstreamService } from './stages/upstream-service.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FIRST_POST = 1_800_000_000_000_000_000n;

interface Stream {
  readonly name: string;
  readonly platform: Platform;
  /** How long the service is away while posts are sent; 0: it listens. */
  readonly awayMs: number;
}

const STREAMS: readonly Stream[] = [
  { name: "X's filtered stream", platform: 'x', awayMs: 0 },
  { name: "X's backfill", platform: 'x', awayMs: 2 * MINUTE },
  { name: "X's recovery", platform: 'x', awayMs: 30 * MINUTE },
  { name: "Firehose's stream", platform: 'firehose', awayMs: 0 },
  { name: "Firehose's replay", platform: 'firehose', awayMs: 10 * MINUTE },
];

/** `stored`: all of it, and a certificate says so. `gap`: what can be read is stored, and no certificate is issued. */
type Outcome = 'stored' | 'gap';
const OUTCOMES: Readonly<Record<Fault, Outcome>> = {
  'malformed item': 'gap',
  'wrong type': 'gap',
  truncated: 'stored',
  empty: 'stored',
  'HTML with 200': 'stored',
  'redirect to login': 'stored',
  'duplicated page': 'stored',
  'reordered page': 'stored',
  'clock ahead': 'stored',
};

interface Sent {
  readonly id: string;
  readonly at: number;
}

function sender({ sandbox, clock, page }: UpstreamService, platform: Platform) {
  const sent: Sent[] = [];
  return {
    sent,
    send() {
      const at = clock.now().getTime();
      if (platform === 'firehose') return void sent.push({ id: page(), at });
      const id = String(FIRST_POST + BigInt(sent.length));
      sandbox.post('x', { data: { id, text: 'a storm', created_at: new Date(at).toISOString() } });
      sent.push({ id, at });
    },
  };
}

async function untilLive({ test, pass }: UpstreamService, platform: Platform): Promise<void> {
  for (let left = 120; left > 0 && test.service.context.upstreams.status(platform)?.state !== 'live'; left--)
    await pass(30 * SECOND, 5 * SECOND);
  expect(test.service.context.upstreams.status(platform)?.state).toBe('live');
  await pass(5 * MINUTE, 5 * SECOND);
}

async function drive({ platform, awayMs }: Stream, fault: Fault): Promise<void> {
  let front: OddFront | undefined;
  await using stage = await upstreamService({
    upstreams: [platform],
    level: 'enterprise',
    front: async (url) => {
      front = await openOddFront(url);
      return front.url;
    },
  });
  await using odd = front!;
  const rule_id = await stage.rule('storm');
  await stage.live(platform);
  await stage.pass(2 * MINUTE, 5 * SECOND);
  const { sent, send } = sender(stage, platform);
  send();
  await stage.stored(1);
  await stage.pass(MINUTE, 5 * SECOND);
  const from = stage.clock.now();
  if (awayMs > 0) await stage.leave();
  else odd.strike(fault);
  for (let post = 0; post < 3; post++) {
    send();
    await stage.pass(SECOND);
  }
  if (awayMs > 0) {
    await stage.pass(awayMs, MINUTE);
    odd.strike(fault);
    await stage.comeBack();
  }
  await stage.pass(2 * MINUTE, 5 * SECOND);
  odd.strike(undefined);
  await untilLive(stage, platform);
  send();
  await stage.pass(5 * MINUTE, 5 * SECOND);
  await isStoredOrTold(stage, { platform, sent, rule_id, from, outcome: OUTCOMES[fault] });
}

interface Checked {
  readonly platform: Platform;
  readonly sent: readonly Sent[];
  readonly rule_id: string;
  readonly from: Date;
  readonly outcome: Outcome;
}

async function isStoredOrTold(stage: UpstreamService, { platform, sent, rule_id, from, outcome }: Checked) {
  const stored = await stage.matches();
  const gaps = (await stage.store.gaps({ platform, limit: 1_000 })).filter(({ recovered }) => !recovered);
  const lacking = sent.filter(({ id }) => !stored.includes(id));
  const untold = lacking.filter(
    ({ at }) => !gaps.some((gap) => gap.from.getTime() <= at && at <= (gap.to?.getTime() ?? Number.POSITIVE_INFINITY)),
  );
  expect(untold, `gaps: ${JSON.stringify(gaps)}`).toEqual([]);
  expect(new Set(stored).size).toBe(stored.length);
  expect(lacking.length).toBe(outcome === 'gap' ? 1 : 0);
  const to = stage.test.service.context.upstreams.status(platform)?.completeThrough ?? stage.clock.now();
  const span = { rule_id, from: from.toISOString(), to: to.toISOString() };
  const certified = await stage.test.call(stage.alice, 'certify', span).then(
    ({ certificate }) => sent.slice(1).every(({ id }) => certificate.includes(JSON.stringify(id))),
    (error: unknown) => (error as { details?: { gaps?: unknown[] } }).details?.gaps?.length ?? error,
  );
  if (outcome === 'stored') expect(certified).toBe(true);
  else expect(certified).toBeGreaterThan(0);
}

describe('what an upstream says wrongly', () => {
  describe.each(STREAMS)('$name', (stream) => {
    it.each(FAULTS)('%s', (fault) => expect(drive(stream, fault)).resolves.toBeUndefined());
  });
});
