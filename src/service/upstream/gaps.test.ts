import { describe, expect, it } from 'vitest';
import type { Gap } from '../../domain/coverage.ts';
import { createOpenGaps } from './consumer.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 15, 8, 0, second));
const gap = (from: number, to?: number, recovered = false): Gap => ({
  platform: 'x',
  from: at(from),
  to: to === undefined ? undefined : at(to),
  cause: 'cut',
  recovered,
});

describe('the gaps of a stream', () => {
  it('are new once, and closed under their start', () => {
    const gaps = createOpenGaps([]);
    expect(gaps.merge(gap(1))).toEqual({ gaps: [gap(1)], isNew: true });
    expect(gaps.merge(gap(1, 5, true))).toEqual({ gaps: [gap(1, 5, true)], isNew: false });
  });

  it('of an earlier run end with the gap that covers them', () => {
    const gaps = createOpenGaps([gap(10), gap(2, 3)]);
    expect(gaps.merge(gap(8))).toEqual({ gaps: [gap(8)], isNew: true });
    expect(gaps.merge(gap(8, 20))).toEqual({ gaps: [gap(8, 20), gap(10, 20)], isNew: false });
    gaps.live(at(20));
    expect(gaps.whole(at(200))).toEqual([]);
  });

  it('of an earlier run are the connector’s again when it speaks of them', () => {
    const gaps = createOpenGaps([gap(10)]);
    expect(gaps.merge(gap(10))).toEqual({ gaps: [gap(10)], isNew: false });
    gaps.live(at(20));
    expect(gaps.whole(at(200))).toEqual([]);
  });

  it('of an earlier run that the new one does not report end where the stream was live, a minute later, unrecovered', () => {
    const gaps = createOpenGaps([gap(10), gap(30)]);
    expect(gaps.whole(at(200))).toEqual([]);
    gaps.live(at(20));
    gaps.live(at(50));
    expect(gaps.whole(at(79))).toEqual([]);
    expect(gaps.whole(at(80))).toEqual([gap(10, 20), gap(30, 30)]);
    expect(gaps.whole(at(90))).toEqual([]);
  });
});
