import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEvent, anyQuery, now } from '../../../test/generated/random-matching.ts';
import { createScan } from '../../../test/stages/scan.ts';
import { newAnalyzer } from '../events/analyzer.ts';
import { type EventView, isRejection } from '../events/event-view.ts';
import { type CoreEngine, createCoreEngine } from './core-engine.ts';
import type { ImagePart, ImageReader } from './image.ts';

/** Reads parts as they would come from elsewhere: what the engine does later is not seen in them. */
function readerOf(parts: readonly ImagePart[]): ImageReader {
  const copies = new Map(parts.map(({ name, bytes }) => [name, Uint8Array.from(bytes)]));
  return {
    sizeOf: (name) => copies.get(name)!.length,
    readInto: async (name, target) => target.set(copies.get(name)!),
  };
}

async function reborn(engine: CoreEngine): Promise<CoreEngine> {
  const next = createCoreEngine({ now, platform: 'x' });
  await next.restore(readerOf(engine.image()));
  return next;
}

/** Few ids, so that rules are replaced and come back under the id that they had. */
const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ put: fc.nat(30), query: anyQuery }) },
  { weight: 2, arbitrary: fc.record({ drop: fc.nat(30) }) },
  { weight: 3, arbitrary: fc.record({ match: anyEvent }) },
  { weight: 1, arbitrary: fc.constant('reanchor' as const) },
  { weight: 2, arbitrary: fc.constant('image' as const) },
);

const ID = (number: number) => `rule ${number}${number % 7 === 0 ? '\ud800é' : ''}`;

describe('the image of an engine', () => {
  it('is an engine that finds what a look at every rule finds, however many times it is taken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), anyEvent, async (steps, last) => {
        let core = createCoreEngine({ now, seed: 7, platform: 'x' });
        const scan = createScan({ now });
        const agree = (event: EventView) =>
          expect(core.match(event).matches.toSorted()).toEqual(scan.match(event).matches.toSorted());
        const dropBoth = (rule: number) => expect(core.drop(ID(rule))).toBe(scan.drop(ID(rule)));
        for (const step of steps) {
          if (step === 'image') core = await reborn(core);
          else if (step === 'reanchor') core.reanchor(100);
          else if ('match' in step) agree(step.match);
          else if ('drop' in step) dropBoth(step.drop);
          else for (const engine of [core, scan]) engine.put(ID(step.put), step.query);
        }
        core = await reborn(core);
        agree(last);
        expect(core.size).toBe(scan.size);
        expect(core.stats().slow).toBe(core.slow().length);
      }),
      { numRuns: 40 },
    );
  });

  it('reads lines as the engine did: words, and what patterns ask for', async () => {
    const first = createCoreEngine({ now, platform: 'x' });
    first.put('word', { kind: 'term', field: 'text', term: 'storm' });
    first.put('pattern', { kind: 'prefix', field: 'text', prefix: 'thund' });
    const second = await reborn(first);
    const line = JSON.stringify({ data: { id: '1', text: 'storm and thunder' } });
    const view = newAnalyzer('x')(JSON.parse(line));
    if (isRejection(view)) throw new Error(view.rejected);
    const report = second.matchLine(Buffer.from(line), () => view)!;
    const ids = Array.from(report.numbers.subarray(0, report.count), (number) => second.idOf(number));
    expect(ids.toSorted()).toEqual(['pattern', 'word']);
    expect(second.lineCounts).toMatchObject({ walked: 1, left: 0, triedPatterns: 1 });
  });

  it('gives back what its rules took: with the last of them the engine is as it was without any', async () => {
    const first = createCoreEngine({ now, platform: 'x' });
    for (let number = 0; number < 500; number++)
      first.put(ID(number), {
        kind: 'all',
        of: [
          { kind: 'term', field: 'text', term: `word${number}` },
          { kind: 'prefix', field: 'title', prefix: `begin${number % 9}` },
        ],
      });
    for (let number = 0; number < 500; number += 3) first.drop(ID(number));
    const second = await reborn(first);
    expect(second.stats()).toEqual(first.stats());
    for (let number = 0; number < 500; number++) second.drop(ID(number));
    expect(second.stats()).toMatchObject({ rules: 0, terms: 0, predicates: 0, slow: 0, used: 0 });
  });
});
