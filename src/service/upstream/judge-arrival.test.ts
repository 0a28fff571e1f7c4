import { describe, expect, it } from 'vitest';
import type { Found } from '../ingest/live-records.ts';
import type { Holding } from '../registrations/holding.ts';
import { byEngine, inParts, judgeVerdicts, type Knowledge, understand } from './judge-arrival.ts';

const rule = (value: string): Found => ({ ruleId: `rule of ${value}`, version: 1, text: { value, flags: {} } });
const [storm, rain, sea, ash] = [rule('storm'), rule('rain'), rule('sea'), rule('ash')];

const held: Record<string, Holding | 'late'> = {
  s: { texts: [storm.text], packed: false },
  r: { texts: [rain.text], packed: false },
  pack: { texts: [sea.text, ash.text], packed: true },
  old: 'late',
};

const knowledge: Knowledge = {
  resolve: (id) => held[id],
  holders: ({ value }) => [storm, rain, sea, ash].filter(({ text }) => text.value === value),
  standsAlone: ({ value }) => value === 'storm' || value === 'rain',
  heldThen: () => 'held',
  isComparable: () => true,
};

const judged = (verdicts: string[], own: Found[], isWhole = true) =>
  judgeVerdicts(knowledge, understand(knowledge, verdicts), own, isWhole);

describe('the verdicts of an upstream', () => {
  it('are rules, packs, late ones and unknown ones', () => {
    const understood = understand(knowledge, ['s', 'pack', 'old', 'stranger']);
    expect([...understood.named.values()]).toEqual([storm]);
    expect(understood.packs.map(({ size }) => size)).toEqual([2]);
    expect([understood.isLate, understood.unknown]).toEqual([true, ['stranger']]);
  });

  it('decide for a registration of one text, and the engine agrees or not', () => {
    expect(judged(['s', 'r'], [storm]).chosen).toEqual([
      { found: storm, verdict: 'agreed' },
      { found: rain, verdict: 'upstream_only' },
    ]);
  });

  it('leave it to the engine which texts of a pack are satisfied', () => {
    expect(judged(['pack'], [ash, storm])).toMatchObject({ chosen: [{ found: ash }], unclaimed: 0 });
    expect(judged(['pack'], [])).toEqual({ chosen: [], engineOnly: [], doubted: [], unclaimed: 1 });
  });

  it('count what they leave out where the upstream was asked, when they are whole', () => {
    expect(judged(['r'], [storm, rain, sea]).engineOnly).toEqual([storm]);
  });

  it('count nothing that they leave out when they are a part of all', () => {
    expect(judged(['r'], [storm, rain], false).engineOnly).toEqual([]);
  });

  it('are not taken for silence where the registration was missing, or may have been', () => {
    const lost = { ...knowledge, heldThen: () => 'missing' as const };
    expect(judgeVerdicts(lost, understand(lost, ['r']), [storm, rain, sea], true)).toMatchObject({
      chosen: [{ found: rain, verdict: 'agreed' }, { found: storm }, { found: sea }],
      engineOnly: [],
      doubted: [],
    });
    const unsure = { ...knowledge, heldThen: () => 'unknown' as const };
    expect(judgeVerdicts(unsure, understand(unsure, ['r']), [storm, rain, sea], false)).toMatchObject({
      chosen: [{ found: rain }],
      doubted: [storm, sea],
    });
  });

  it('are not compared where only the upstream can judge', () => {
    const blind = { ...knowledge, isComparable: () => false };
    expect(judgeVerdicts(blind, understand(blind, ['s']), [rain], true)).toEqual({
      chosen: [{ found: storm }],
      engineOnly: [],
      doubted: [],
      unclaimed: 0,
    });
  });
});

it('takes the engine’s verdicts where the upstream names no rules', () => {
  expect(byEngine([storm])).toEqual({ chosen: [{ found: storm }], engineOnly: [], doubted: [], unclaimed: 0 });
});

it('cuts matches into parts, none of them into one empty part', () => {
  expect(inParts([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(inParts([1, 2], 2)).toEqual([[1, 2]]);
  expect(inParts([], 2)).toEqual([[]]);
});
