/**
 * Does ahead, step by step, what the first requests would otherwise wait for: code that runs for the first time takes ten
 * times as long as later, and then one request would hold up all others.
 */
import { inSlices } from '../base/cooperate.ts';
import { classOfAstral } from '../rules/firehose/word-classes.ts';
import type { Language } from '../rules/language.ts';
import type { Config } from './config.ts';
import { languagesOf, meaningOf } from './snapshots/program-fingerprint.ts';

/** Units of work after which everything else may run. One character of the engine's tables is one unit. */
export const PREPARED_AT_ONCE = 4_096;

const EMOJI = 0x1f30b;

export async function prepare(config: Config): Promise<void> {
  for await (const steps of preparations(config)) await inSlices(steps, PREPARED_AT_ONCE);
}

/** Prepares, and loads, only the parts that a role needs. Each part yields how much work its steps were. */
export async function* preparations(config: Config): AsyncIterable<Generator<number, void>> {
  if (config.roles.includes('api')) {
    const { describeTools } = await import('../mcp/server.ts');
    yield forRequests(config, describeTools(PREPARED_AT_ONCE));
  }
  if (config.roles.includes('matcher')) {
    const { makeCoreTables } = await import('../engine/core/core-engine.ts');
    yield forEvents(makeCoreTables());
  }
}

function* forRequests(config: Config, tools: Generator<number, void>): Generator<number, void> {
  yield* tools;
  // Node loads what makes a request for the tool server when the first one is made.
  void new Request('http://localhost/');
  yield PREPARED_AT_ONCE;
  const { x, firehose } = languagesOf(meaningOf(config));
  for (const language of [x, firehose]) yield* readRules(language);
}

function* forEvents(tables: Generator<number, void>): Generator<number, void> {
  yield* tables;
  // The first emoji of a page would have the classes of its plane made.
  classOfAstral(EMOJI);
  yield PREPARED_AT_ONCE;
}

/** Rules with mistakes, whose fixes are looked for and proven. */
const MISTAKES: readonly string[] = [
  'form:nasa (lava OR',
  'lang:english -is:retwet "lava flow',
  'titel:lava and not domian:example.com',
  'title:(lava OR "lava flow"~2) AND language:english AND lav* AND url:https://example.com/a',
  '#lava has:picture OR AND from:@nasa',
];

function* readRules(language: Language): Generator<number, void> {
  for (const text of MISTAKES) {
    language.parse(text);
    yield PREPARED_AT_ONCE;
  }
}
