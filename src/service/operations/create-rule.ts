/** Create Rule: the intent is durable first, then every platform holds it or none does, then it is matched. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { isBeginning, isUnderWay, settle } from '../cluster/reconcile.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { type HeldIds, idsOf } from '../registrations/registrations.ts';
import { type Texts, textsOf } from '../rule-text.ts';
import { characters, options, overrides, platform } from '../shapes.ts';
import { operation } from './operation.ts';
import { problemsOfTexts } from './rule-problems.ts';

const input = z.strictObject({
  name: characters(1, 200).describe('The name of the rule.'),
  intent: characters(0, 2_000).describe('What the rule is for, in plain words; it gives context to agents.'),
  platforms: z.array(platform).min(1).max(PLATFORMS.length).describe('Where to create it; each platform once.'),
  overrides: overrides.describe("The filter of each listed platform, in that platform's own rule language."),
  options: options.optional(),
});
const output = z.object({
  rule_id: z.string(),
  platforms: z.partialRecord(
    z.enum(PLATFORMS),
    z.object({ platform_rule_id: z.string(), translated_value: z.string() }),
  ),
});
type Answer = z.infer<typeof output>;

export const createRule = operation({
  name: 'createRule',
  summary: 'Create a rule',
  description:
    'Creates a rule on every listed platform, or on none. Each text in `overrides` is checked first; when something is wrong, `details.issues` names every problem with its position and, where one is known, a suggestion. With an `Idempotency-Key` header the same request within 24 hours answers with the first result.',
  access: 'full',
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
  problems: problemsOfTexts,
  async run(context, caller, request, { idempotencyKey }) {
    if (caller.account.plan === 'free') {
      throw new ServiceError(
        'permission_denied',
        'The free plan has syntax help, validation and preview, but no rules.',
      );
    }
    if (idempotencyKey === undefined) return create(context, caller, request);
    return context.turns.inTurn(`${caller.account.id} ${idempotencyKey}`, () =>
      createOnce(context, caller, request, idempotencyKey),
    );
  },
});

async function create(
  context: Context,
  caller: Caller,
  request: z.infer<typeof input>,
  begin: (ruleId: string) => Promise<void> = async () => {},
): Promise<Answer> {
  const { store, clock, registrations, matching } = context;
  const accountId = caller.account.id;
  const texts = textsOf(request.overrides, request.options);
  await registrations.ready(texts);
  const spent = texts.x && context.budgets.reasonToRest(caller.account, 'x');
  if (spent !== undefined) {
    throw new ServiceError('resource_exhausted', spent, { details: { platform: 'x', budget: caller.account.xBudget } });
  }
  const createdAt = clock.now();
  const id = newId('rule', createdAt);
  await begin(id);
  const rule = { id, accountId, name: request.name, intent: request.intent, createdAt, platforms: texts };
  const added = await store.addRule(rule, { x: caller.account.xRules });
  if (added !== 'added') throw overLimit(context, added.overLimit, caller.account.xRules, added.used);
  const held = await registrations.hold(
    texts,
    (ids) => activate(store, accountId, id, ids),
    () => store.deleteRule(accountId, id),
  );
  matching.put({ id, accountId, version: 1, texts });
  await context.nodes.caughtUp();
  return { rule_id: id, platforms: resultOf(texts, held) };
}

async function activate(store: Store, accountId: string, id: string, held: HeldIds): Promise<void> {
  for (const name of PLATFORMS) {
    if (held[name] !== undefined) await store.setRuleStatus(id, name, { status: 'active', platformRuleId: held[name] });
  }
  // Another node takes a rule for broken whose platforms need minutes to take it.
  if (store.isShared && (await store.rule(accountId, id)) === undefined) {
    throw new ServiceError('unavailable', 'The platforms took too long; the rule was not created. Try again.', {
      retryAfter: 60,
    });
  }
}

function overLimit(context: Context, name: Platform, limit: number, used: number): ServiceError {
  const more = context.settings.support === '' ? '' : ` For a higher limit ask ${context.settings.support}.`;
  return new ServiceError('resource_exhausted', `All ${limit} rules of the account on ${name} are in use.${more}`, {
    details: { platform: name, limit, used },
  });
}

function resultOf(texts: Texts, held: HeldIds): Answer['platforms'] {
  const platforms: Answer['platforms'] = {};
  for (const name of PLATFORMS) {
    const [rule, id] = [texts[name], held[name]];
    if (rule && id) platforms[name] = { platform_rule_id: id, translated_value: rule.value };
  }
  return platforms;
}

/**
 * The id of the rule is remembered before the rule is made, its answer after. A crash in between leaves no rule, and it
 * is made now, or a whole one, and that is the answer: one key never makes two rules.
 */
async function createOnce(
  context: Context,
  caller: Caller,
  request: z.infer<typeof input>,
  idempotencyKey: string,
): Promise<Answer> {
  const accountId = caller.account.id;
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const earlier = await context.store.remembered(accountId, idempotencyKey);
  if (earlier !== undefined && earlier.bodyDigest !== digest) throw otherRequest();
  const known = earlier?.answer as Answer | Begun | undefined;
  if (known !== undefined && 'rule_id' in known) return known;
  let claimed: string | undefined;
  const begin = async (begun: string): Promise<void> => {
    // Of several nodes that get the same request, one makes the rule. An interrupted request is taken over by one.
    const claim = { accountId, idempotencyKey, bodyDigest: digest, answer: { begun }, instead: known };
    const outcome = await context.store.claimAnswer(claim);
    if (outcome === 'full') throw tooManyKeys();
    if (outcome !== 'claimed') throw outcome.bodyDigest === digest ? underWay() : otherRequest();
    claimed = begun;
  };
  const remember = (answer: Answer | Begun) => context.store.remember(accountId, idempotencyKey, digest, answer);
  try {
    const answer =
      (known && (await answerOf(context, accountId, known.begun))) ?? (await create(context, caller, request, begin));
    await remember(answer);
    return answer;
  } catch (error) {
    // Nothing came of it: the next request with this key need not wait for us.
    if (claimed !== undefined && (await context.store.rule(accountId, claimed)) === undefined)
      await remember({ begun: '' });
    throw error;
  }
}

const otherRequest = (): ServiceError =>
  new ServiceError('already_exists', 'This Idempotency-Key was used with another request.');

const underWay = (): ServiceError =>
  new ServiceError('unavailable', 'The first request with this Idempotency-Key is still under way.', { retryAfter: 5 });

const tooManyKeys = (): ServiceError =>
  new ServiceError(
    'resource_exhausted',
    'The account has used 10,000 Idempotency-Keys within 24 hours. Send the request without one, or try again later.',
    { retryAfter: 3_600 },
  );

/** A request that was interrupted; whether its rule came into being shows when it is looked for. Empty: it did not. */
interface Begun {
  readonly begun: string;
}

async function answerOf(context: Context, accountId: string, ruleId: string): Promise<Answer | undefined> {
  // The start repairs what a crash left, so that afterwards the rule is whole or not there.
  await context.matching.loaded;
  const begun = await context.store.rule(accountId, ruleId);
  if (begun === undefined ? isBeginning(context, ruleId) : isUnderWay(context, begun)) throw underWay();
  const rule = begun && (await settle(context, begun));
  return rule && { rule_id: rule.id, platforms: resultOf(rule.platforms, idsOf(rule)) };
}
