/** Rows of Firehose's fault catalogue as tests: each has a live service with a page seen, and shows that its fault fired. */
import { expect, it } from 'vitest';
import { type FaultName, isFaultName } from '../../sandbox/faults/catalogue.ts';
import { type UpstreamService, type UpstreamServiceOptions, upstreamService } from '../stages/upstream-service.ts';

/** F23 is nothing that an upstream does. */
export type FirehoseRow = Extract<FaultName, `F${string}`> | 'F23';

export interface Scene extends UpstreamService {
  /** The id of the page that was seen before anything went wrong. */
  readonly first: string;
  /** A fault that the test itself has thrown has struck. */
  struck(): void;
}

const named = new Set<FirehoseRow>();

export const firehoseRowsTested = (): ReadonlySet<FirehoseRow> => named;

export function row(
  name: FirehoseRow,
  behaviour: string,
  test: (scene: Scene) => Promise<void>,
  options: Partial<UpstreamServiceOptions> = {},
): void {
  named.add(name);
  it(`${name}: ${behaviour}`, async () => {
    await using stage = await upstreamService({ upstreams: ['firehose'], ...options });
    let struck = 0;
    await stage.rule('storm', ['firehose']);
    await stage.live('firehose');
    const first = stage.page();
    await stage.stored(1);
    // Connections are three seconds apart at least: from here on nothing waits for that.
    await stage.pass(3_000);
    await test(Object.assign(stage, { first, struck: () => void struck++ }));
    if (isFaultName(name)) struck += stage.sandbox.fired(name);
    expect(struck, `${name} has fired`).toBeGreaterThan(0);
  });
}

export const stateOf = async (scene: UpstreamService): Promise<string> => {
  const { state, reason } = await scene.status('firehose');
  return reason === undefined ? state : `${state}: ${reason}`;
};

/** Oldest first. */
export const gapsOf = async (scene: UpstreamService) => (await scene.status('firehose')).gaps.toReversed();

/** Milliseconds between one connection and the next, from the connection of this number on. */
export function waits(scene: UpstreamService, from: number): number[] {
  const times = scene.connects().map(({ at }) => at);
  return times.slice(from + 1).map((at, index) => at - times[from + index]!);
}
