/** Update Rule and Delete Rule. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { RuleChange } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote, ruleFields } from '../change-notes.ts';
import type { Context } from '../context.ts';
import { beginGap, endGap } from '../coverage/lasting-gaps.ts';
import { type Issue, invalidArgument } from '../errors.ts';
import type { HeldIds } from '../registrations/holding.ts';
import { activate } from '../registrations/rule-status.ts';
import type { Texts } from '../rule-text.ts';
import { alertsFrom, characters, chosenAlerts, listedRule, overrides, ruleId, ruleToJson } from '../shapes.ts';
import { operation } from './operation.ts';
import { exampleRule, ruleOf, unknownRule, viewOf } from './read-rules.ts';
import { fieldsOf, problemsOfText } from './rule-problems.ts';

const changes = z.strictObject({
  rule_id: ruleId,
  name: characters(1, 200).optional(),
  intent: characters(0, 2_000).optional(),
  overrides: overrides.optional().describe('New texts for platforms that the rule has; the others keep theirs.'),
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
  problems(context, input) {
    const texts = fieldsOf(fieldsOf(input)['overrides']);
    return PLATFORMS.flatMap((name) => problemsOfText(context, `overrides.${name}`, name, texts[name]));
  },
  run: (context, caller, change) =>
    context.turns.inTurn(change.rule_id, async () => {
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

async function apply(context: Context, caller: Caller, rule: Rule, change: z.infer<typeof changes>): Promise<void> {
  const { store, registrations, matching } = context;
  // On record before it begins: a stop between the two tells of a pause that was none, and not the other way round.
  if (change.paused === true) await notePause(context, rule, beginGap);
  await changeHeld(context, caller, rule, change);
  const now = await store.rule(rule.accountId, rule.id);
  if (now === undefined) return;
  matching.put({ id: now.id, accountId: now.accountId, version: now.version, texts: now.paused ? {} : now.platforms });
  if (!now.paused) await notePause(context, rule, endGap);
  // A copy that a rule still needs stays, so the texts that did not change are safe here.
  await registrations.release(rule.platforms);
  if (now.paused || context.budgets.isResting(now.accountId, 'x')) await registrations.release(now.platforms);
}

/** What a paused rule does not find is a gap of the rule. */
async function notePause(
  { store, clock }: Context,
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
  context: Context,
  caller: Caller,
  rule: Rule,
  change: z.infer<typeof changes>,
): Promise<void> {
  const { store, registrations, clock } = context;
  const texts = newTexts(rule, change.overrides ?? {});
  const isResumed = rule.paused && change.paused === false;
  await using pinned = await registrations.pin(isResumed ? { ...rule.platforms, ...texts } : texts);
  const ids = await pinned.hold();
  const changed = changeOf(rule, change, texts, ids);
  const note = changeNote(clock.now(), byCaller(caller), 'rule.changed', rule.id, {
    before: ruleFields(rule),
    after: ruleFields({ ...rule, ...changed, platforms: { ...rule.platforms, ...changed.platforms } }),
  });
  if (!(await store.changeRule(rule.accountId, rule.id, changed, note))) throw unknownRule();
  const isInactive = (name: Platform) => isResumed || rule.platforms[name]?.status === 'failed';
  const revived = PLATFORMS.filter(isInactive).map((name) => [name, ids[name]]);
  await activate(store, rule.id, Object.fromEntries(revived) as HeldIds);
  pinned.keep();
  if (changed.alerts !== undefined) context.watcher.wake();
}

/** The texts that differ from the stored ones. Flags do not change. */
function newTexts(rule: Rule, changed: z.infer<typeof overrides>): Texts {
  const texts: Texts = {};
  const issues: Issue[] = [];
  for (const name of PLATFORMS) {
    const value = changed[name]?.trim();
    const held = rule.platforms[name];
    if (value === undefined || value === held?.value) continue;
    if (held === undefined) issues.push({ path: `overrides.${name}`, message: `The rule is not on \`${name}\`.` });
    else texts[name] = { value, flags: held.flags };
  }
  if (issues.length > 0) throw invalidArgument(issues);
  return texts;
}

function changeOf(rule: Rule, change: z.infer<typeof changes>, texts: Texts, held: HeldIds): RuleChange {
  const platforms: NonNullable<RuleChange['platforms']> = {};
  for (const name of PLATFORMS) {
    const [text, id] = [texts[name], held[name]];
    if (text !== undefined && id !== undefined) platforms[name] = { ...text, platformRuleId: id };
  }
  return {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.intent === undefined ? {} : { intent: change.intent }),
    ...(change.paused === undefined ? {} : { paused: change.paused }),
    ...(change.alerts === undefined ? {} : { alerts: alertsFrom(rule.alerts, change.alerts) }),
    ...(Object.keys(platforms).length === 0 ? {} : { platforms }),
  };
}

export const deleteRule = operation({
  name: 'deleteRule',
  summary: 'Delete a rule',
  description:
    'Deletes a rule with its matches. After the answer, no further match of that rule is stored or delivered.',
  access: 'full',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId }),
  output: z.object({}),
  example: { input: { rule_id: exampleRule.id }, output: {} },
  run: (context, caller, { rule_id }) => context.turns.inTurn(rule_id, () => removeRule(context, caller, rule_id)),
});

export async function removeRule(context: Context, caller: Caller, id: string): Promise<Record<string, never>> {
  const rule = await ruleOf(context, caller, id);
  const note = changeNote(context.clock.now(), byCaller(caller), 'rule.deleted', id, { before: ruleFields(rule) });
  if (!(await context.store.deleteRule(rule.accountId, id, note))) throw unknownRule();
  context.matching.drop(id);
  context.live.forget(rule.accountId);
  context.live.endRule(id);
  await context.registrations.release(rule.platforms);
  await context.nodes.caughtUp();
  return {};
}
