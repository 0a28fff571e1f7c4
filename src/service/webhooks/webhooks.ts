/** Create, List, Update and Delete Webhook. */
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import { objectCredentialProblem } from '../../base/object-address.ts';
import { parseUrl } from '../../base/parse-url.ts';
import {
  addressProblem,
  hasMask,
  isShown,
  NEEDS_CREDENTIAL,
  sameReceiver,
  shownAddress,
  splitAddress,
} from '../../delivery/webhooks/addresses.ts';
import { HOUR_MS, isObjectFormat } from '../../delivery/webhooks/objects/object-body.ts';
import { newWebhookSecret } from '../../delivery/webhooks/signature.ts';
import { isPulled } from '../../delivery/webhooks/wake-body.ts';
import { WEBHOOK_FORMATS, type Webhook } from '../../domain/webhook.ts';
import type { WebhookChange } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote, webhookFields } from '../access/change-notes.ts';
import type { ReadContext } from '../context.ts';
import { type Issue, invalidArgument, ServiceError } from '../errors.ts';
import { limitReached, MAX_WEBHOOKS } from '../limits.ts';
import { templateIssues } from '../outlets/message-template.ts';
import { rulesOfTerms, unseenRules, wakeContractOf, wakeTerms } from '../outlets/wake-shapes.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { unknownSources } from '../rules/rule-limits.ts';
import { fieldsOf } from '../rules/rule-problems.ts';
import { areGone } from '../rules/rules-gone.ts';
import { askRecipient, unconfirmedReason } from './mail-consent.ts';
import { operation, type WebhooksRoom } from './room.ts';
import {
  batch,
  chosen,
  everyOf,
  exampleWebhook,
  listedWebhook,
  noticeTermsOf,
  webhookId,
  webhookToJson,
} from './webhook-shapes.ts';

/** How long both secrets sign after a rotation. */
const OVERLAP = 24 * 60 * 60 * 1_000;

const secret = z.string().describe('The signing secret, `whsec_…`. It is shown only here.');
const EXAMPLE_SECRET = 'whsec_…';
const EXAMPLE_URL = 'https://example.com/sluice';

export const createWebhook = operation({
  name: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'From now on Sluice posts every new match, or only those of the given rules, platforms and sources, to the URL: within a second, up to 100 in a request, signed as Standard Webhooks defines. Failed deliveries are retried for three days. The answer has the signing secret, which is shown only here.',
  access: 'full',
  input: z.strictObject({
    url: chosen.url,
    rule_ids: chosen.rule_ids.optional(),
    platforms: chosen.platforms.optional(),
    sources: chosen.sources.optional(),
    description: chosen.description.default(''),
    events: chosen.events.default(['match']),
    format: chosen.format.default('json'),
    credential: chosen.credential.optional(),
    batch: batch.optional(),
    wake: wakeTerms.nullable().optional(),
    template: chosen.template.nullable().optional(),
    notices: chosen.notices.nullable().optional(),
  }),
  output: z.object({ webhook_id: z.string(), secret, ...listedWebhook.shape }),
  example: {
    input: { url: EXAMPLE_URL, platforms: ['x'], description: 'Newsroom' },
    output: { webhook_id: exampleWebhook.id, secret: EXAMPLE_SECRET, ...exampleWebhook, url: EXAMPLE_URL },
  },
  problems: addressProblems,
  async run(context, caller, input, { signal }) {
    await checkWanted(context, caller, input, undefined);
    const { store, clock, seal } = context;
    const created = newWebhookSecret();
    const { url, secret: inUrl = input.credential } = splitAddress(input.format, input.url);
    const webhook: Webhook = {
      id: newId('hook', clock.now()),
      accountId: caller.account.id,
      url,
      ...(inUrl !== undefined && { credential: seal.seal(inUrl) }),
      description: input.description,
      ruleIds: input.rule_ids === undefined ? undefined : [...new Set(input.rule_ids)],
      platforms: input.platforms === undefined ? undefined : [...new Set(input.platforms)],
      ...(input.sources !== undefined && { sources: [...new Set(input.sources)] }),
      events: [...new Set(input.events)],
      format: input.format,
      every: input.batch === undefined ? usualEvery(input.format) : everyOf(input.batch),
      ...(input.wake && { wake: wakeContractOf(input.wake) }),
      ...(typeof input.template === 'string' && { template: input.template }),
      ...(input.notices && { notices: noticeTermsOf(input.notices) }),
      ...(input.format === 'email' ? unconfirmed(url) : { status: 'active', reason: undefined }),
      createdAt: clock.now(),
      secrets: { current: seal.seal(created), previous: undefined, previousUntil: undefined },
      health: { lastFailureAt: undefined, failingSince: undefined },
    };
    if (webhook.format === 'email') {
      // Nobody is sent a link to a webhook that is not made.
      if ((await store.webhooks(webhook.accountId)).length >= MAX_WEBHOOKS) throw tooManyWebhooks();
      await askRecipient(context, caller, webhook, signal);
    }
    const note = changeNote(clock.now(), byCaller(caller), 'webhook.created', webhook.id, {
      after: webhookFields(webhook),
    });
    const add = () => store.addWebhook(webhook, MAX_WEBHOOKS, note);
    if (!(await withOwnName(context, webhook, add))) throw tooManyWebhooks();
    // The caller who creates it knows the address, and nobody is shown it again.
    return { webhook_id: webhook.id, secret: created, ...webhookToJson(webhook, clock.now()), url };
  },
});

const tooManyWebhooks = (): ServiceError =>
  limitReached('webhooks', `The account has ${MAX_WEBHOOKS} webhooks, which is the limit.`, {
    details: { limit: MAX_WEBHOOKS, used: MAX_WEBHOOKS },
  });

export const listWebhooks = operation({
  name: 'listWebhooks',
  summary: 'List webhooks',
  description:
    'The webhooks of the account, oldest first, without their secrets. Of an address, the host is shown: the rest may let others post there.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ webhooks: z.array(listedWebhook) }),
  example: { input: {}, output: { webhooks: [exampleWebhook] } },
  async run(context, { account }) {
    const webhooks: z.input<typeof listedWebhook>[] = [];
    for (const webhook of await context.store.webhooks(account.id)) webhooks.push(await shownWebhook(context, webhook));
    return { webhooks };
  },
});

/** With whether the rules that it is for are there. */
const shownWebhook = async (context: WebhooksRoom, webhook: Webhook) =>
  webhookToJson(webhook, context.clock.now(), await areGone(context, webhook.accountId, webhook.ruleIds));

const changes = z.strictObject({
  webhook_id: webhookId,
  url: chosen.url.optional(),
  rule_ids: chosen.rule_ids.nullable().optional().describe('Null: all rules.'),
  platforms: chosen.platforms.nullable().optional().describe('Null: all platforms.'),
  sources: chosen.sources.nullable().optional().describe('Null: all sources.'),
  description: chosen.description.optional(),
  events: chosen.events.optional(),
  format: chosen.format.optional(),
  credential: chosen.credential
    .nullable()
    .optional()
    .describe('A new credential. Null: none. Without it the stored one stays, unless the URL has another host.'),
  batch: batch.nullable().optional().describe('Null: matches are sent immediately.'),
  wake: wakeTerms
    .nullable()
    .optional()
    .describe('Null: every match wakes. What is held already is in the next digest.'),
  template: chosen.template.nullable().optional().describe('Null: messages are written in the usual way.'),
  notices: chosen.notices.nullable().optional().describe('Null: all of its operational events, at once.'),
  paused: z
    .boolean()
    .optional()
    .describe('Matches wait while the webhook is paused. `false` also enables a disabled webhook.'),
  rotate_secret: z
    .boolean()
    .optional()
    .describe('Creates a new secret. For a day every delivery is signed with both secrets, the new one first.'),
});

export const updateWebhook = operation({
  name: 'updateWebhook',
  summary: 'Change a webhook',
  description:
    'Changes the given fields. Pending deliveries keep their content, unless the webhook takes another format from now on: then they are written anew. With `rotate_secret` the answer has the new secret, which is shown only here.',
  access: 'full',
  input: changes,
  output: z.object({ ...listedWebhook.shape, secret: secret.optional() }),
  example: {
    input: { webhook_id: exampleWebhook.id, paused: true },
    output: { ...exampleWebhook, status: 'paused' },
  },
  run: (context, caller, input, { signal }) =>
    context.locks.run(input.webhook_id, async () => {
      const webhook = await findWebhook(context, caller, input.webhook_id);
      await checkWanted(context, caller, input, webhook);
      const rotated = input.rotate_secret === true ? newWebhookSecret() : undefined;
      const address = addressChange(context, webhook, input);
      const change: WebhookChange = {
        ...changeOf(input),
        ...address,
        ...(input.batch === null && { every: usualEvery(address.format) ?? null }),
        ...(await consentChange(context, caller, webhook, {
          ...address,
          isAsked: input.paused === false || address.url !== webhook.url,
          signal,
        })),
        ...(rotated !== undefined && { secrets: rotatedSecrets(context, webhook, rotated) }),
      };
      const note = changeNote(context.clock.now(), byCaller(caller), 'webhook.changed', webhook.id, {
        before: webhookFields(webhook),
        after: {
          ...webhookFields({ ...webhook, ...change }),
          ...(address.url !== webhook.url && { address: 'changed' }),
          ...(rotated !== undefined && { secret: 'rotated' }),
          ...(input.credential !== undefined && { credential: 'changed' }),
        },
      });
      const save = () => context.store.changeWebhook(caller.account.id, webhook.id, change, note);
      const isMoved = address.url !== webhook.url;
      if (!(await (isMoved ? withOwnName(context, { ...webhook, ...address }, save) : save()))) throw unknownWebhook();
      context.dispatcher.changed(webhook.id);
      const changed = await shownWebhook(context, await findWebhook(context, caller, webhook.id));
      return rotated === undefined ? changed : { ...changed, secret: rotated };
    }),
});

const unconfirmed = (url: string) => ({ status: 'disabled' as const, reason: unconfirmedReason(url) });

/**
 * A new recipient is asked first, and one that has not agreed is asked again when the webhook is to be resumed, and for nothing
 * else: who has unsubscribed hears no more. An agreement ends with the address, or a link in a mail could not end it meanwhile.
 */
async function consentChange(
  context: WebhooksRoom,
  caller: Caller,
  { id, confirmedUrl }: Webhook,
  { url, format, isAsked, signal }: Pick<Webhook, 'url' | 'format'> & { isAsked: boolean; signal: AbortSignal },
): Promise<WebhookChange> {
  if (confirmedUrl === url) return {};
  if (format !== 'email') return confirmedUrl === undefined ? {} : { confirmedUrl: null };
  if (!isAsked) return { status: 'disabled' };
  await askRecipient(context, caller, { id, url }, signal);
  return { ...unconfirmed(url), confirmedUrl: null };
}

function changeOf(input: z.infer<typeof changes>): WebhookChange {
  const { description, events, batch: digest, wake, template, notices, rule_ids, platforms, sources, paused } = input;
  return {
    ...(description !== undefined && { description }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(rule_ids !== undefined && { ruleIds: rule_ids === null ? null : [...new Set(rule_ids)] }),
    ...(platforms !== undefined && { platforms: platforms === null ? null : [...new Set(platforms)] }),
    ...(sources !== undefined && { sources: sources === null ? null : [...new Set(sources)] }),
    ...(digest !== undefined && { every: digest === null ? null : everyOf(digest) }),
    ...(wake !== undefined && { wake: wake === null ? null : wakeContractOf(wake) }),
    ...(template !== undefined && { template }),
    ...(notices !== undefined && { notices: notices === null ? null : noticeTermsOf(notices) }),
    ...(paused !== undefined && { status: paused ? ('paused' as const) : ('active' as const) }),
  };
}

const rotatedSecrets = ({ clock, seal }: WebhooksRoom, { secrets }: Webhook, created: string): Webhook['secrets'] => ({
  current: seal.seal(created),
  previous: secrets.current,
  previousUntil: new Date(clock.now().getTime() + OVERLAP),
});

export const deleteWebhook = operation({
  name: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Deletes a webhook with its deliveries. Nothing more is sent to it.',
  access: 'full',
  input: z.strictObject({ webhook_id: webhookId }),
  output: z.object({}),
  example: { input: { webhook_id: exampleWebhook.id }, output: {} },
  async run(context, caller, { webhook_id }) {
    const { store, dispatcher, clock } = context;
    const webhook = await findWebhook(context, caller, webhook_id);
    const note = changeNote(clock.now(), byCaller(caller), 'webhook.deleted', webhook_id, {
      before: webhookFields(webhook),
    });
    if (!(await store.deleteWebhook(webhook.accountId, webhook_id, note))) throw unknownWebhook();
    dispatcher.changed(webhook_id);
    return {};
  },
});

/** The caller's own webhook, and no agent's. The answer for another account's webhook is the same as for an unknown one. */
export async function findWebhook(
  { store }: Pick<ReadContext, 'store'>,
  { account }: Caller,
  id: string,
): Promise<Webhook> {
  const webhook = await store.webhook(account.id, id);
  if (webhook === undefined || webhook.subscription !== undefined) throw unknownWebhook();
  return webhook;
}

export const unknownWebhook = (): ServiceError => new ServiceError('not_found', 'There is no such webhook.');

/**
 * An agent that asks is found by its name, so no two webhooks of an account have the same one. Until the webhook is stored, no other
 * call gets the name.
 */
async function withOwnName(
  { locks, store }: WebhooksRoom,
  { id, accountId, url }: Pick<Webhook, 'id' | 'accountId' | 'url'>,
  save: () => Promise<boolean>,
): Promise<boolean> {
  if (!isPulled({ url })) return save();
  return locks.run(`agents of ${accountId}`, async () => {
    const holder = (await store.webhooks(accountId)).find((one) => one.url === url && one.id !== id);
    if (holder === undefined) return save();
    throw invalidArgument([
      { path: 'url', message: `The webhook ${holder.id} has this name already. Give the agent another one.` },
    ]);
  });
}

const stillNamed = (place: string): string =>
  `The matches of the rule in \`${place}\` would come no more. Leave the rule in the list, or change \`wake\`.`;

/** Throws for a rule or a source that the caller does not have. */
async function checkWanted(
  context: WebhooksRoom,
  caller: Caller,
  { rule_ids, sources, wake }: Pick<z.infer<typeof changes>, 'rule_ids' | 'sources' | 'wake'>,
  stored: Webhook | undefined,
): Promise<void> {
  for (const id of [...(rule_ids ?? []), ...rulesOfTerms(wake).map((one) => one.id)]) await ruleOf(context, caller, id);
  const issues = await unknownSources(context, caller, sources ?? [], 'sources');
  issues.push(...unseenRules(wake, rule_ids === undefined ? stored?.ruleIds : rule_ids));
  // The contract that stays names rules, too.
  if (wake === undefined && rule_ids !== undefined)
    for (const { path } of unseenRules(stored?.wake, rule_ids))
      issues.push({ path: 'rule_ids', message: stillNamed(path) });
  if (issues.length > 0) throw invalidArgument(issues);
}

/** Each connection checks the URL again, because its name may resolve to another address by then. */
function addressProblems(context: WebhooksRoom, input: unknown): Issue[] {
  const { url, format: given = 'json', credential } = fieldsOf(input);
  const format = WEBHOOK_FORMATS.find((one) => one === given);
  if (typeof url !== 'string' || format === undefined) return [];
  const receiver = { url, format, hasCredential: typeof credential === 'string' };
  return [
    ...receiverIssues(context, receiver),
    ...objectIssues(format, fieldsOf(input)),
    ...pulledIssues(url, fieldsOf(input)),
    ...templateIssues(format, fieldsOf(input)['template']),
  ];
}

/** Objects are of an hour, unless the owner says otherwise. */
const usualEvery = (format: Webhook['format']): number | undefined => (isObjectFormat(format) ? HOUR_MS : undefined);

/** An object holds matches, every one of them, and nothing else. */
function objectIssues(format: Webhook['format'], { wake, events, credential }: Record<string, unknown>): Issue[] {
  if (!isObjectFormat(format)) return [];
  const others = Array.isArray(events) && events.some((event) => event !== 'match');
  const problem = typeof credential === 'string' ? objectCredentialProblem(credential) : undefined;
  return [
    ...(wake === undefined || wake === null
      ? []
      : [{ path: 'wake', message: 'Objects hold every match. Leave it out.' }]),
    ...(others ? [{ path: 'events', message: 'Objects hold matches alone.' }] : []),
    ...(problem === undefined ? [] : [{ path: 'credential', message: problem }]),
  ];
}

/** An agent that asks is woken by matches, and by nothing else. */
const pulledIssues = (url: string, { events }: Record<string, unknown>): Issue[] =>
  isPulled({ url }) && Array.isArray(events) && events.some((event) => event !== 'match')
    ? [{ path: 'events', message: 'An agent that asks for its wakes is woken by matches alone.' }]
    : [];

const SHOWN_URL =
  'Lists show *** for the secret part of a URL. Give all of it. Update Webhook without a URL keeps the one that is stored.';

const NO_MAIL =
  'This server sends no e-mail: its operator must set SLUICE_SMTP_URL, SLUICE_SMTP_FROM and SLUICE_PUBLIC_URL.';

interface Receiver {
  readonly url: string;
  readonly format: Webhook['format'];
  readonly hasCredential: boolean;
}

function receiverIssues({ deliveryLimits, mail }: WebhooksRoom, { url, format, hasCredential }: Receiver): Issue[] {
  if (format === 'email' && mail === undefined) return [{ path: 'format', message: NO_MAIL }];
  if (isShown(format, url)) return [{ path: 'url', message: SHOWN_URL }];
  const problem =
    addressProblem(format, url, deliveryLimits) ??
    (format === 'email' ? mail?.problem(splitAddress(format, url).url) : undefined);
  if (problem !== undefined) return [{ path: 'url', message: problem }];
  if (hasCredential || splitAddress(format, url).secret !== undefined) return [];
  const needed = NEEDS_CREDENTIAL[format] ?? (hasMask(url) ? 'Give the URL with its secret in it.' : undefined);
  return needed === undefined
    ? []
    : [{ path: format === 'matrix' || isObjectFormat(format) ? 'credential' : 'url', message: needed }];
}

const OTHER_KIND = 'What waits for this webhook is written for its kind of receiver. Create another webhook.';

/** A stored credential goes to the receiver that it was given for, and to no other. */
function addressChange(
  context: WebhooksRoom,
  webhook: Webhook,
  input: z.infer<typeof changes>,
): Required<Pick<WebhookChange, 'url' | 'format' | 'credential'>> {
  const { credential } = input;
  // A caller who sends back the address of a list changes nothing.
  const url = input.url === undefined || input.url === shownAddress(webhook.url) ? webhook.url : input.url;
  const format = input.format ?? webhook.format;
  const isSame = webhook.format === format && parseUrl(url) !== null && sameReceiver(webhook.url, url);
  const kept = isSame && credential !== null ? webhook.credential : undefined;
  const issues = receiverIssues(context, {
    url,
    format,
    hasCredential: typeof credential === 'string' || kept !== undefined,
  });
  issues.push(...objectIssues(format, { ...webhook, ...input, credential }));
  issues.push(...pulledIssues(url, { ...webhook, ...input }));
  issues.push(...templateIssues(format, input.template === undefined ? webhook.template : input.template));
  if (isObjectFormat(format) !== isObjectFormat(webhook.format)) issues.push({ path: 'format', message: OTHER_KIND });
  if (issues.length > 0) throw invalidArgument(issues);
  const { url: shown, secret: given = credential ?? undefined } = splitAddress(format, url);
  return { url: shown, format, credential: given === undefined ? (kept ?? null) : context.seal.seal(given) };
}
