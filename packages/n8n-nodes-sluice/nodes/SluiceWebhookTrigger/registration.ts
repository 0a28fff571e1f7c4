/** The webhook at Sluice that belongs to an active workflow. */
import { createHash } from 'node:crypto';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { asNodeError } from '../../http/refusal.ts';
import { askSluice } from '../../http/request.ts';

/** Kept while the workflow is active. */
export interface Registered extends IDataObject {
  webhookId?: string;
  /** The address that the webhook leads to; Sluice does not tell it. */
  url?: string;
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

interface Listed {
  readonly id: string;
  readonly description: string;
  readonly status?: string;
}

async function webhooksOf(context: IHookFunctions): Promise<readonly Listed[]> {
  return (await askSluice<{ webhooks: Listed[] }>(context, 'GET /api.ListWebhooks')).webhooks;
}

/** Ends the description: lists of webhooks show no more of an address than its host. */
const markOf = (url: string): string => `(${createHash('sha256').update(url).digest('base64url').slice(0, 12)})`;

const descriptionOf = (context: IHookFunctions): string =>
  `${`n8n: ${context.getWorkflow().name ?? 'a workflow'}`.slice(0, 200)} ${markOf(urlOf(context))}`;

export async function isRegistered(context: IHookFunctions): Promise<boolean> {
  const { webhookId, secret, url = urlOf(context) } = registeredOf(context);
  if (webhookId === undefined || secret === undefined || url !== urlOf(context)) return false;
  return (await webhooksOf(context)).some(({ id, status }) => id === webhookId && status !== 'disabled');
}

export async function register(context: IHookFunctions): Promise<void> {
  const { webhookId } = registeredOf(context);
  const mark = markOf(urlOf(context));
  // A crash may have left webhooks behind, whose secret is lost.
  for (const { id, description } of await webhooksOf(context))
    if (id === webhookId || description.endsWith(mark)) await remove(context, id);
  const ruleId = context.getNodeParameter('ruleId', '') as string;
  const platform = context.getNodeParameter('platform', '') as string;
  const { webhook_id, secret } = await askSluice<{ webhook_id: string; secret: string }>(
    context,
    'POST /api.CreateWebhook',
    {
      input: {
        url: urlOf(context),
        description: descriptionOf(context),
        ...(ruleId !== '' && { rule_ids: [ruleId] }),
        ...(platform !== '' && { platforms: [platform] }),
      },
    },
  );
  Object.assign(registeredOf(context), { webhookId: webhook_id, url: urlOf(context), secret, seen: [] });
}

export async function unregister(context: IHookFunctions): Promise<void> {
  const registered = registeredOf(context);
  if (registered.webhookId !== undefined) await remove(context, registered.webhookId);
  for (const name of ['webhookId', 'url', 'secret', 'seen']) delete registered[name];
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
