/** The rules of one platform that are matched: an engine, and beside it the little that a match needs to know of its rule. */
import type { CoreEngine } from '../../engine/core/core-engine.ts';
import type { ImagePart, ImageReader } from '../../engine/core/image.ts';
import type { Query } from '../../rules/query.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import {
  createLiveRecords,
  type Found,
  type LiveRecords,
  type LiveRuleText,
  restoreLiveRecords,
} from './live-records.ts';
import { createWholeRules, restoreWholeRules, type WholeRules } from './whole-rules.ts';

export interface LiveSet {
  /** Made when it is first asked for: a process that holds no rules has none. `restore` puts another one in its place. */
  readonly engine: CoreEngine;
  /** The engine's counts of lines by their outcome; undefined where there is no engine. */
  readonly lineCounts: CoreEngine['lineCounts'] | undefined;
  put(rule: LiveRuleText, query: Query): void;
  /** Puts one of many rules that are not there yet. */
  append(rule: LiveRuleText, query: Query): void;
  drop(ruleId: string): void;
  rule(ruleId: string): LiveRuleText | undefined;
  /** How many there are. */
  readonly size: number;
  /**
   * The first `count` numbers as rules, and those that want everything from its source: without those of suspended accounts, of other
   * accounts than that of the event, and of those that are limited to other sources.
   */
  find(numbers: ArrayLike<number>, count: number, by: EventOrigin | undefined): Found[];
  findByIds(ruleIds: readonly string[], by: EventOrigin | undefined): Found[];
  /** The live rules with this very text, where an upstream judges: those that its verdict on the text concerns. */
  holders(text: RuleText): readonly Found[];
  /** From now on the rules of these accounts match nothing for this cause, and those of others match unless another cause is against it. */
  suspendAccounts(cause: string, accountIds: ReadonlySet<string>): void;
  /** The account's rules without an anchor, and why: every event is checked against them. */
  slow(accountId: string): { readonly ruleId: string; readonly reason: string }[];
  /** Moves a few rules to better anchors; called after commits. */
  reanchorSome(): void;
  /** All live rules as bytes, valid until one changes. */
  image(): ImagePart[];
  /** Reads an image; the call that it answers with puts its rules in the place of those that are here. */
  restore(reader: ImageReader): Promise<() => void>;
}

/** The account of an event that is not everybody's, and the source that brought it. */
export interface EventOrigin {
  readonly accountId?: string | undefined;
  readonly source?: string | undefined;
}

export interface LiveSetDeps {
  readonly newEngine: () => CoreEngine;
  /** An upstream names the text that matched, so rules must be found by their text. */
  readonly hasUpstream: boolean;
}

const REANCHORED_AT_ONCE = 32;

/** Rules, by number in the engine and by text. An image replaces all of it at once. */
interface Indexes {
  readonly engine: CoreEngine;
  readonly records: LiveRecords;
  /** It is undefined where no upstream judges. */
  readonly byText: TextIndex | undefined;
  /** Rules for everything that some sources bring. The engine, which looks at every event, does not know them. */
  readonly whole: WholeRules;
}

export function createLiveSet({ newEngine, hasUpstream }: LiveSetDeps): LiveSet {
  let made: Indexes | undefined;
  const indexes = (): Indexes => (made ??= emptyIndexes(newEngine(), hasUpstream));
  const causes = new Map<string, ReadonlySet<string>>();
  let suspended: ReadonlySet<string> = new Set();

  const find: LiveSet['find'] = (numbers, count, by) => findIn(indexes(), suspended, numbers, count, by);

  return {
    get engine() {
      return indexes().engine;
    },
    get lineCounts() {
      return made?.engine.lineCounts;
    },
    put: (rule, query) => putRule(indexes(), rule, query),
    append: (rule, query) => addRule(indexes(), rule, query, (engine) => engine.append(rule.ruleId, query)),
    drop: (ruleId) => made && dropRule(made, ruleId),
    rule: (ruleId) => made && ruleIn(made, ruleId),
    get size() {
      return made === undefined ? 0 : made.engine.size + made.whole.size;
    },
    find,
    findByIds: (ids, by) => find(numbersOf(indexes(), ids), ids.length, by),
    holders: (text) => made?.byText?.get(text).filter(({ accountId }) => !suspended.has(accountId)) ?? [],
    suspendAccounts(cause, accountIds) {
      suspended = allOf(causes.set(cause, accountIds));
    },
    slow: (accountId) => (made === undefined ? [] : slowIn(made, accountId)),
    reanchorSome: () => void made?.engine.reanchor(REANCHORED_AT_ONCE),
    image: () => imageOf(indexes()),
    async restore(reader) {
      const restored = await readIndexes(reader, newEngine(), hasUpstream);
      return () => {
        made = restored;
      };
    },
  };
}

const slowIn = (indexes: Indexes, accountId: string) =>
  indexes.engine.slow().filter(({ ruleId }) => ruleIn(indexes, ruleId)?.accountId === accountId);

const numbersOf = ({ engine }: Indexes, ids: readonly string[]): number[] => ids.map((id) => engine.numberOf(id));

const imageOf = ({ engine, records, whole }: Indexes): ImagePart[] => [
  ...engine.image(),
  ...records.image(engine.numbersEnd),
  whole.image(),
];

const allOf = (causes: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> =>
  new Set([...causes.values()].flatMap((accounts) => [...accounts]));

function findIn(
  { records, whole }: Indexes,
  suspended: ReadonlySet<string>,
  numbers: ArrayLike<number>,
  count: number,
  { accountId, source }: EventOrigin = EVERYBODY,
): Found[] {
  const found: Found[] = [];
  const add = (rule: LiveRuleText | undefined): void => {
    if (rule === undefined || suspended.has(rule.accountId)) return;
    const { sources } = rule.text.flags;
    if (sources !== undefined && (source === undefined || !sources.includes(source))) return;
    if (accountId === undefined || rule.accountId === accountId) found.push(rule);
  };
  for (let at = 0; at < count; at++) add(records.at(numbers[at]!));
  if (source !== undefined) for (const rule of whole.of(source)) add(rule);
  return found;
}

const EVERYBODY: EventOrigin = {};

const emptyIndexes = (engine: CoreEngine, hasUpstream: boolean): Indexes => ({
  engine,
  records: createLiveRecords((number) => engine.idOf(number)),
  byText: hasUpstream ? createTextIndex() : undefined,
  whole: createWholeRules([]),
});

async function readIndexes(reader: ImageReader, engine: CoreEngine, hasUpstream: boolean): Promise<Indexes> {
  await engine.restore(reader);
  const records = await restoreLiveRecords(reader, (number) => engine.idOf(number));
  const byText = hasUpstream ? createTextIndex() : undefined;
  for (let number = 0; byText !== undefined && number < engine.numbersEnd; number++) {
    const rule = records.at(number);
    if (rule !== undefined) byText.add(rule);
  }
  return { engine, records, byText, whole: await restoreWholeRules(reader) };
}

function ruleIn({ engine, records, whole }: Indexes, ruleId: string): LiveRuleText | undefined {
  const all = whole.get(ruleId);
  if (all !== undefined) return all;
  const number = engine.numberOf(ruleId);
  return number < 0 ? undefined : records.at(number);
}

function putRule(indexes: Indexes, rule: LiveRuleText, query: Query): void {
  dropRule(indexes, rule.ruleId);
  addRule(indexes, rule, query, (engine) => engine.put(rule.ruleId, query));
}

function addRule(
  { engine, records, byText, whole }: Indexes,
  rule: LiveRuleText,
  query: Query,
  put: (engine: CoreEngine) => number,
): void {
  if (query.kind === 'everything' && rule.text.flags.sources !== undefined) {
    whole.add(rule);
    return;
  }
  records.set(put(engine), rule);
  byText?.add(rule);
}

function dropRule(indexes: Indexes, ruleId: string): void {
  forgetRule(indexes, ruleId);
  indexes.engine.drop(ruleId);
}

function forgetRule({ engine, records, byText, whole }: Indexes, ruleId: string): void {
  if (whole.remove(ruleId)) return;
  const number = engine.numberOf(ruleId);
  if (number < 0) return;
  // No record is read from an image only to be removed.
  const rule = byText && records.at(number);
  if (rule !== undefined) byText?.remove(rule);
  records.remove(number);
}

type TextIndex = ReturnType<typeof createTextIndex>;

/** Rules by their text and flags. */
function createTextIndex() {
  const index = new Map<string, Map<string, LiveRuleText>>();
  return {
    get: (text: RuleText): LiveRuleText[] => [...(index.get(textKey(text))?.values() ?? [])],
    add(rule: LiveRuleText): void {
      const key = textKey(rule.text);
      index.set(key, (index.get(key) ?? new Map<string, LiveRuleText>()).set(rule.ruleId, rule));
    },
    remove({ ruleId, text }: LiveRuleText): void {
      const key = textKey(text);
      const sharing = index.get(key);
      sharing?.delete(ruleId);
      if (sharing?.size === 0) index.delete(key);
    },
  };
}
