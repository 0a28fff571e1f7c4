/** Far more rules than slots at both upstreams, through the whole service: every match goes to the rules it belongs to. */
import { describe, expect, it } from 'vitest';
import { pick, type Random, randomFrom } from '../bench/random.ts';
import type { Platform } from '../src/domain/platform.ts';
import { type UpstreamService, upstreamService } from './stages/upstream-service.ts';

const WORDS = ['ash', 'bay', 'cod', 'dew', 'elm', 'fig', 'gum', 'hay', 'ivy', 'jam'];
const SLOTS = 6;

type Words = ReadonlySet<string>;

/** A rule and, apart from any engine, what it means. */
interface Meant {
  readonly text: Record<Platform, string>;
  readonly holds: (words: Words) => boolean;
}

function anyRules(random: Random, count: number): Meant[] {
  const found = new Map<string, Meant>();
  while (found.size < count) {
    const [a, b] = [pick(random, WORDS), pick(random, WORDS)];
    const rules: Meant[] = [
      { text: { x: a, firehose: a }, holds: (words) => words.has(a) },
      { text: { x: `${a} ${b}`, firehose: `${a} AND ${b}` }, holds: (words) => words.has(a) && words.has(b) },
      { text: { x: `${a} -${b}`, firehose: `${a} AND NOT ${b}` }, holds: (words) => words.has(a) && !words.has(b) },
      { text: { x: `${a} OR ${b}`, firehose: `${a} OR ${b}` }, holds: (words) => words.has(a) || words.has(b) },
    ];
    const rule = pick(random, a === b ? rules.slice(0, 1) : rules);
    found.set(rule.text.x, rule);
  }
  return [...found.values()];
}

/** Whoever waits for a slot waits for time to pass. */
async function patiently<T>(stage: UpstreamService, work: Promise<T>): Promise<T> {
  let isDone = false;
  const settled = () => {
    isDone = true;
  };
  work.then(settled, settled);
  while (!isDone) await stage.pass(1_000);
  return work;
}

describe('more rules than slots', () => {
  it.each(['x', 'firehose'] as const)('gives every match of %s to its rules, and to no others', async (platform) => {
    const random = randomFrom(29);
    const rules = anyRules(random, 60);
    await using stage = await upstreamService({
      upstreams: [platform],
      sandbox: { xRules: SLOTS, firehoseRules: SLOTS },
    });
    const ids = await patiently(stage, Promise.all(rules.map(({ text }) => stage.rule(text[platform]))));
    const living = new Map(rules.map((rule, index) => [ids[index]!, rule]));
    for (const id of ids.slice(0, 15)) {
      await patiently(stage, stage.test.call(stage.alice, 'deleteRule', { rule_id: id }));
      living.delete(id);
    }
    await stage.pass(30_000);
    await stage.live(platform);
    expect(stage.sandbox.rules(platform).length).toBeLessThanOrEqual(SLOTS);

    const expected: string[] = [];
    for (let event = 0; event < 60; event++) {
      const words = new Set(WORDS.filter(() => random() < 0.25));
      const text = ['zoo', ...words].join(' ');
      const id = post(stage, platform, event, text);
      for (const [ruleId, { holds }] of living) if (holds(words)) expected.push(`${id} ${ruleId}`);
    }
    await stage.stored(expected.length);
    await stage.pass(5_000);
    const { matches } = await stage.test.call(stage.alice, 'listMatches', { limit: 1_000 });
    const found = matches.map(({ platform_post_id, rule_id }) => `${platform_post_id} ${rule_id}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(expected.length).toBeGreaterThan(300);
  });
});

function post({ sandbox }: UpstreamService, platform: Platform, event: number, text: string): string {
  if (platform === 'firehose') {
    return String(sandbox.post('firehose', { url: 'https://example.com/a', added: [text] }).cursor);
  }
  return sandbox.post('x', { data: { id: String(1_800_000_000_000_000_000n + BigInt(event)), text } }).id;
}
