/** Rules as code: whatever the server has and whatever the file says, plan and apply make one of the other. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../packages/client/src/index.ts';
import { measurePlan } from '../src/cli/plan-measure.ts';
import { printRuleFile, readRuleFile } from '../src/cli/rule-file.ts';
import { applyAll, sourcesFor } from '../src/cli/rule-file-actions.ts';
import { planChanges } from '../src/cli/rule-plan.ts';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

/** Pairs of files that are tried; `RULE_FILE_PAIRS=2000` tries more. */
const PAIRS = Number(process.env['RULE_FILE_PAIRS'] ?? 60);

let app: App;
let client: Client;
beforeAll(async () => {
  app = await startApp({ rateLimit: 10_000_000, accountRateLimit: 10_000_000 });
  client = createClient({ url: await app.http.listen({ port: 0, host: '127.0.0.1' }), key: OPERATOR_KEY });
  const lines = Array.from({ length: 20 }, (_, n) => JSON.stringify({ data: { id: `${n + 1}`, text: 'lava magma' } }));
  await client.events.push({ platform: 'x', lines: lines.join('\n') });
  for (const name of SOURCES)
    await client.sources.create({ kind: 'feeds', name, options: { urls: [`https://${name}.invalid/feed`] } });
});
afterAll(() => app[Symbol.asyncDispose]());

const SOURCES = ['harbour', 'port'];
const flags = fc.record({ quality: fc.boolean(), nsfw: fc.boolean() }, { requiredKeys: [] });
const text = fc.constantFrom('lava', 'magma', 'lava OR magma');
const overrides = fc.oneof(
  fc.record({ x: text }),
  fc.record({ firehose: text }),
  fc.record({ x: text, firehose: text }),
);
const rule = fc
  .record({
    overrides,
    flags: fc.option(flags, { nil: undefined }),
    sources: fc.option(fc.subarray(SOURCES, { minLength: 1 }), { nil: undefined }),
    intent: fc.constantFrom('', 'Tell me of lava.'),
    paused: fc.boolean(),
    alerts: fc.record({ surge: fc.boolean(), silence: fc.boolean() }),
  })
  .map(({ flags: firehose, sources, ...rest }) => ({
    ...rest,
    options: {
      ...(firehose !== undefined && 'firehose' in rest.overrides && { firehose }),
      ...(sources && { sources }),
    },
  }));
/** A file of rules that have some of four names. */
const file = fc
  .array(fc.tuple(fc.constantFrom('One', 'Two', 'Three', 'Four'), rule), { maxLength: 4 })
  .map((named) => JSON.stringify({ rules: [...new Map(named)].map(([name, one]) => ({ name, ...one })) }));

async function apply(written: string, keep: boolean) {
  const { rules: before } = await client.rules.list();
  const { entries } = readRuleFile('rules.yaml', written);
  const plan = planChanges(entries, before, { keep, sources: await sourcesFor(client, before, entries) });
  expect(plan.problems).toEqual([]);
  // Whatever apply takes, plan can measure.
  await measurePlan(client, plan.changes);
  expect((await client.rules.list()).rules).toEqual(before);
  await applyAll(client, plan.changes, false);
  const { rules: after } = await client.rules.list();
  return { before, after, entries };
}

it('apply makes the rules those of the file, and every rule that stays keeps its id', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(file, file, fc.boolean(), async (first, second, keep) => {
      await apply(first, false);
      const { before, after, entries } = await apply(second, keep);
      const sources = await sourcesFor(client, after, entries);
      expect(planChanges(entries, after, { keep, sources }).changes).toEqual([]);
      const idsBefore = new Map(before.map(({ name, id }) => [name, id]));
      const named = new Set(entries.map(({ name }) => name));
      for (const { name, id } of after) expect(id).toBe(idsBefore.get(name) ?? id);
      // Nothing that the file does not name is touched, and nothing is left that it should have removed.
      const others = (rules: typeof before) => rules.filter(({ name }) => !named.has(name));
      expect(others(after)).toEqual(keep ? others(before) : []);
      const again = readRuleFile('rules.yaml', printRuleFile(after, sources)).entries;
      expect(planChanges(again, after, { sources }).changes).toEqual([]);
    }),
    { numRuns: PAIRS },
  );
});
