/** A source that a test drives, run as the server runs every source: what it yields is stored, and its state is told. */
import { endSources, keepSources, watchSource } from '../../src/app/sources/source-coverage.ts';
import { createWakeUp } from '../../src/base/wake-up.ts';
import type { Source, SourceArrival, SourceContext } from '../../src/sources/contract/source.ts';
import { SourceError } from '../../src/sources/fetch/source-error.ts';
import { type RunOptions, runSource, type Sink } from '../../src/sources/run.ts';
import type { SourceStatus } from '../../src/sources/source-status.ts';
import type { UpstreamService } from '../stages/upstream-service.ts';

export interface Feeding {
  /** It connects, and brings everything up to now. */
  up(): void;
  /** It brings this next. */
  bring(arrival: SourceArrival): void;
  /** The connection breaks, or stands silent. */
  breaks(isSilence?: boolean): void;
  /** Things come that cannot be read. */
  unreadable(times: number): void;
  /** Some of what was published during the break is gone. */
  lost(): void;
  ends(): void;
  /** As the server would show it. */
  status(): SourceStatus;
  /** The node that runs it stops, in order or by a crash. */
  stop(how: 'in order' | 'by a crash'): Promise<void>;
}

export const SOURCE = 'news';

type Order = (context: SourceContext) => SourceArrival | 'end' | undefined;

export async function feeding(stage: UpstreamService, replaysMs?: number): Promise<Feeding> {
  const { clock, test } = stage;
  const { context } = test.service;
  const orders: Order[] = [];
  const wakeUp = createWakeUp(clock);
  const stopping = new AbortController();
  const give = (order: Order): void => {
    orders.push(order);
    wakeUp.wake();
  };
  const source: Source = {
    name: SOURCE,
    kind: 'test',
    ...(replaysMs !== undefined && { replaysMs }),
    async *read(given) {
      while (!given.signal.aborted) {
        const order = orders.shift();
        const arrival = order?.(given);
        if (arrival === 'end') return;
        if (arrival !== undefined) yield arrival;
        if (order === undefined) await wakeUp.sleep(Number.POSITIVE_INFINITY, given.signal);
      }
    },
  };
  const log = { info() {}, warn() {}, error() {} };
  await keepSources(context, [{ name: SOURCE, kind: 'test', options: {}, platforms: ['firehose'] }]);
  const watched = await watchSource(context, source, ['firehose'], { clock, log });
  const sink: Sink = {
    cursor: async () => undefined,
    add: async () => [],
    erase: async () => {},
    noteGaps: (gaps) =>
      context.store.noteGaps(
        gaps.map((gap) => ({ ...gap, platform: 'firehose', source: SOURCE, cause: `${gap.cause}:${SOURCE}` })),
      ),
  };
  const options = { clock, signal: stopping.signal, ...watched, pauses: [1_000], random: () => 0.5 };
  const running = runSource(source, sink, options as unknown as RunOptions);
  return {
    up: () => {
      give((given) => {
        given.live();
        return { pages: [], reaches: clock.now() };
      });
    },
    bring: (arrival) => give(() => arrival),
    breaks: (isSilence = false) =>
      give(() => {
        throw new SourceError('it broke', { isSilence });
      }),
    unreadable: (times) => give(() => ({ pages: [], unread: { count: times, message: 'Nothing can be read.' } })),
    lost: () =>
      give((given) => {
        given.lost();
        return undefined;
      }),
    ends: () => give(() => 'end'),
    status: () => running.status,
    async stop(how) {
      stopping.abort();
      await running.done;
      if (how === 'in order') await endSources(context, [running]);
      else context.feeds.drop('firehose', 'source', SOURCE);
    },
  };
}
