/** A service whose x is an upstream that says what the test wants it to say. */
import { afterEach } from 'vitest';
import { localPlatform } from '../../src/platforms/local/local.ts';
import type { StreamCounter } from '../../src/platforms/platform.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { noMetrics } from '../../src/service/telemetry.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type ScriptedPlatform, scriptedPlatform } from './scripted-platform.ts';
import { openService, type TestOptions, type TestService } from './service.ts';

export interface UpstreamStage {
  readonly clock: FakeClock;
  readonly x: ScriptedPlatform;
  readonly store: Store;
  readonly test: TestService;
  readonly caller: Caller;
  readonly counted: StreamCounter[];
  rule(value: string): Promise<string>;
  posts(): Promise<string[]>;
  gaps(): Promise<{ from: string; to: string | null; cause: string; recovered: boolean }[]>;
}

/** Closed after each test. */
let opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]();
  opened = [];
});

export async function upstreamStage(
  options: TestOptions & { clock?: FakeClock; x?: ScriptedPlatform } = {},
): Promise<UpstreamStage> {
  const clock = options.clock ?? fakeClock();
  const x = options.x ?? scriptedPlatform('x', () => clock.now());
  const store = options.store ?? (await openSqlite(':memory:', { clock }));
  const counted: StreamCounter[] = [];
  const test = await openService({
    ...options,
    clock,
    store,
    platforms: { x, firehose: localPlatform('firehose') },
    metrics: { ...noMetrics, stream: (_, counter) => void counted.push(counter) },
  });
  opened.push(test);
  const caller = await test.caller('default', { xRules: 1_000 });
  await clock.pass(0);
  return {
    clock,
    x,
    store,
    test,
    caller,
    counted,
    async rule(value) {
      const input = { name: value, intent: '', platforms: ['x'], overrides: { x: value } };
      let id: string | undefined;
      const create = async () => {
        id = (await test.call(caller, 'createRule', input)).rule_id;
      };
      const creating = create();
      // One slot must be free first when there are few.
      for (let seconds = 0; seconds < 60 && id === undefined; seconds++) await clock.pass(seconds && 1_000);
      await creating;
      return id!;
    },
    async posts() {
      await clock.pass(0);
      const { matches } = await test.call(caller, 'listMatches', { limit: 1_000 });
      return matches.map(({ platform_post_id }) => platform_post_id);
    },
    async gaps() {
      await clock.pass(0);
      return (await test.call(caller, 'status')).platforms.x!.gaps;
    },
  };
}
