import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { jsonParse, NodeConnectionTypes } from 'n8n-workflow';
import { loadOptions, platformField, ruleField } from '../../http/rule-options.ts';
import { signatureProblem } from '../../http/signature.ts';
import { isRegistered, register, registeredOf, unregister } from './registration.ts';

/** Deliveries that are remembered, so that one that comes again starts nothing. */
const MOST_SEEN = 500;

/** The parts of n8n's request that are used here. */
interface RawRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody?: Buffer;
  readRawBody?(): Promise<void>;
}

export class SluiceWebhookTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Sluice Webhook Trigger',
    name: 'sluiceWebhookTrigger',
    icon: { light: 'file:../../icons/sluice.svg', dark: 'file:../../icons/sluice.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: 'New match',
    description: 'Starts the workflow within a second of a match, where Sluice can reach n8n over HTTPS',
    defaults: { name: 'Sluice Webhook Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'sluiceApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook', rawBody: true }],
    properties: [ruleField('getRulesOrAll'), platformField],
  };

  methods = { loadOptions };

  webhookMethods = {
    default: {
      checkExists(this: IHookFunctions): Promise<boolean> {
        return isRegistered(this);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await register(this);
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await unregister(this);
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const registered = registeredOf(this);
    const { headers, body } = await receive(this.getRequestObject());
    const problem =
      registered.secret === undefined
        ? 'No webhook is registered.'
        : signatureProblem({ headers, body }, registered.secret, new Date());
    if (problem !== undefined) return refuse(this, problem);
    const delivery = String(headers['webhook-id']);
    const seen = registered.seen ?? [];
    const { type, matches } = jsonParse<{ type: string; matches: IDataObject[] }>(body.toString('utf8'));
    // A test shows that deliveries arrive; its match is invented, so it starts nothing.
    if (type !== 'matches' || seen.includes(delivery)) return { webhookResponse: { received: true } };
    registered.seen = [...seen, delivery].slice(-MOST_SEEN);
    return { workflowData: [this.helpers.returnJsonArray(matches)] };
  }
}

async function receive(request: RawRequest): Promise<{ headers: RawRequest['headers']; body: Buffer }> {
  if (request.rawBody === undefined) await request.readRawBody?.();
  return { headers: request.headers, body: request.rawBody ?? Buffer.alloc(0) };
}

function refuse(context: IWebhookFunctions, problem: string): IWebhookResponseData {
  const response = context.getResponseObject() as unknown as {
    writeHead(status: number, headers: Record<string, string>): { end(text: string): void };
  };
  response.writeHead(401, { 'Content-Type': 'text/plain; charset=utf-8' }).end(problem);
  return { noWebhookResponse: true };
}
