/** The live rules of all platforms: loaded at the start, then put and dropped as rules change. */
import { randomInt } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { createPauses } from '../../base/cooperate.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { type CoreEngine, createCoreEngine } from '../../engine/core/core-engine.ts';
import type { ImagePart, ImageReader } from '../../engine/core/image.ts';
import type { LineCounts } from '../../engine/core/line-walk.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import type { LostThread } from '../../engine/threads/match-threads.ts';
import type { Language } from '../../rules/language.ts';
import type { Query } from '../../rules/query.ts';
import { queryOf, type RuleText, type Texts } from '../../rules/rule-text.ts';
import type { Found } from './found-rule.ts';
import { createMatchAhead, type MatchAhead } from './match-ahead.ts';
import { createPlatformRules, type MatchedLine, type MatchedRules, type PlatformRules } from './platform-rules.ts';
import type { RecheckOutcome } from './recheck.ts';

/** A rule as it is matched; a platform without a text is not matched. */
export interface LiveRule {
  readonly id: string;
  readonly accountId: string;
  readonly version: number;
  readonly texts: Texts;
}

/** A rule that is no longer stored. */
export interface GoneRule {
  readonly gone: string;
}

export interface Matching {
  /**
   * Reads rules at the start, in slices: all of them, or after `restore` those that have changed since. A rule that is put or
   * dropped meanwhile is newer than what is read.
   */
  load(rules: AsyncIterable<readonly (Rule | GoneRule)[]>): Promise<void>;
  /** Before `load`: takes the rules of an image. Where it throws, the rules are those from before. */
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
  /** The rules that the event satisfies; undefined when that takes longer than one turn may. See `PlatformRules`. */
  match(platform: Platform, view: EventView, accountId: string | undefined): MatchedRules | undefined;
  /** The same from the text of an event's line; undefined where the line must be read first. See `PlatformRules`. */
  matchLine(
    platform: Platform,
    line: string,
    accountId: string | undefined,
    read: () => EventView,
  ): MatchedLine | 'slow' | undefined;
  /** Threads that match lines ahead of their turn. */
  readonly threads: number;
  /** See `PlatformRules`. */
  takeSteps(platform: Platform): number;
  /** Has threads match lines; undefined where none is asked, and each line is to be matched when its turn comes. */
  matchAhead: MatchAhead['match'];
  /** The same with pauses. The view must stay valid meanwhile. */
  matchInSlices(platform: Platform, view: EventView, accountId: string | undefined): Promise<MatchedRules>;
  /** The live rules with this very text, on a platform with an upstream: those that its verdict concerns. */
  holders(platform: Platform, text: RuleText): readonly Found[];
  /** The accounts whose rules on the platform match nothing for now; those of all others match. */
  suspendAccounts(platform: Platform, accountIds: ReadonlySet<string>): void;
  queryOf(platform: Platform, text: RuleText): Query | undefined;
  /** See `PlatformRules`. */
  askedOf(platform: Platform, found: Found): readonly number[] | undefined;
  cost(platform: Platform, query: Query): ReturnType<CoreEngine['cost']>;
  /** Rules without an anchor, and why: every event is checked against them. */
  slow(platform: Platform, accountId: string): { readonly ruleId: string; readonly reason: string }[];
  size(platform: Platform): number;
  /** What became of the lines that the core was given. */
  lineCounts(platform: Platform): LineCounts;
  /** Moves a few rules to better anchors; called after commits. */
  reanchorSome(platform: Platform): void;
  /** Ends the threads. Lines are matched by the caller's from then on. */
  close(): Promise<void>;
}

/** Rules read at the start between two pauses. */
const LOAD_SLICE = 100;
const REANCHORED_AT_ONCE = 32;

interface Deps {
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly clock: Clock;
  /** Whether an upstream judges there; it has applied the flags already. */
  readonly isUpstream?: (platform: Platform) => boolean;
  /** Told of stored rules that the language no longer accepts. */
  readonly onUnreadable: (rule: Rule, platform: Platform) => void;
  /** Told of each event on which the core was checked. */
  readonly onRecheck?: (platform: Platform, outcome: RecheckOutcome) => void;
  /** Threads that match beside the caller's, once the rules are loaded; none unless it is given. */
  readonly threads?: number | undefined;
  /** Told of a thread that ended before its time. */
  readonly onThreadLost?: (lost: LostThread) => void;
}

export function createMatching(deps: Deps): Matching {
  const { languages, clock, onUnreadable, isUpstream = () => false, onRecheck = () => {} } = deps;
  const { threads = 0, onThreadLost = () => {} } = deps;
  // The writer of a rule cannot know which words share a place in the index.
  const seed = randomInt(0x7fffffff);
  const parse = (name: Platform, { value, flags }: RuleText): Query | undefined =>
    queryOf(languages[name], { value, flags: isUpstream(name) ? {} : flags });
  const rulesOf = (name: Platform): PlatformRules => {
    const now = () => clock.now().getTime();
    const beforeChange = () => ahead?.stop(name);
    const newEngine = () => createCoreEngine({ now, seed, platform: name, beforeChange });
    const rechecks = { seed, onOutcome: (outcome: RecheckOutcome) => onRecheck(name, outcome) };
    const hasUpstream = isUpstream(name);
    return createPlatformRules({ newEngine, hasUpstream, parse: (text) => parse(name, text), now, rechecks });
  };
  const rules: Readonly<Record<Platform, PlatformRules>> = { x: rulesOf('x'), firehose: rulesOf('firehose') };
  const loading = createLoading();
  let ahead: MatchAhead | undefined;
  let changes = 0;

  function putRule({ id, accountId, version, texts }: LiveRule, onBad: (platform: Platform) => void): void {
    for (const name of PLATFORMS) {
      const text = texts[name] && { value: texts[name].value, flags: texts[name].flags };
      const query = text && parse(name, text);
      if (text === undefined || query === undefined) rules[name].drop(id);
      else rules[name].put({ ruleId: id, accountId, version, text }, query);
      if (text !== undefined && query === undefined) onBad(name);
    }
  }

  function dropRule(ruleId: string): void {
    for (const name of PLATFORMS) rules[name].drop(ruleId);
  }
  function takeStored(stored: Rule | GoneRule): void {
    if (loading.isChanged('gone' in stored ? stored.gone : stored.id)) return;
    if ('gone' in stored) dropRule(stored.gone);
    else putRule(liveRuleOf(stored), (name) => onUnreadable(stored, name));
  }

  return {
    async load(stored) {
      const pause = createPauses(LOAD_SLICE);
      for await (const slice of stored) {
        for (const rule of slice) {
          takeStored(rule);
          await pause(1);
        }
      }
      if (threads > 0) ahead = createMatchAhead({ threads, rules, onLost: onThreadLost });
      loading.finish();
    },
    async restore(reader) {
      const takes: (() => void)[] = [];
      for (const name of PLATFORMS) takes.push(await rules[name].restore(partsOf(reader, name)));
      for (const take of takes) take();
      // What changed while the image was read was put among the rules that have just gone.
      for (const [ruleId, rule] of loading.changed()) {
        if (rule === undefined) dropRule(ruleId);
        else putRule(rule, () => {});
      }
    },
    image: () =>
      PLATFORMS.flatMap((name) => rules[name].image().map((part) => ({ ...part, name: partName(name, part.name) }))),
    get changes() {
      return changes;
    },
    loaded: loading.finished,
    get isLoaded() {
      return loading.isFinished;
    },
    put(rule) {
      changes++;
      loading.change(rule.id, rule);
      putRule(rule, () => {});
    },
    drop(ruleId) {
      changes++;
      loading.change(ruleId, undefined);
      dropRule(ruleId);
    },
    match: (name, view, accountId) => rules[name].match(view, accountId),
    matchLine: (name, line, accountId, read) => rules[name].matchLine(line, accountId, read),
    get threads() {
      return ahead?.threads ?? 0;
    },
    takeSteps: (name) => rules[name].takeSteps(),
    matchAhead: (name, lines, accountId, read) => ahead?.match(name, lines, accountId, read),
    matchInSlices: (name, view, accountId) => rules[name].matchInSlices(view, accountId),
    holders: (name, text) => rules[name].holders(text),
    suspendAccounts: (name, accountIds) => rules[name].suspendAccounts(accountIds),
    queryOf: (name, text) => rules[name].queryOf(text),
    askedOf: (name, found) => rules[name].askedOf(found),
    cost: (name, query) => rules[name].engine.cost(query),
    slow: (name, accountId) =>
      rules[name].engine.slow().filter(({ ruleId }) => rules[name].accountOf(ruleId) === accountId),
    size: (name) => rules[name].engine.size,
    lineCounts: (name) => rules[name].engine.lineCounts,
    reanchorSome: (name) => void rules[name].engine.reanchor(REANCHORED_AT_ONCE),
    async close() {
      await ahead?.close();
    },
  };
}

/** The reading of stored rules at the start. A rule that changes meanwhile is newer than what is read of it. */
function createLoading() {
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  let changed: Map<string, LiveRule | undefined> | undefined = new Map();
  return {
    finished,
    get isFinished() {
      return changed === undefined;
    },
    change: (ruleId: string, rule: LiveRule | undefined): void => void changed?.set(ruleId, rule),
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

const partsOf = (reader: ImageReader, platform: Platform): ImageReader => ({
  sizeOf: (name) => reader.sizeOf(partName(platform, name)),
  readInto: (name, target) => reader.readInto(partName(platform, name), target),
});

/** A stored rule as it is matched: not while it is paused, and not where no platform has answered for it yet. */
export function liveRuleOf({ id, accountId, version, paused, platforms }: Rule): LiveRule {
  const texts: Texts = {};
  for (const name of PLATFORMS) {
    const held = platforms[name];
    if (!paused && held !== undefined && isMatched(held.status)) texts[name] = held;
  }
  return { id, accountId, version, texts };
}

/**
 * A rule that an upstream lost or refuses is still wanted: it is matched as soon as its events arrive again. No change of the
 * rule says when that is, so a node that left it out would never take it in again.
 */
const isMatched = (status: string): boolean => status === 'active' || status === 'missing' || status === 'failed';
