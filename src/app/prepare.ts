/**
 * Does ahead, step by step, what the first requests would otherwise wait for: code that runs for the first time takes ten
 * times as long as later, and then one request would hold up all others.
 */
import { makeCoreTables } from '../engine/core/core-engine.ts';
import { describeTools } from '../mcp/server.ts';
import { classOfAstral } from '../rules/firehose/word-classes.ts';
import type { Language } from '../rules/language.ts';
import type { Config } from './config.ts';
import { languagesOf, meaningOf } from './snapshots/program-fingerprint.ts';

/** Units of work after which everything else may run. One character of the engine's tables is one unit. */
export const PREPARED_AT_ONCE = 4_096;

const EMOJI = 0x1f30b;

/** Yields how much work each step was. */
export function* prepare(config: Config): Generator<number, void> {
  if (config.roles.includes('api')) {
    yield* describeTools(PREPARED_AT_ONCE);
    // Node loads what makes a request for the tool server when the first one is made.
    void new Request('http://localhost/');
    yield PREPARED_AT_ONCE;
    const { x, firehose } = languagesOf(meaningOf(config));
    for (const language of [x, firehose]) yield* readRules(language);
  }
  if (!config.roles.includes('matcher')) return;
  yield* makeCoreTables();
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
