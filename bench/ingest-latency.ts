/** How long List Matches and Create Rule take, one call after another, alone and while events pour in. */
import type { Started } from '../test/black-box/server.ts';
import { spread } from './measure.ts';

export interface CallMillis {
  readonly list_matches: number;
  readonly create_rule: number;
}

/** The medians, in milliseconds. Calls until `isEnough` says so, each at least once. */
export async function callMillis(
  { call }: Pick<Started, 'call'>,
  isEnough: (calls: number) => boolean,
): Promise<CallMillis & { readonly calls: number }> {
  const times = { list_matches: [] as number[], create_rule: [] as number[] };
  async function timed(name: keyof typeof times, path: string, body: object): Promise<void> {
    const began = performance.now();
    const { status, text } = await call('POST', path, body);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    times[name].push(performance.now() - began);
  }
  do {
    await timed('list_matches', '/matches', { limit: 20 });
    await timed('create_rule', '/api.CreateRule', {
      name: 'probe',
      intent: '',
      platforms: ['x'],
      overrides: { x: `probe${++probes} -otherwise` },
    });
  } while (!isEnough(times.create_rule.length));
  const p50 = (of: readonly number[]) => Math.round(spread(Float64Array.from(of)).p50 * 100) / 100;
  return {
    list_matches: p50(times.list_matches),
    create_rule: p50(times.create_rule),
    calls: times.create_rule.length,
  };
}

let probes = 0;
