/**
 * More rules than slots, at length: rules come and go, and then every event is judged twice. Once by an engine that has
 * every rule; once as an upstream would have it: it judges what it holds, and of each pack that it names, the engine
 * says which of the members it was. Both must say the same. Calls to the upstream are counted on the way.
 */
import { analyzerFor, readCorpus } from '../../bench/corpus.ts';
import { pick, randomFrom } from '../../bench/random.ts';
import { rulesOf, vocabularyOf } from '../../bench/rule-sets.ts';
import { type CoreEngine, createCoreEngine } from '../../src/engine/core/core-engine.ts';
import { type EventView, isRejection } from '../../src/engine/events/event-view.ts';
import { languages } from '../../src/rules/languages.ts';
import { registrationStage } from '../stages/registration-stage.ts';

export interface PackingOptions {
  readonly rules: number;
  readonly slots: number;
  readonly events: number;
  /** Rules that come one by one after the others, each followed by one that goes. */
  readonly changes: number;
  readonly seed: number;
}

export interface PackingReport {
  readonly rules: number;
  readonly registrations: number;
  readonly packs: number;
  readonly mostSlots: number;
  /** Additions and deletions asked of the upstream: while all rules were created, and by each later change. */
  readonly callsToFill: number;
  readonly callsByCreation: number;
  readonly callsByDeletion: number;
  readonly events: number;
  readonly matches: number;
  readonly differences: readonly string[];
}

/** Rules created at a time, as an import would. */
const BATCH = 500;
const MINUTE = 60_000;

type Stage = Awaited<ReturnType<typeof registrationStage>>;

export async function packingDifferential(options: PackingOptions): Promise<PackingReport> {
  const payloads = readCorpus('x').payloads.slice(0, Math.max(options.events, 2_000));
  const texts = distinctRules(payloads, options.rules + options.changes);
  await using test = await registrationStage({ options: { limit: options.slots } });
  const ids = new Map<string, string>();
  const add = async (value: string) => void ids.set(value, (await test.create(value)).rule_id);

  for (let at = 0; at < options.rules; at += BATCH) {
    const batch = texts.slice(at, Math.min(at + BATCH, options.rules));
    await patiently(test, Promise.all(batch.map(add)));
  }
  const callsToFill = changesAsked(test);
  const random = randomFrom(options.seed);
  let [creating, deleting] = [0, 0];
  for (const value of texts.slice(options.rules)) {
    const before = changesAsked(test);
    await patiently(test, add(value));
    const between = changesAsked(test);
    const gone = pick(random, [...ids.keys()]);
    await patiently(test, test.remove(ids.get(gone)!));
    ids.delete(gone);
    // What was put off is done, and counted, at the next comparison.
    await test.clock.pass(6 * MINUTE);
    creating += between - before;
    deleting += changesAsked(test) - between;
  }
  const { held, packs } = test.registrations.figures('x');
  return {
    rules: ids.size,
    registrations: held,
    packs,
    mostSlots: test.x.most,
    callsToFill,
    callsByCreation: creating / Math.max(1, options.changes),
    callsByDeletion: deleting / Math.max(1, options.changes),
    ...judgeTwice(test, [...ids.keys()], payloads.slice(0, options.events)),
  };
}

const changesAsked = ({ x }: Stage): number => x.calls.register + x.calls.unregister;

/** Whoever waits for a slot waits for time to pass. */
async function patiently(test: Stage, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) await test.clock.pass(21_000);
  await done;
}

function distinctRules(payloads: readonly unknown[], count: number): string[] {
  const { x } = languages();
  const texts = new Set<string>();
  for (const text of rulesOf('A', 'x', vocabularyOf('x', payloads, analyzerFor('x')))) {
    if (x.queryOf(text) !== undefined) texts.add(text);
    if (texts.size === count) break;
  }
  return [...texts];
}

function judgeTwice(test: Stage, texts: readonly string[], payloads: readonly unknown[]) {
  const { x } = languages();
  const engineOf = (entries: Iterable<readonly [string, string]>): CoreEngine => {
    const engine = createCoreEngine({ now: () => 0 });
    for (const [id, value] of entries) engine.put(id, x.queryOf(value)!);
    return engine;
  };
  const own = engineOf(texts.map((text) => [text, text] as const));
  const upstream = engineOf([...test.x.rules.values()].map(({ id, value }) => [id, value] as const));
  const analyze = analyzerFor('x');
  const differences: string[] = [];
  let [events, matches] = [0, 0];
  for (const payload of payloads) {
    const view = analyze(payload);
    if (isRejection(view)) continue;
    const expected = own.match(view).matches.toSorted();
    const found = attributed(test, upstream.match(view).matches, own, view);
    events++;
    matches += expected.length;
    if (found.join('\n') !== expected.join('\n')) differences.push(`${view.id}: ${found.join()} / ${expected.join()}`);
  }
  return { events, matches, differences };
}

/** The upstream's word for what stands alone, the engine's among the members of each pack that was named. */
function attributed(test: Stage, verdicts: readonly string[], own: CoreEngine, view: EventView): string[] {
  const found = new Set<string>();
  const satisfied = new Set(own.match(view).matches);
  for (const id of verdicts) {
    const holding = test.registrations.resolve('x', id);
    if (holding === undefined || holding === 'late') continue;
    for (const { value } of holding.texts) if (!holding.packed || satisfied.has(value)) found.add(value);
  }
  return [...found].toSorted();
}
