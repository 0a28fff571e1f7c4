/** Update Rule. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule, RuleFlags } from '../../domain/rule.ts';
import { type RuleText, type Texts, textKey } from '../../rules/rule-text.ts';
import type { PlacedText, RuleChange } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote, ruleFields } from '../access/change-notes.ts';
import { beginGap, endGap } from '../coverage/lasting-gaps.ts';
import { type Issue, invalidArgument } from '../errors.ts';
import type { HeldIds } from '../registrations/holding.ts';
import { activate } from '../registrations/registration-lifecycle.ts';
import {
  alertsFrom,
  changedOptions,
  changedOverrides,
  characters,
  chosenAlerts,
  listedRule,
  ruleId,
  ruleToJson,
  visibleName,
} from '../shapes.ts';
import { exampleRule, ruleOf, unknownRule, viewOf } from './read-rules.ts';
import { operation, type RulesRoom } from './room.ts';
import { checkRuleRoom, checkSources, ruleLimitError, ruleLimitsOf } from './rule-limits.ts';
import { isAnything, newTextProblems } from './rule-problems.ts';

const changes = z.strictObject({
  rule_id: ruleId,
  name: visibleName(1, 200).optional(),
  intent: characters(0, 2_000).optional(),
  overrides: changedOverrides
    .optional()
    .describe(
      'New texts by platform; a platform that is left out keeps its text. A text for a platform that the rule is not on adds it there. `null` takes the rule off a platform; one platform must remain.',
    ),
  options: changedOptions
    .optional()
    .describe(
      'New flags; those that are left out stay as they are. `null` gives one back to the default of the platform.',
    ),
  paused: z.boolean().optional().describe('A paused rule keeps its matches and gets no new ones.'),
  alerts: chosenAlerts.optional().describe('What is left out stays as it is.'),
});

export const updateRule = operation({
  name: 'updateRule',
  summary: 'Change a rule',
  description:
    'Changes the given fields, all of them or none. A new text raises `version`. Earlier matches are kept; their `rule_version` says which version matched.',
  access: 'full',
  grants: 'rules',
  input: changes,
  output: listedRule,
  example: {
    input: { rule_id: exampleRule.id, name: 'Volcano news in English', paused: false },
    output: { ...exampleRule, name: 'Volcano news in English' },
  },
  problems: newTextProblems.find,
  run: (context, caller, change) =>
    context.locks.run(change.rule_id, async () => {
      const rule = await ruleOf(context, caller, change.rule_id);
      await apply(context, caller, rule, change);
      await context.nodes.caughtUp();
      const changed = await context.store.rule(rule.accountId, rule.id);
      if (changed !== undefined) return ruleToJson(changed, viewOf(context, caller));
      // Another node deleted the rule, perhaps before this node put it into the engine.
      context.matching.drop(rule.id);
      throw unknownRule();
    }),
});

async function apply(context: RulesRoom, caller: Caller, rule: Rule, change: z.infer<typeof changes>): Promise<void> {
  const { registrations } = context;
  // On record before it begins: a stop between the two tells of a pause that was none, and not the other way round.
  if (change.paused === true) await notePause(context, rule, beginGap);
  try {
    await changeHeld(context, caller, rule, change);
  } catch (error) {
    // The store may have the change although the request failed: what is matched must not differ from what is shown.
    await matchStored(context, rule).catch(() => {});
    throw error;
  }
  const now = await matchStored(context, rule);
  if (now === undefined) return;
  if (!now.paused) await notePause(context, rule, endGap);
  // A copy that a rule still needs stays, so the texts that did not change are safe here.
  await registrations.release(rule.platforms);
  if (now.paused || context.budgets.isResting(now.accountId, 'x')) await registrations.release(now.platforms);
}

async function matchStored({ store, matching }: RulesRoom, { accountId, id }: Rule): Promise<Rule | undefined> {
  const now = await store.rule(accountId, id);
  if (now !== undefined) matching.put({ id, accountId, version: now.version, texts: now.paused ? {} : now.platforms });
  return now;
}

/** Events that a paused rule does not find are a gap of the rule. */
async function notePause(
  { store, clock }: RulesRoom,
  { id, accountId, platforms }: Rule,
  note: typeof beginGap,
): Promise<void> {
  for (const platform of PLATFORMS) {
    if (platforms[platform] === undefined) continue;
    await note(store, { platform, accountId, ruleId: id, cause: 'paused' }, clock.now());
  }
}

/** Registers the new texts, then stores the change with their ids. A paused rule is not registered: upstreams charge for it. */
async function changeHeld(
  context: RulesRoom,
  caller: Caller,
  rule: Rule,
  change: z.infer<typeof changes>,
): Promise<void> {
  const { store, registrations, clock } = context;
  const { account } = caller;
  const { texts, removed } = newTexts(rule, change);
  const on = PLATFORMS.filter((name) => texts[name] !== undefined || rule.platforms[name] !== undefined);
  await checkSources(context, caller, change.options?.sources, on);
  const added = PLATFORMS.filter((name) => texts[name] !== undefined && rule.platforms[name] === undefined);
  if (added.length > 0) await checkRuleRoom(context, account, added);
  const isResumed = rule.paused && change.paused === false;
  const kept = Object.fromEntries(PLATFORMS.flatMap((name) => keptText(rule, name, removed)));
  await using pinned = await registrations.pin(isResumed ? { ...kept, ...texts } : texts);
  const ids = await pinned.hold();
  const changed = changeOf(rule, change, { texts, removed, ids, at: clock.now() });
  const note = changeNote(clock.now(), byCaller(caller), 'rule.changed', rule.id, {
    before: ruleFields(rule),
    after: ruleFields({ ...rule, ...changed, platforms: { ...kept, ...texts } }),
  });
  const limits = ruleLimitsOf(context, account);
  const isDone = await store.changeRule(rule.accountId, rule.id, changed, note, limits);
  if (isDone === false) throw unknownRule();
  if (isDone !== true) throw ruleLimitError(context, limits, isDone);
  const isInactive = (name: Platform) => isResumed || rule.platforms[name]?.status === 'failed';
  const revived = PLATFORMS.filter(isInactive).map((name) => [name, ids[name]]);
  await activate(store, rule.id, Object.fromEntries(revived) as HeldIds);
  pinned.keep();
  if (changed.alerts !== undefined || added.length > 0) context.watcher.wake();
}

const keptText = (rule: Rule, name: Platform, removed: readonly Platform[]): [Platform, RuleText][] => {
  const held = rule.platforms[name];
  return held === undefined || removed.includes(name) ? [] : [[name, { value: held.value, flags: held.flags }]];
};

interface NewTexts {
  /** Texts or flags that differ from the stored ones. */
  readonly texts: Texts;
  readonly removed: readonly Platform[];
}

type AskedFlags = NonNullable<z.infer<typeof changedOptions>['firehose']>;

const changedFlags = (held: RuleFlags = {}, asked: AskedFlags = {}): RuleFlags =>
  Object.fromEntries(
    (['quality', 'nsfw'] as const).flatMap((name) => {
      const flag = asked[name] === undefined ? held[name] : asked[name];
      return flag === undefined || flag === null ? [] : [[name, flag]];
    }),
  );

const ONLY_OF_SOURCES = '`*` is for rules that are limited to sources (`options.sources`).';

const sourcesOf = ({ platforms }: Rule): readonly string[] | undefined =>
  PLATFORMS.map((name) => platforms[name]?.flags.sources).find((one) => one !== undefined);

function newTexts(rule: Rule, { overrides = {}, options: asked }: z.infer<typeof changes>): NewTexts {
  const removed = PLATFORMS.filter((name) => overrides[name] === null && rule.platforms[name] !== undefined);
  const texts: Texts = {};
  const issues: Issue[] = [];
  for (const name of PLATFORMS) {
    const held = rule.platforms[name];
    const value = overrides[name] === null ? undefined : (overrides[name]?.trim() ?? held?.value);
    if (value === undefined) continue;
    const sources = asked?.sources === undefined ? sourcesOf(rule) : (asked.sources ?? undefined);
    const own = name === 'firehose' ? changedFlags(held?.flags, asked?.firehose) : {};
    const flags = { ...own, ...(sources && { sources }) };
    if (sources === undefined && isAnything(value))
      issues.push({ path: `overrides.${name}`, message: ONLY_OF_SOURCES });
    if (held === undefined || textKey({ value, flags }) !== textKey(held)) texts[name] = { value, flags };
  }
  const isOn = (name: Platform) => texts[name] !== undefined || (rule.platforms[name] && !removed.includes(name));
  if (asked?.firehose !== undefined && !isOn('firehose'))
    issues.push({ path: 'options.firehose', message: 'The rule is not on `firehose`.' });
  if (!PLATFORMS.some(isOn))
    issues.push({
      path: `overrides.${removed[0]}`,
      message: 'It is the last platform of the rule. Pause or delete the rule instead.',
    });
  if (issues.length > 0) throw invalidArgument(issues);
  return { texts, removed };
}

function changeOf(
  rule: Rule,
  change: z.infer<typeof changes>,
  { texts, removed, ids, at }: NewTexts & { readonly ids: HeldIds; readonly at: Date },
): RuleChange {
  const platforms: Partial<Record<Platform, PlacedText | null>> = {};
  for (const name of removed) platforms[name] = null;
  for (const name of PLATFORMS) {
    const [text, id] = [texts[name], ids[name]];
    if (text !== undefined && id !== undefined) platforms[name] = { ...text, platformRuleId: id };
  }
  return {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.intent === undefined ? {} : { intent: change.intent }),
    ...(change.paused === undefined ? {} : { paused: change.paused }),
    ...(change.alerts === undefined ? {} : { alerts: alertsFrom(rule.alerts, change.alerts) }),
    ...(Object.keys(platforms).length === 0 ? {} : { platforms, at }),
  };
}
