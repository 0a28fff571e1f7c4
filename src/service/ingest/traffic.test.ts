import { describe, expect, it } from 'vitest';
import { createTraffic } from './traffic.ts';

function heldTraffic() {
  let now = Date.parse('2026-11-15T08:30:20Z');
  const traffic = createTraffic({ now: () => new Date(now), elapsed: () => now, sleep: async () => {} });
  return {
    traffic,
    forward: (seconds: number) => {
      now += seconds * 1_000;
    },
  };
}

describe('traffic', () => {
  it('knows the last sixty seconds', () => {
    const { traffic, forward } = heldTraffic();
    traffic.count('x', 3, 1);
    forward(59);
    traffic.count('x', 2, 0);
    expect(traffic.lastMinute('x')).toEqual({ events: 5, matches: 1 });
    forward(1);
    expect(traffic.lastMinute('x')).toEqual({ events: 2, matches: 0 });
    expect(traffic.lastMinute('firehose')).toEqual({ events: 0, matches: 0 });
  });

  it('knows the last sixty minutes one by one, the running one last', () => {
    const { traffic, forward } = heldTraffic();
    traffic.count('x', 3, 1);
    forward(120);
    traffic.count('x', 4, 2);
    const hour = traffic.lastHour('x');
    expect(hour).toHaveLength(60);
    expect(hour.slice(-3)).toEqual([
      { events: 3, matches: 1 },
      { events: 0, matches: 0 },
      { events: 4, matches: 2 },
    ]);
    forward(60 * 60);
    expect(traffic.lastHour('x').every(({ events }) => events === 0)).toBe(true);
  });
});
