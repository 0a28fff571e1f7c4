/** The live rules of all platforms: loaded at the start, then put and dropped as rules change. */
import { randomInt } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { unhurried } from '../../base/cooperate.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { createCoreEngine } from '../../engine/core/core-engine.ts';
import type { ImagePart, ImageReader } from '../../engine/core/image.ts';
import type { LostThread } from '../../engine/threads/match-threads.ts';
import type { Language } from '../../rules/language.ts';
import type { Query } from '../../rules/query.ts';
import { queryOf, type RuleText } from '../../rules/rule-text.ts';
import type { PlatformText } from '../../store/store.ts';
import { type GoneRule, type LiveRule, liveRuleOf } from './live-rule.ts';
import { createMatchAhead, type MatchAhead } from './match-ahead.ts';
import { createPlatformRules, type PlatformRules } from './platform-rules.ts';
import type { RecheckOutcome } from './recheck.ts';

export interface Matching {
  readonly rules: Readonly<Record<Platform, PlatformRules>>;
  /** Threads that match lines before their turn comes, once the rules are loaded. */
  readonly ahead: MatchAhead;
  /**
   * Reads rules at the start, in slices: all of them, or after `restore` those that have changed since. A rule that is put or
   * dropped meanwhile is newer than what is read.
   */
  load(rules: AsyncIterable<readonly (Rule | GoneRule)[]>): Promise<void>;
  /** Instead of `load`, where there are no rules yet and nobody matches: takes all these. */
  fill(texts: AsyncIterable<readonly PlatformText[]>): Promise<void>;
  /** Before `load`: puts the rules of an image in place. Where it throws, the rules are those from before. */
  restore(reader: ImageReader): Promise<void>;
  /** The live rules as bytes, valid until one changes. */
  image(): ImagePart[];
  /** How often a rule was put or dropped. */
  readonly changes: number;
  /** Resolves when every rule that was stored before the start is matched. */
  readonly loaded: Promise<void>;
  readonly isLoaded: boolean;
  put(rule: LiveRule): void;
  drop(ruleId: string): void;
  /** How many rules are matched on the platform. */
  size(platform: Platform): number;
}

export interface MatchingDeps {
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly clock: Clock;
  /** Whether an upstream judges there; it has applied the flags already. */
  readonly isUpstream?: (platform: Platform) => boolean;
  /** Told of stored rules that the language no longer accepts. */
  readonly onUnreadable: (rule: Pick<Rule, 'id' | 'accountId'>, platform: Platform) => void;
  /** Told of each event on which the core was checked. */
  readonly onRecheck?: (platform: Platform, outcome: RecheckOutcome) => void;
  /** Threads that match beside the caller's, once the rules are loaded; none unless it is given. */
  readonly threads?: number | undefined;
  /** Told of a thread that ended before its time. */
  readonly onThreadLost?: (lost: LostThread) => void;
}

type AllRules = Matching['rules'];
type Parse = (platform: Platform, text: RuleText) => Query | undefined;

export function createMatching(deps: MatchingDeps): Matching {
  const { languages, isUpstream = () => false, threads = 0, onThreadLost = () => {} } = deps;
  const parse: Parse = (name, text) => queryOf(languages[name], isUpstream(name) ? { ...text, flags: {} } : text);
  const rules = createAllRules({ ...deps, isUpstream }, parse, (name) => ahead.stop(name));
  const ahead: MatchAhead = createMatchAhead({ threads, rules, onLost: onThreadLost });
  const loading = createLoading();

  function change(ruleId: string, rule: LiveRule | undefined): void {
    loading.change(ruleId, rule);
    setRule(rules, parse, ruleId, rule, () => {});
  }

  return {
    rules,
    ahead,
    async load(slices) {
      for await (const slice of slices)
        for await (const stored of unhurried(slice))
          if (!loading.isChanged(idOf(stored))) setStored(rules, parse, stored, deps.onUnreadable);
      loading.finish();
    },
    fill: (texts) => putTexts(rules, parse, texts, deps.onUnreadable).then(loading.finish),
    async restore(reader) {
      await restoreAll(rules, reader);
      // Rules that changed while the image was read were put among the rules that have just gone.
      for (const [ruleId, rule] of loading.changed()) setRule(rules, parse, ruleId, rule, () => {});
    },
    image: () => imageOf(rules),
    get changes() {
      return loading.changes;
    },
    loaded: loading.finished,
    get isLoaded() {
      return loading.isFinished;
    },
    put: (rule) => change(rule.id, rule),
    drop: (ruleId) => change(ruleId, undefined),
    size: (name) => rules[name].live.size,
  };
}

function createAllRules(
  { clock, isUpstream, onRecheck = () => {} }: MatchingDeps & Required<Pick<MatchingDeps, 'isUpstream'>>,
  parse: Parse,
  beforeChange: (platform: Platform) => void,
): AllRules {
  // The writer of a rule cannot know which words share a place in the index.
  const seed = randomInt(0x7fffffff);
  const now = () => clock.now().getTime();
  const rulesOf = (platform: Platform): PlatformRules =>
    createPlatformRules({
      newEngine: () => createCoreEngine({ now, seed, platform, beforeChange: () => beforeChange(platform) }),
      hasUpstream: isUpstream(platform),
      parse: (text) => parse(platform, text),
      now,
      rechecks: { seed, onOutcome: (outcome) => onRecheck(platform, outcome) },
    });
  const rules = { x: rulesOf('x'), firehose: rulesOf('firehose') };
  // Not by the first event, which would wait for it.
  for (const name of PLATFORMS) void rules[name].live.engine;
  return rules;
}

/** A rule is dropped from a platform that it has no text for, or whose language does not accept it: `onUnreadable` hears of that. */
function setRule(
  rules: AllRules,
  parse: Parse,
  ruleId: string,
  rule: LiveRule | undefined,
  onUnreadable: (platform: Platform) => void,
): void {
  for (const name of PLATFORMS) {
    const { live } = rules[name];
    const given = rule?.texts[name];
    const text = given && { value: given.value, flags: given.flags };
    const query = text && parse(name, text);
    if (rule === undefined || text === undefined || query === undefined) live.drop(ruleId);
    else live.put({ ruleId, accountId: rule.accountId, version: rule.version, text }, query);
    if (text !== undefined && query === undefined) onUnreadable(name);
  }
}

const idOf = (stored: Rule | GoneRule): string => ('gone' in stored ? stored.gone : stored.id);

function setStored(
  rules: AllRules,
  parse: Parse,
  stored: Rule | GoneRule,
  onUnreadable: MatchingDeps['onUnreadable'],
): void {
  if ('gone' in stored) setRule(rules, parse, stored.gone, undefined, () => {});
  else setRule(rules, parse, stored.id, liveRuleOf(stored), (name) => onUnreadable(stored, name));
}

async function putTexts(
  rules: AllRules,
  parse: Parse,
  slices: AsyncIterable<readonly PlatformText[]>,
  onUnreadable: MatchingDeps['onUnreadable'],
): Promise<void> {
  for await (const slice of slices) {
    for (const { ruleId, accountId, version, platform, value, flags } of slice) {
      const text = { value, flags };
      const query = parse(platform, text);
      if (query === undefined) onUnreadable({ id: ruleId, accountId }, platform);
      else rules[platform].live.append({ ruleId, accountId, version, text }, query);
    }
  }
}

/** The reading of stored rules at the start. A rule that changes meanwhile is newer than what is read of it. */
function createLoading() {
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  let changed: Map<string, LiveRule | undefined> | undefined = new Map();
  let changes = 0;
  return {
    finished,
    get isFinished() {
      return changed === undefined;
    },
    /** How often a rule has changed, also after the reading. */
    get changes() {
      return changes;
    },
    change(ruleId: string, rule: LiveRule | undefined): void {
      changes++;
      changed?.set(ruleId, rule);
    },
    isChanged: (ruleId: string): boolean => changed?.has(ruleId) ?? false,
    /** The rules that changed, as they are now; undefined for one that was dropped. */
    changed: (): Iterable<readonly [string, LiveRule | undefined]> => changed ?? [],
    finish(): void {
      changed = undefined;
      resolve();
    },
  };
}

/** An image has the same parts for each platform. */
const partName = (platform: Platform, name: string): string => `${platform} ${name}`;

const imageOf = (rules: AllRules): ImagePart[] =>
  PLATFORMS.flatMap((name) => rules[name].live.image().map((part) => ({ ...part, name: partName(name, part.name) })));

/** No platform's rules are replaced before all of them are read. */
async function restoreAll(rules: AllRules, reader: ImageReader): Promise<void> {
  const replacements: (() => void)[] = [];
  for (const name of PLATFORMS) {
    replacements.push(
      await rules[name].live.restore({
        sizeOf: (part) => reader.sizeOf(partName(name, part)),
        readInto: (part, target) => reader.readInto(partName(name, part), target),
      }),
    );
  }
  for (const replace of replacements) replace();
}
