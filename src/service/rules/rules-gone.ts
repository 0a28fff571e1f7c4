/** Webhooks, feeds, saved views and subscriptions of rules that were all deleted: nothing comes to them until one is restored. */
import { z } from 'zod';
import type { MatchView } from '../../domain/views.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Context } from '../context.ts';

export const rulesGone = z
  .literal(true)
  .optional()
  .describe('Every rule that it is for was deleted, so nothing comes. Restore Rule revives it. Absent otherwise.');

export const RULES_GONE = 'Every rule that it is for was deleted. Restore one of them, or choose others.';

type Reads = Pick<Context, 'store'>;

/** Without ids it is for all rules, which are never gone. */
export async function areGone(
  { store }: Reads,
  accountId: string,
  ids: readonly string[] | undefined,
): Promise<boolean> {
  if (ids === undefined || ids.length === 0) return false;
  for (const id of ids) if ((await store.rule(accountId, id)) !== undefined) return false;
  return true;
}

/** As the field of an answer. */
export const goneField = async (reads: Reads, accountId: string, ids: readonly string[] | undefined) =>
  (await areGone(reads, accountId, ids)) ? { rules_gone: true as const } : {};

/** The rule that a saved view shows; undefined for one that shows all. */
function ruleIdsOfView({ query }: MatchView): readonly string[] | undefined {
  const id = new URLSearchParams(query).get('rule');
  return id === null ? undefined : [id];
}

export const goneOfView = (reads: Reads, view: MatchView) => goneField(reads, view.accountId, ruleIdsOfView(view));

/** Webhooks, feeds, views and subscriptions for this rule, and for no rule that is left: as people know them. */
export async function leftBehind({ store }: Reads, accountId: string, ruleId: string): Promise<string[]> {
  const isLeft = async (ids: readonly string[] | undefined) =>
    ids?.includes(ruleId) === true && (await areGone({ store }, accountId, ids));
  const found: string[] = [];
  const named = ({ id, description }: Webhook) => (description === '' ? id : `${description} (${id})`);
  for (const webhook of await store.webhooks(accountId))
    if (await isLeft(webhook.ruleIds)) found.push(`the webhook ${named(webhook)}`);
  for (const feed of await store.sharedFeeds(accountId))
    if (await isLeft(feed.ruleId === undefined ? undefined : [feed.ruleId])) found.push(`the feed ${feed.name}`);
  for (const view of await store.views(accountId))
    if (await isLeft(ruleIdsOfView(view))) found.push(`the view ${view.name}`);
  for (const webhook of await store.subscriptions(accountId))
    if (await isLeft(webhook.ruleIds)) found.push(`the subscription ${webhook.subscription?.id ?? webhook.id}`);
  return found;
}
