/**
 * Tells a client of the resources that it subscribed to: one notification for each wake on the record, and again, with the same
 * id, to a client that comes back before it has acknowledged it. Reading the resource acknowledges the wake.
 */
import { z } from 'zod';
import { decodedPart } from '../base/parse-url.ts';
import { PLATFORMS } from '../domain/platform.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Caller } from '../service/access/caller.ts';
import {
  isToRefresh,
  subscribeToMatches,
  type Told,
  unsubscribeFromMatches,
  wakeToldOf,
} from '../service/agents/matches-subscription.ts';
import type { Context } from '../service/context.ts';
import { invalidArgument } from '../service/errors.ts';
import { checkWaits, refuseEnded } from '../service/matches/wait-for-matches.ts';
import type { Watch } from '../service/outlets/match-signals.ts';
import { acknowledge, openWakeOf } from '../service/webhooks/wakes.ts';
import { namedRuleId, ruleFinder } from './rule-names.ts';

export const LLMS_URI = 'sluice://llms.txt';
export const syntaxUri = (platform: string): string => `sluice://syntax/${platform}`;
export const matchesUri = (ruleId: string): string => `sluice://rules/${ruleId}/matches`;

const MATCHES = /^sluice:\/\/rules\/([^/]+)\/matches$/;
/** They can be subscribed to, and never change. */
const UNCHANGING: ReadonlySet<string> = new Set([LLMS_URI, ...PLATFORMS.map(syntaxUri)]);

/** Each has a record of its own, which is looked at whenever something matched. */
const MOST_RESOURCES = 100;

/** A notification, and the answer to reading, have these fields of a wake beside the resource. */
const WAKE_ID = 'sluice/wake_id';
const MATCH_COUNT = 'sluice/matches';

/** The parameters of `notifications/resources/updated`. */
export interface ResourceUpdate {
  readonly uri: string;
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** The records of wakes behind the resources, by address. */
export type FollowedResources = ReadonlyMap<string, FollowedResource>;

interface FollowedResource {
  readonly told: Told;
  readonly webhookId: string;
}

const listening = z.object({
  method: z.literal('subscriptions/listen'),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }) }),
});

/**
 * The resources that a client of the newest revision listens to; undefined for another message, and for a wrong one.
 */
export const listenedUris = (message: unknown): readonly string[] | undefined =>
  listening.safeParse(message).data?.params.notifications.resourceSubscriptions;

const toldOf = (ruleId: string): Told => ({ by: 'resource', event: 'match.created', ruleId });

async function ruleOfUri(
  context: Context,
  caller: Caller,
  uri: string,
  find?: ReturnType<typeof ruleFinder>,
): Promise<string | undefined> {
  const [, rule] = MATCHES.exec(uri) ?? [];
  if (rule !== undefined) return namedRuleId(context, caller, decodedPart(rule), find);
  if (UNCHANGING.has(uri)) return undefined;
  const message = `There is no such resource. Subscribe to ${matchesUri('{rule_id}')}.`;
  throw invalidArgument([{ path: 'uri', message }]);
}

/** Makes the records where there are none. From here on nothing is missed, also while nobody is connected. */
export async function subscribeResources(
  context: Context,
  caller: Caller,
  uris: readonly string[],
): Promise<FollowedResources> {
  checkWaits(context, caller.account);
  const asked = new Set(uris);
  if (asked.size > MOST_RESOURCES)
    throw invalidArgument([{ path: 'uri', message: `One subscription has at most ${MOST_RESOURCES} resources.` }]);
  const subscribed = new Map<string, FollowedResource>();
  const find = ruleFinder(context, caller);
  for (const uri of asked) {
    const ruleId = await ruleOfUri(context, caller, uri, find);
    if (ruleId === undefined) continue;
    const told = toldOf(ruleId);
    subscribed.set(uri, { told, webhookId: (await subscribeToMatches(context, caller, told)).id });
  }
  return subscribed;
}

/** Matches that wait are given up. */
export async function unsubscribeResource(context: Context, caller: Caller, uri: string): Promise<void> {
  const ruleId = await ruleOfUri(context, caller, uri);
  if (ruleId !== undefined) await unsubscribeFromMatches(context, caller, toldOf(ruleId));
}

/** Runs until the signal aborts, the key is revoked, or one of the subscriptions was ended. */
export async function followResources(
  context: Context,
  caller: Caller,
  subscribed: FollowedResources,
  signal: AbortSignal,
  tell: (update: ResourceUpdate) => void,
): Promise<void> {
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const until = (following: Promise<void>) => following.finally(() => over.abort());
  using watch = context.matchSignals.watch(caller.account.id);
  const told = Array.from(subscribed, ([uri, record]) =>
    followResource(context, caller, record, ended, (_meta) => tell({ uri, _meta })),
  );
  await Promise.all([untilRefused(context, caller, watch, ended), ...told].map(until));
}

/** A client that listens to what never changes is refused, too, once its key is. */
async function untilRefused(context: Context, caller: Caller, watch: Watch, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await watch.next(signal);
    await refuseEnded(context, caller);
  }
}

/** Only matches of its own rule wake it: a client may listen to a hundred, and each look is several reads. */
async function followResource(
  context: Context,
  caller: Caller,
  record: FollowedResource,
  signal: AbortSignal,
  tell: (meta: ResourceUpdate['_meta']) => void,
): Promise<void> {
  let toldId: string | undefined;
  using watch = context.matchSignals.watchRule(caller.account.id, record.told.ruleId);
  while (!signal.aborted) {
    const webhook = await liveRecord(context, caller, record);
    if (webhook === undefined) return;
    const wake = await openWakeOf(context, webhook);
    if (wake !== undefined && toldId !== wake.id && !signal.aborted) {
      toldId = wake.id;
      const { matches } = JSON.parse(wake.text) as { matches: number };
      tell({ [WAKE_ID]: wake.id, [MATCH_COUNT]: matches });
    }
    await watch.next(signal);
    await refuseEnded(context, caller);
  }
}

/** Returns undefined when the subscription was ended. It lasts while a client is connected. */
async function liveRecord(
  context: Context,
  caller: Caller,
  { told, webhookId }: FollowedResource,
): Promise<Webhook | undefined> {
  const webhook = await context.store.webhook(caller.account.id, webhookId);
  if (webhook?.status !== 'active') return undefined;
  return isToRefresh(webhook, context.clock.now()) ? subscribeToMatches(context, caller, told) : webhook;
}

/** The wake that the caller was told of, as its first reading of the matches acknowledges it. It is looked up before they are read. */
export async function acknowledging(context: Context, caller: Caller, rule: string) {
  const wakeId = await wakeToldOf(context, caller, toldOf(await namedRuleId(context, caller, rule)));
  return {
    async done(): Promise<{ _meta?: ResourceUpdate['_meta'] }> {
      if (wakeId === undefined) return {};
      await acknowledge(context, caller, wakeId);
      return { _meta: { [WAKE_ID]: wakeId } };
    },
  };
}
