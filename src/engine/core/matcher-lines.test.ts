import { describe, expect, it } from 'vitest';
import { languages } from '../../rules/languages.ts';
import { createCoreEngine } from './core-engine.ts';
import { type CoreHost, compiledCore, instanceOf } from './core-memory.ts';

const HOST: CoreHost = { decide: () => 2, takeResults() {}, leave() {} };
const { x } = languages({ level: 'enterprise', local: true });

/** An engine and one matcher of it, in the same thread. */
function stage(...texts: string[]) {
  const engine = createCoreEngine({ platform: 'x' });
  for (const text of texts) engine.put(text, x.queryOf(text)!);
  const { matchers } = engine;
  const scratch = matchers.open();
  return { engine, matchers, scratch, matcher: instanceOf(compiledCore(), matchers.memory, scratch, HOST) };
}

const line = (text: string, more: object = {}) => JSON.stringify({ data: { id: '1', text }, ...more });

function outcomesOf({ engine, matchers, scratch, matcher }: ReturnType<typeof stage>, lines: readonly string[]) {
  const given = matchers.write(scratch, lines, 0);
  const matched = matcher.matchBatch(given, false);
  return matchers
    .read(scratch, lines, 0, matched)
    .map((outcome) =>
      typeof outcome === 'string' ? outcome : Array.from(outcome.numbers, (number) => engine.idOf(number)).toSorted(),
    );
}

describe('a matcher', () => {
  it('stops before its next line when it is told to, and goes on with the next batch', () => {
    const one = stage('lava');
    one.matchers.write(one.scratch, [line('lava'), line('lava')], 0);
    one.matchers.stop(one.scratch);
    expect(one.matcher.matchBatch(2, false)).toBe(0);
    expect(outcomesOf(one, [line('lava')])).toEqual([['lava']]);
  });

  it('takes no memory of its own', () => {
    const { matcher } = stage('lava');
    expect(() => matcher.reserveInput(1_000_000)).toThrow('unreachable');
    expect(() => matcher.reserveMarks(100)).toThrow('unreachable');
  });

  it('matches with all rules, terms and phrases that came after it', () => {
    const one = stage('lava');
    const long = Array.from({ length: 30 }, (_, index) => `w${index}`).join(' ');
    for (let rule = 0; rule < 4_500; rule++)
      one.engine.put(`rule ${rule}`, x.queryOf(`word${rule} (lava OR ash${rule})`)!);
    one.engine.put('long', x.queryOf(`"${long}"`)!);
    const lines = [line('word4499 lava'), line('word7 ash7'), line(`a ${long} z`)];
    expect(outcomesOf(one, lines)).toEqual([['lava', 'rule 4499'], ['rule 7'], ['long']]);
  });

  it('asks for lines that are too long for it, not well-formed, or of which a rule asks for a fact', () => {
    const one = stage('lava', 'ash followers_count:10', 'lava*');
    const lines = [
      line('lava '.repeat(7_000)),
      line('é'.repeat(20_000)),
      `${line('ash')}\ud800`,
      line('ash'),
      line('x'),
      'no JSON',
    ];
    expect(outcomesOf(one, lines)).toEqual(['asked', 'asked', 'asked', 'asked', [], 'left']);
    expect(one.engine.lineCounts).toMatchObject({ walked: 1, left: 1, leftFor: { shape: 1 } });
  });

  it('asks for a line whose phrases take so long that it could not be stopped soon', () => {
    const words = (number: number) => Array.from({ length: 9 }, (_, bit) => ((number >> bit) & 1 ? 'ash' : 'lava'));
    const phrases = Array.from({ length: 512 }, (_, number) => `"${words(number).join(' ')}"`);
    const long = line('ash lava '.repeat(1_500));
    expect(outcomesOf(stage(...phrases), [long, line('ash')])).toEqual(['asked', []]);
    expect(outcomesOf(stage(...phrases.slice(0, 8)), [long])).toEqual([[]]);
  });

  it('takes as many lines as there is room for, and as many rules', () => {
    const texts = Array.from({ length: 400 }, (_, index) => `lava -no${index}`);
    const one = stage(...texts);
    const lines = Array.from({ length: 3_000 }, () => line('lava'));
    const given = one.matchers.write(one.scratch, lines, 0);
    expect(given).toBe(2_048);
    const matched = one.matcher.matchBatch(given, false);
    expect(matched).toBe(Math.floor(32_768 / 400));
    const outcomes = one.matchers.read(one.scratch, lines, 0, matched);
    expect(outcomes.every((outcome) => typeof outcome === 'object' && outcome.count === 400)).toBe(true);
    const wide = Array.from({ length: 20 }, () => line('ä'.repeat(8_000)));
    expect(one.matchers.write(one.scratch, wide, 0)).toBeLessThan(20);
  });

  it('asks for a line that matches more rules than one batch has room for', () => {
    const one = stage();
    for (let rule = 0; rule < 17_000; rule++) one.engine.put(`rule ${rule}`, x.queryOf('lava')!);
    expect(outcomesOf(one, [line('lava'), line('ash')])).toEqual(['asked', []]);
  });

  it('keeps what the engine keeps of a line', () => {
    const one = stage('lava');
    const lines = [line('lava'), line('lava', { other: 1 }), line('é', { includes: { users: [] }, other: 1 })];
    const given = one.matchers.write(one.scratch, lines, 0);
    one.matcher.matchBatch(given, false);
    const kept = one.matchers.read(one.scratch, lines, 0, given).map((outcome) => (outcome as { json: string }).json);
    expect(kept).toEqual(
      lines.map((text) => {
        one.engine.walkLine(text);
        return one.engine.keptOf(text);
      }),
    );
  });
});
