/** Create Rule: stores the rule as pending, registers its text with every platform or with none, then matches it. */
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { NO_ALERTS } from '../../domain/rule.ts';
import { type Texts, textsOfRequest } from '../../rules/rule-text.ts';
import type { NewRule } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote, ruleFields, SYSTEM } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import type { LiveRule } from '../ingest/live-rule.ts';
import type { HeldIds } from '../registrations/holding.ts';
import type { PinnedTexts } from '../registrations/pinned-texts.ts';
import { activate, idsOf } from '../registrations/registration-lifecycle.ts';
import {
  alertsFrom,
  characters,
  chosenAlerts,
  deadText,
  deadTextToJson,
  overrides,
  platform,
  ruleOptions,
  visibleName,
} from '../shapes.ts';
import { createOnce } from './create-once.ts';
import { removeRule } from './restore-rule.ts';
import { operation, type RulesRoom } from './room.ts';
import { checkSources, refuseWhenSpent, ruleLimitError, ruleLimitsOf } from './rule-limits.ts';
import { textProblems } from './rule-problems.ts';

const input = z.strictObject({
  name: visibleName(1, 200).describe('The name of the rule.'),
  intent: characters(0, 2_000).describe('What the rule is for, in plain words; it gives context to agents.'),
  platforms: z.array(platform).min(1).max(PLATFORMS.length).describe('The platforms to create the rule on, each once.'),
  overrides: overrides.describe("The filter for each listed platform, in that platform's rule language."),
  options: ruleOptions.optional(),
  alerts: chosenAlerts.optional(),
});
const output = z.object({
  rule_id: z.string(),
  platforms: z.partialRecord(
    z.enum(PLATFORMS),
    z.object({ platform_rule_id: z.string(), translated_value: z.string(), ...deadText }),
  ),
});
type Answer = z.infer<typeof output>;

export const createRule = operation({
  name: 'createRule',
  summary: 'Create a rule',
  description:
    'Creates a rule on every listed platform, or on none. Each text in `overrides` is checked first. If one is wrong, `details.issues` names every problem with its position and often a suggestion. A text that no event can ever match is accepted, and the answer says so (`can_match`). With an `Idempotency-Key` header, a repeat of the same request within 24 hours returns the first result.',
  access: 'full',
  grants: 'account',
  input,
  output,
  example: {
    input: {
      name: 'Volcano news',
      intent: 'Tell me when a volcano erupts.',
      platforms: ['x', 'firehose'],
      overrides: { x: '(volcano OR lava) erupting lang:en', firehose: 'title:volcano AND language:"en"' },
    },
    output: {
      rule_id: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b',
      platforms: {
        x: { platform_rule_id: '4821905537710498812', translated_value: '(volcano OR lava) erupting lang:en' },
        firehose: { platform_rule_id: '7730915526408811375', translated_value: 'title:volcano AND language:"en"' },
      },
    },
  },
  problems: textProblems.find,
  async run(context, caller, request, { idempotencyKey }) {
    if (caller.account.plan === 'free') {
      throw new ServiceError(
        'permission_denied',
        'The free plan includes syntax help, validation and preview. Creating rules needs a paid plan.',
      );
    }
    if (idempotencyKey === undefined) return create(context, caller, request, newId('rule', context.clock.now()));
    const accountId = caller.account.id;
    return context.locks.run(`${accountId} ${idempotencyKey}`, () =>
      createOnce<Answer>(context, {
        accountId,
        idempotencyKey,
        body: request,
        create: (id) => create(context, caller, request, id),
        remove: (id) => context.locks.run(id, () => removeRule(context, caller, id)),
        answerFor: (rule) => ({ rule_id: rule.id, platforms: resultOf(context, rule.platforms, idsOf(rule)) }),
      }),
    );
  },
});

type Request = z.infer<typeof input>;

/** Runs under the rule's lock, because a pending rule is already listed: deleting it waits until it is created. */
async function create(context: RulesRoom, caller: Caller, request: Request, id: string): Promise<Answer> {
  await checkSources(context, caller, request.options?.sources, request.platforms);
  const texts = textsOfRequest(request.overrides, request.options);
  await using pinned = await context.registrations.pin(texts);
  refuseWhenSpent(
    context,
    caller.account,
    PLATFORMS.filter((name) => texts[name] !== undefined),
  );
  const ids = await context.locks.run(id, () => createPinned(context, caller, request, { id, texts, pinned }));
  await context.nodes.caughtUp();
  return { rule_id: id, platforms: resultOf(context, texts, ids) };
}

interface NewTexts {
  readonly id: string;
  readonly texts: Texts;
  readonly pinned: PinnedTexts;
}

/**
 * Stores the rule, registers its texts, then matches it. If a step fails before all platforms have taken it, the rule is
 * deleted again. A complete rule stays: another node may have answered a repeat of the request with it.
 */
async function createPinned(
  context: RulesRoom,
  caller: Caller,
  { name, intent, alerts: asked }: Request,
  { id, texts, pinned }: NewTexts,
): Promise<HeldIds> {
  const { store, clock } = context;
  const { account } = caller;
  const alerts = asked && alertsFrom(NO_ALERTS, asked);
  const rule = {
    id,
    accountId: account.id,
    name,
    intent,
    createdAt: clock.now(),
    platforms: texts,
    ...(alerts && { alerts }),
  };
  const note = changeNote(clock.now(), byCaller(caller), 'rule.created', id, { after: ruleFields(rule) });
  const limits = ruleLimitsOf(context, account);
  const added = await store.addRule(rule, limits, note);
  if (added !== 'added') throw ruleLimitError(context, limits, added);
  const live = { id, accountId: account.id, version: 1, texts };
  try {
    const ids = await pinned.hold();
    await activate(store, id, ids);
    await match(context, live);
    pinned.keep();
    if (alerts !== undefined) context.watcher.wake();
    return ids;
  } catch (error) {
    if (!(await isUndone(context, rule, live))) pinned.keep();
    throw error;
  }
}

/** Another node may have deleted the rule: for a caller, or because its platforms took more than a minute. */
async function match({ store, matching }: RulesRoom, rule: LiveRule): Promise<void> {
  matching.put(rule);
  // Checked after the put: a deletion from now on also drops the rule here.
  if ((await store.rule(rule.accountId, rule.id)) !== undefined) return;
  throw new ServiceError('unavailable', 'The rule was deleted before all platforms had accepted it. Create it again.', {
    retryAfter: 60,
  });
}

async function isUndone({ store, matching, log, clock }: RulesRoom, rule: NewRule, live: LiveRule): Promise<boolean> {
  try {
    const note = changeNote(clock.now(), SYSTEM, 'rule.deleted', rule.id, { before: ruleFields(rule) });
    const isGone = await store.undoRule(rule.accountId, rule.id, note);
    if (isGone) matching.drop(rule.id);
    else matching.put(live);
    return isGone;
  } catch (error) {
    // The next start deletes a pending rule. A complete rule stays matched and registered.
    log.error({ ruleId: rule.id, err: error }, 'a rule whose creation failed could not be deleted');
    return false;
  }
}

function resultOf({ deadTexts }: RulesRoom, texts: Texts, held: HeldIds): Answer['platforms'] {
  const platforms: Answer['platforms'] = {};
  for (const name of PLATFORMS) {
    const [rule, id] = [texts[name], held[name]];
    if (!rule || !id) continue;
    const dead = deadTextToJson(deadTexts.whyDead(name, rule.value));
    platforms[name] = { platform_rule_id: id, translated_value: rule.value, ...dead };
  }
  return platforms;
}
