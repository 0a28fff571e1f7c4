/** The webhook at Sluice that belongs to an active workflow. */
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { asNodeError } from '../../http/refusal.ts';
import { askSluice } from '../../http/request.ts';

/** Kept while the workflow is active. */
export interface Registered extends IDataObject {
  webhookId?: string;
  /** Signs the deliveries. Sluice shows it only once. */
  secret?: string;
  /** The latest deliveries that started the workflow: Sluice sends one again when it did not get the answer. */
  seen?: string[];
}

export const registeredOf = (context: { getWorkflowStaticData(type: string): IDataObject }): Registered =>
  context.getWorkflowStaticData('node');

function urlOf(context: IHookFunctions): string {
  const url = context.getNodeWebhookUrl('default');
  if (url === undefined) throw new NodeOperationError(context.getNode(), 'n8n has no address for this webhook');
  return url;
}

async function webhooksHere(context: IHookFunctions): Promise<{ id: string; enabled: boolean }[]> {
  const url = urlOf(context);
  const { webhooks } = await askSluice<{ webhooks: { id: string; url: string; status?: string }[] }>(
    context,
    'GET /api.ListWebhooks',
  );
  return webhooks
    .filter((webhook) => webhook.url === url)
    .map(({ id, status }) => ({ id, enabled: status !== 'disabled' }));
}

export async function isRegistered(context: IHookFunctions): Promise<boolean> {
  const { webhookId, secret } = registeredOf(context);
  if (webhookId === undefined || secret === undefined) return false;
  return (await webhooksHere(context)).some(({ id, enabled }) => id === webhookId && enabled);
}

export async function register(context: IHookFunctions): Promise<void> {
  // Those that a crash left behind: their secret is lost.
  for (const { id } of await webhooksHere(context)) await remove(context, id);
  const ruleId = context.getNodeParameter('ruleId', '') as string;
  const platform = context.getNodeParameter('platform', '') as string;
  const { webhook_id, secret } = await askSluice<{ webhook_id: string; secret: string }>(
    context,
    'POST /api.CreateWebhook',
    {
      input: {
        url: urlOf(context),
        description: `n8n: ${context.getWorkflow().name ?? 'a workflow'}`.slice(0, 200),
        ...(ruleId !== '' && { rule_ids: [ruleId] }),
        ...(platform !== '' && { platforms: [platform] }),
      },
    },
  );
  Object.assign(registeredOf(context), { webhookId: webhook_id, secret, seen: [] });
}

export async function unregister(context: IHookFunctions): Promise<void> {
  const registered = registeredOf(context);
  if (registered.webhookId !== undefined) await remove(context, registered.webhookId);
  for (const name of ['webhookId', 'secret', 'seen']) delete registered[name];
}

async function remove(context: IHookFunctions, id: string): Promise<void> {
  try {
    await askSluice(context, 'POST /api.DeleteWebhook', { input: { webhook_id: id } });
  } catch (error) {
    // It is gone already.
    if (error instanceof NodeApiError && error.httpCode === '404') return;
    throw asNodeError(context.getNode(), error);
  }
}
