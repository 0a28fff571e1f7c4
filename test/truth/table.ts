/**
 * Every state that the program can be in, each with how to drive it through the real parts: the sandbox, sources as the
 * server runs them, the store, the clock; and what is to be said of coverage then.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../src/app/config.ts';
import { openDemo } from '../../src/app/demo.ts';
import { openSources } from '../../src/app/sources/sources.ts';
import type { Scope } from '../../src/domain/account.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { PlatformError } from '../../src/platforms/platform.ts';
import { StoreError } from '../../src/store/error.ts';
import type { Store } from '../../src/store/store.ts';
import { type UpstreamService, upstreamService } from '../stages/upstream-service.ts';
import { type Feeding, feeding } from './feeding.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** After this long, what was complete is so no more. */
const LONG = 90 * SECOND;

export interface Scene extends UpstreamService {
  /** The rule that callers ask about; the platform alone where it is left out. */
  ruleId: string | undefined;
  /** For when the scene is over. */
  defer(work: () => unknown): void;
}

export interface Row {
  readonly state: string;
  readonly platform: Platform;
  /** The platform is an upstream; else it is local. */
  readonly upstream?: true;
  readonly around?: (store: Store) => Store;
  drive(scene: Scene): Promise<void>;
  /** Empty: complete. */
  readonly reasons: readonly string[];
  /** Up to when it is complete: unknown, some time ago, or about now. */
  readonly through: 'unknown' | 'past' | 'now';
  /** Reasons that concern one rule or account alone: `/metrics` does not show them. */
  readonly isPrivate?: true;
  readonly ready?: false;
}

const local = (state: string, row: Omit<Row, 'state' | 'platform'>): Row => ({ state, platform: 'firehose', ...row });
const onX = (state: string, row: Omit<Row, 'state' | 'platform' | 'upstream'>): Row => ({
  state: `x: ${state}`,
  platform: 'x',
  upstream: true,
  ...row,
});
const onFirehose = (state: string, row: Omit<Row, 'state' | 'platform' | 'upstream'>): Row => ({
  state: `firehose: ${state}`,
  platform: 'firehose',
  upstream: true,
  ...row,
});

const page = '{"url":"https://a.example/","added":"a storm"}\n';
/** A push waits some milliseconds for others. One by a key of the scope `ingest` reaches every account. */
const push = async (scene: Scene, scope: Scope = 'ingest'): Promise<void> => {
  const pusher = await scene.test.caller('alice', { scope });
  const pushed = scene.test.call(pusher, 'pushEvents', { platform: 'firehose', lines: page });
  await Promise.all([pushed.catch(() => undefined), scene.pass(SECOND, 50)]);
};

/** A source that was well, and what becomes of it. */
const source =
  (then: (scene: Scene, source: Feeding) => Promise<void> | void, replaysMs?: number) =>
  async (scene: Scene): Promise<void> => {
    const one = await feeding(scene, replaysMs);
    scene.defer(() => one.stop('by a crash'));
    await scene.pass(SECOND);
    one.up();
    await scene.pass(SECOND);
    await then(scene, one);
    await scene.pass(SECOND);
  };

/** A stream that was live for a minute, and what becomes of it. */
const stream =
  (platform: Platform, then: (scene: Scene) => Promise<void> | void) =>
  async (scene: Scene): Promise<void> => {
    scene.ruleId = await scene.rule('storm', [platform]);
    await scene.live(platform);
    await scene.pass(MINUTE, 5 * SECOND);
    await then(scene);
  };

const untilState = async (scene: Scene, platform: Platform, state: string): Promise<void> => {
  for (let step = 0; step < 600 && (await scene.status(platform)).state !== state; step++) await scene.pass(2 * SECOND);
};

export const TABLE: readonly Row[] = [
  local('nothing feeds it', { drive: async () => {}, reasons: ['no_feed'], through: 'unknown' }),
  local('only the demo feeds it', {
    async drive(scene) {
      const dataDir = mkdtempSync(join(tmpdir(), 'sluice-truth-'));
      const stopping = new AbortController();
      const config = { dataDir, demo: true, sources: [], upstreams: {} } as unknown as Config;
      const { context } = scene.test.service;
      const demo = await openDemo(config, context.store, scene.clock);
      const playing = demo.play(context, stopping.signal);
      scene.defer(async () => {
        stopping.abort();
        await playing;
        rmSync(dataDir, { recursive: true });
      });
      await scene.pass(2 * SECOND);
    },
    reasons: ['demo'],
    through: 'unknown',
  }),
  local('pushes feed it', { drive: (scene) => push(scene), reasons: [], through: 'now' }),
  local('the only account feeds itself with a full key', {
    drive: (scene) => push(scene, 'full'),
    reasons: [],
    through: 'now',
  }),
  local('the clock was set back', {
    async drive(scene) {
      scene.ruleId = await scene.rule('storm', ['firehose']);
      await push(scene);
      scene.clock.set(-3 * HOUR);
    },
    reasons: [],
    through: 'now',
  }),
  local('the clock was set back after the rule was paused for a while', {
    async drive(scene) {
      scene.ruleId = await scene.rule('storm', ['firehose']);
      const { ruleId: rule_id } = scene;
      await scene.test.call(scene.alice, 'updateRule', { rule_id, paused: true });
      await scene.pass(MINUTE, 10 * SECOND);
      await scene.test.call(scene.alice, 'updateRule', { rule_id, paused: false });
      await push(scene);
      scene.clock.set(-3 * HOUR);
    },
    reasons: ['gap'],
    through: 'now',
    isPrivate: true,
  }),
  local('nothing was pushed for more than an hour', {
    async drive(scene) {
      await push(scene);
      await scene.clock.pass(HOUR + 1);
    },
    reasons: ['no_feed'],
    through: 'past',
  }),
  local('pushes go on after a long silence', {
    async drive(scene) {
      await push(scene);
      await scene.clock.pass(2 * HOUR);
      await push(scene);
    },
    reasons: ['gap'],
    through: 'now',
  }),
  local('a source is up', { drive: source(() => {}), reasons: [], through: 'now' }),
  local('a source starts, and has brought nothing', {
    async drive(scene) {
      const one = await feeding(scene);
      scene.defer(() => one.stop('by a crash'));
    },
    reasons: ['source_down:news'],
    through: 'unknown',
  }),
  local('a source is down', {
    drive: source(async (scene, one) => {
      one.breaks();
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['source_down:news', 'gap'],
    through: 'past',
  }),
  local('a source is silent, though it connects again and again', {
    drive: source(async (scene, one) => {
      one.breaks(true);
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['source_silent:news', 'gap'],
    through: 'past',
  }),
  local('a source is blind: what it sends cannot be read', {
    drive: source(async (scene, one) => {
      one.unreadable(20);
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['source_blind:news', 'gap'],
    through: 'past',
  }),
  local('a source brought something that cannot be read', {
    drive: source((_, one) => one.unreadable(1), HOUR),
    reasons: ['gap'],
    through: 'now',
  }),
  local('a source brought something that cannot be read, then broke, and replayed the break', {
    drive: source(async (scene, one) => {
      one.unreadable(1);
      one.breaks();
      await scene.pass(LONG, 5 * SECOND);
      one.up();
      await scene.pass(SECOND);
      one.up();
    }, HOUR),
    reasons: ['gap'],
    through: 'now',
  }),
  local('a source is blind on some of its addresses', {
    drive: source(async (scene, one) => {
      one.bring({ pages: [], failing: { addresses: 1, of: 3 } });
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['source_blind:news', 'gap'],
    through: 'past',
  }),
  local('a source is up again and has replayed the break', {
    drive: source(async (scene, one) => {
      one.breaks();
      await scene.pass(LONG, 5 * SECOND);
      one.up();
      await scene.pass(SECOND);
      one.up();
    }, HOUR),
    reasons: [],
    through: 'now',
  }),
  local('a source is up again and cannot replay the break', {
    drive: source(async (scene, one) => {
      one.breaks();
      await scene.pass(LONG, 5 * SECOND);
      one.up();
    }),
    reasons: ['gap'],
    through: 'now',
  }),
  local('a source is up again, and some of the break is lost', {
    drive: source(async (scene, one) => {
      one.breaks();
      await scene.pass(LONG, 5 * SECOND);
      one.lost();
      one.up();
    }, HOUR),
    reasons: ['gap'],
    through: 'now',
  }),
  local('a source has ended', { drive: source((_, one) => one.ends()), reasons: ['no_feed'], through: 'now' }),
  local('the node of a source has stopped', {
    drive: source((_, one) => one.stop('in order')),
    reasons: ['source_down:news'],
    through: 'now',
  }),
  local('the node of a source has died', {
    drive: source(async (scene, one) => {
      await scene.pass(6 * SECOND);
      await one.stop('by a crash');
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['source_down:news'],
    through: 'past',
  }),
  local('the last source was switched off while it was down', {
    drive: source(async (scene, one) => {
      one.breaks();
      await scene.pass(LONG, 5 * SECOND);
      await one.stop('in order');
      const { clock, test } = scene;
      const none = await openSources([], { clock, log: { info() {}, warn() {}, error() {} } });
      await none.run(test.service.context, new AbortController().signal);
      await push(scene);
    }),
    reasons: ['gap'],
    through: 'now',
  }),
  local('the rule was edited, and nothing has come since', {
    async drive(scene) {
      scene.ruleId = await scene.rule('storm', ['firehose']);
      await push(scene);
      await scene.pass(MINUTE, 10 * SECOND);
      const overrides = { firehose: 'calm' };
      await scene.test.call(scene.alice, 'updateRule', { rule_id: scene.ruleId, overrides });
    },
    reasons: ['not_started'],
    through: 'past',
    isPrivate: true,
  }),
  local('the rule was edited, and events came since', {
    async drive(scene) {
      scene.ruleId = await scene.rule('storm', ['firehose']);
      await scene.test.call(scene.alice, 'updateRule', { rule_id: scene.ruleId, overrides: { firehose: 'calm' } });
      await scene.pass(SECOND);
      await push(scene);
    },
    reasons: [],
    through: 'now',
  }),
  local('the rule is paused', {
    async drive(scene) {
      scene.ruleId = await scene.rule('storm', ['firehose']);
      await push(scene);
      await scene.test.call(scene.alice, 'updateRule', { rule_id: scene.ruleId, paused: true });
    },
    reasons: ['paused', 'gap'],
    through: 'now',
    isPrivate: true,
  }),
  local('the rule was paused for a while', {
    async drive(scene) {
      scene.ruleId = await scene.rule('storm', ['firehose']);
      const { ruleId: rule_id } = scene;
      await scene.test.call(scene.alice, 'updateRule', { rule_id, paused: true });
      await scene.pass(MINUTE, 10 * SECOND);
      await scene.test.call(scene.alice, 'updateRule', { rule_id, paused: false });
      await push(scene);
    },
    reasons: ['gap'],
    through: 'now',
    isPrivate: true,
  }),
  local('the node cannot follow the other nodes', {
    around: cutOff,
    async drive(scene) {
      await push(scene);
      await scene.pass(MINUTE, 5 * SECOND);
    },
    reasons: ['node_behind'],
    through: 'past',
    ready: false,
  }),
  local('the store takes nothing, as on a full disk', {
    around: refusing,
    drive: (scene) => push(scene),
    reasons: ['no_feed', 'not_stored'],
    through: 'unknown',
    ready: false,
  }),
  onX('no rule is there', { drive: (scene) => scene.pass(SECOND), reasons: [], through: 'now' }),
  onX('the stream is live', { drive: stream('x', () => {}), reasons: [], through: 'now' }),
  onX('the clock was set back while the stream is live', {
    drive: stream('x', async (scene) => {
      scene.clock.set(-3 * HOUR);
      await scene.pass(MINUTE, 5 * SECOND);
    }),
    reasons: [],
    through: 'now',
  }),
  onX('the cap of posts was used up, and X went away and came back', {
    drive: stream('x', async (scene) => {
      scene.sandbox.throwFault('X9');
      scene.sandbox.throwFault('X5');
      await untilState(scene, 'x', 'degraded');
      scene.sandbox.clearFaults();
      scene.sandbox.throwFault('X15', { seconds: 150 });
      await scene.pass(5 * MINUTE, 5 * SECOND);
    }),
    reasons: ['gap'],
    through: 'now',
  }),
  onX('the cap of posts was used up, and its month is over', {
    drive: stream('x', async (scene) => {
      scene.clock.set(Date.parse('2026-11-30T23:45:00Z') - scene.clock.now().getTime());
      scene.sandbox.throwFault('X9');
      scene.sandbox.throwFault('X5');
      await untilState(scene, 'x', 'degraded');
      scene.sandbox.clearFaults();
      await scene.pass(18 * MINUTE, 10 * SECOND);
    }),
    reasons: ['gap'],
    through: 'now',
  }),
  onX('it sent something that cannot be read', {
    drive: stream('x', async (scene) => {
      scene.sandbox.post('x', { data: { id: 'a post with spaces', text: 'a storm' } });
      await scene.pass(MINUTE, 5 * SECOND);
    }),
    reasons: ['gap'],
    through: 'now',
  }),
  onX('the token is refused', {
    drive: stream('x', async (scene) => {
      scene.sandbox.throwFault('X18');
      await untilState(scene, 'x', 'degraded');
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['token_refused', 'gap'],
    through: 'past',
  }),
  onX('the cap of posts is used up', {
    drive: stream('x', async (scene) => {
      scene.sandbox.throwFault('X9');
      scene.sandbox.throwFault('X5');
      await untilState(scene, 'x', 'degraded');
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['over_limit', 'gap'],
    through: 'past',
  }),
  onX('the server fails', {
    drive: stream('x', async (scene) => {
      scene.sandbox.throwFault('X6', { times: 500 });
      scene.sandbox.throwFault('X5');
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['stream_down', 'gap'],
    through: 'past',
  }),
  onX('the stream falls silent, and connecting fails', {
    drive: stream('x', async (scene) => {
      scene.sandbox.throwFault('X1');
      scene.sandbox.throwFault('X6', { times: 500 });
      await scene.pass(2 * LONG, 5 * SECOND);
    }),
    reasons: ['stream_down', 'gap'],
    through: 'past',
  }),
  onX('the stream brings heartbeats and no posts, also after connecting again', {
    drive: stream('x', async (scene) => {
      for (let post = 0; post < 60; post++) {
        scene.sandbox.post('x', { data: { id: String(post), text: 'a storm' } });
        await scene.pass(10 * SECOND, 5 * SECOND);
      }
      await scene.stored(60);
      scene.sandbox.throwFault('X2');
      await untilState(scene, 'x', 'stalled');
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['stream_down', 'gap'],
    through: 'past',
  }),
  onX('everything is answered 503', {
    drive: stream('x', async (scene) => {
      scene.sandbox.throwFault('X15', { seconds: 3_600 });
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['stream_down', 'gap'],
    through: 'past',
  }),
  onX('connecting is refused for a while, with a time', {
    drive: stream('x', async (scene) => {
      scene.sandbox.throwFault('X7', { times: 500, seconds: 900, skew: 0 });
      scene.sandbox.throwFault('X5');
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['over_limit', 'gap'],
    through: 'past',
  }),
  onX('nobody reads the stream', {
    drive: stream('x', async (scene) => {
      const { feeds } = scene.test.service.context;
      await scene.test.service.context.upstreams.stop();
      feeds.drop('x', 'stream', '');
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['stream_down'],
    through: 'past',
  }),
  onX('the registration is missing, and cannot be made again', {
    drive: stream('x', async (scene) => {
      const [held] = scene.sandbox.rules('x');
      scene.test.service.context.platforms.x.register = () => Promise.reject(new Error('not now'));
      scene.sandbox.dropRule('x', held!.id);
      await scene.pass(2 * LONG, 5 * SECOND);
    }),
    reasons: ['registration_missing', 'gap'],
    through: 'past',
    isPrivate: true,
  }),
  onX('the registration was missing for a while', {
    drive: stream('x', async (scene) => {
      scene.sandbox.dropRule('x', scene.sandbox.rules('x')[0]!.id);
      await scene.pass(2 * MINUTE, 5 * SECOND);
    }),
    reasons: ['gap'],
    through: 'now',
    isPrivate: true,
  }),
  ...(['limit', 'refused'] as const).map((fault) =>
    onX(`the registration is missing, and X says ${fault}`, {
      drive: stream('x', async (scene) => {
        const [held] = scene.sandbox.rules('x');
        const error = new PlatformError(fault, 'X says no.');
        scene.test.service.context.platforms.x.register = () => Promise.reject(error);
        scene.sandbox.dropRule('x', held!.id);
        await scene.pass(2 * LONG, 5 * SECOND);
      }),
      reasons: fault === 'limit' ? ['over_limit', 'gap'] : ['rule_refused', 'gap'],
      through: 'past',
      isPrivate: true,
    }),
  ),
  onX('the budget of the account is spent', {
    drive: stream('x', async (scene) => {
      await scene.store.changeAccount(scene.alice.account.id, { xBudget: 1 });
      await scene.pass(MINUTE, 10 * SECOND);
      scene.sandbox.post('x', { data: { id: '1', text: 'a storm' } });
      await scene.stored(1);
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['budget_spent', 'gap'],
    through: 'past',
  }),
  onX('the rule is paused', {
    drive: stream('x', async (scene) => {
      // Another rule stays, or nothing could be missing.
      await scene.rule('sea', ['x']);
      await scene.test.call(scene.alice, 'updateRule', { rule_id: scene.ruleId, paused: true });
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['paused', 'gap'],
    through: 'past',
    isPrivate: true,
  }),
  onFirehose('the stream is live', {
    // It sends nothing when it has nothing to send: only an event shows that it is complete.
    drive: stream('firehose', async (scene) => {
      scene.page();
      await scene.pass(2 * SECOND);
    }),
    reasons: [],
    through: 'now',
  }),
  onFirehose('it sent something that cannot be read', {
    drive: stream('firehose', async (scene) => {
      scene.sandbox.throwFault('F19', { kind: 'not-json' });
      scene.page();
      await scene.pass(2 * SECOND);
      scene.page();
      await scene.pass(2 * SECOND);
    }),
    reasons: ['gap'],
    through: 'now',
  }),
  onFirehose('no credit is left', {
    drive: stream('firehose', async (scene) => {
      scene.sandbox.throwFault('F13');
      scene.sandbox.throwFault('F1');
      await scene.pass(2 * LONG, 5 * SECOND);
    }),
    reasons: ['over_limit', 'gap'],
    through: 'past',
  }),
  onFirehose('the stream sends an error each time', {
    drive: stream('firehose', async (scene) => {
      scene.sandbox.throwFault('F12', { times: 500 });
      await scene.pass(2 * LONG, 5 * SECOND);
    }),
    reasons: ['stream_down', 'gap'],
    through: 'past',
  }),
  onFirehose('the token is refused', {
    drive: stream('firehose', async (scene) => {
      scene.sandbox.throwFault('F14');
      scene.sandbox.throwFault('F2');
      await untilState(scene, 'firehose', 'degraded');
      await scene.pass(LONG, 5 * SECOND);
    }),
    reasons: ['token_refused', 'gap'],
    through: 'past',
  }),
];

/** A node of several that was with the others once, and hears nothing of them since. */
function cutOff(store: Store): Store {
  let looks = 0;
  const news: Store['news'] = () => {
    looks++;
    return looks < 20 ? store.news() : Promise.reject(new Error('It cannot be read.'));
  };
  return { ...store, isShared: true, news };
}

/** Takes no event: every commit fails, and so does the check that would end it. */
function refusing(store: Store): Store {
  const full = () => Promise.reject(new StoreError('unwritable', 'The disk is full.'));
  return { ...store, commit: full, check: full };
}

/** Ends with what was deferred, the last first. */
export async function sceneOf({ platform, upstream, around }: Row): Promise<Scene & AsyncDisposable> {
  const after: (() => unknown)[] = [];
  const prices = { x: 1, firehose: 0 };
  const stage = await upstreamService({ upstreams: upstream ? [platform] : [], prices, ...(around && { around }) });
  after.push(() => stage[Symbol.asyncDispose]());
  return Object.assign(Object.create(stage) as UpstreamService, {
    ruleId: undefined,
    defer: (work: () => unknown) => void after.push(work),
    async [Symbol.asyncDispose]() {
      for (const work of after.toReversed()) await work();
    },
  });
}
