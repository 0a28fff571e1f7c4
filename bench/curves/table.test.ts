import { expect, it } from 'vitest';
import { plotCurves } from './plot.ts';
import type { CurvePoint } from './point.ts';
import { tableOf } from './table.ts';

const webhooks: CurvePoint[] = [1, 100, 10_000].map((size) => ({
  curve: 'webhooks',
  size,
  cpu_micros: { 'a delivered match': 90 + size / 100 },
  resident_mb: 200,
}));

it('has a row for each size, and says where a curve bends', () => {
  const lines = tableOf(webhooks).split('\n');
  expect(lines[0]).toBe('| webhooks | a delivered match, µs | memory, MB |');
  expect(lines[4]).toBe('| 10,000 | 190 | 200 |');
  expect(lines[6]).toMatch(/^- µs of a delivered match: bends at 9,\d00; .* 1,0[89]\d at 100,000 if it goes on so$/);
  expect(lines[7]).toMatch(/^- MB of memory: no bend; .* 200 at 100,000/);
});

it('draws CPU and memory of each curve, and nothing of curves that were not measured', () => {
  const drawing = plotCurves(webhooks);
  expect(drawing.match(/font-weight="bold">[^<]+/g)?.map((title) => title.slice(19))).toEqual([
    'µs of CPU against webhooks',
    'MB of memory against webhooks',
  ]);
  expect(drawing.match(/<circle [^>]*r="3"/g)).toHaveLength(6);
});
