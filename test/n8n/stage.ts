/** A node gets these from n8n, with real requests: parameters, the credential, helpers and data kept between runs. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OPERATOR_KEY } from '../stages/http-app.ts';
import type { BuiltNodes, Item, Json } from './built-nodes.ts';

interface Options {
  readonly method: string;
  readonly url: string;
  readonly qs?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly encoding?: 'stream';
  readonly disableFollowRedirect?: boolean;
  readonly ignoreHttpStatusErrors?: boolean;
}

export interface RunOptions {
  readonly url: string;
  readonly key?: string;
  readonly parameters?: Json | readonly Json[];
  readonly mode?: 'trigger' | 'manual';
  /** The data that n8n keeps for the node between runs. */
  readonly kept?: Json;
  readonly items?: readonly Item[];
  readonly continueOnFail?: boolean;
  readonly cancel?: AbortSignal;
  /** Called before each request is sent. */
  readonly onRequest?: (path: string) => void | Promise<void>;
  /** Stands between the server and the node where an answer is read as it comes. */
  readonly onStream?: (stream: Readable) => Readable;
  /** The workflow that the node is in. */
  readonly workflow?: string;
  readonly webhookUrl?: string;
  readonly request?: object;
  readonly response?: object;
}

export interface Run {
  readonly context: object;
  /** The paths of all requests. */
  readonly requests: string[];
  readonly warnings: string[];
}

export function runOf({ credential, NodeApiError }: BuiltNodes, options: RunOptions): Run {
  const requests: string[] = [];
  const warnings: string[] = [];
  const node = { id: 'node-1', name: 'Sluice', type: 'sluice', typeVersion: 1, position: [0, 0], parameters: {} };
  const credentials = { url: options.url, apiKey: options.key ?? OPERATOR_KEY };
  const kept = options.kept ?? {};
  const parametersOf = (itemIndex: unknown): Json => {
    const { parameters = {} } = options;
    return (Array.isArray(parameters) ? parameters[itemIndex as number] : parameters) as Json;
  };
  async function httpRequestWithAuthentication(this: object, type: string, asked: Options): Promise<unknown> {
    if (type !== 'sluiceApi') throw new Error(`There is no credential ${type}.`);
    const { pathname } = new URL(asked.url);
    requests.push(pathname);
    await options.onRequest?.(pathname);
    const template = credential.authenticate.properties.headers['Authorization']!;
    const authorization = template.replace(/^=/, '').replace('{{$credentials.apiKey}}', credentials.apiKey);
    try {
      return await send({ ...asked, headers: { ...asked.headers, Authorization: authorization } }, options);
    } catch (error) {
      throw new NodeApiError(node, error as Error);
    }
  }
  const context = {
    helpers: {
      httpRequestWithAuthentication,
      returnJsonArray: (data: Json[]): Item[] => data.map((json) => ({ json })),
    },
    logger: { warn: (message: string) => void warnings.push(message) },
    getNode: () => node,
    getWorkflow: () => ({ id: options.workflow ?? 'workflow-1', name: 'Volcanoes' }),
    getMode: () => options.mode ?? 'trigger',
    getCredentials: async () => credentials,
    getWorkflowStaticData: () => kept,
    getNodeParameter: (name: string, second?: unknown, third?: unknown) =>
      // The second argument is the item in a run that has items, else what stands for a missing parameter.
      parametersOf(options.items === undefined ? 0 : second)[name] ?? (options.items === undefined ? second : third),
    getNodeWebhookUrl: () => options.webhookUrl,
    getRequestObject: () => options.request,
    getResponseObject: () => options.response,
    ...(options.items !== undefined && {
      getInputData: () => options.items,
      continueOnFail: () => options.continueOnFail ?? false,
      getExecutionCancelSignal: () => options.cancel,
    }),
  };
  return { context, requests, warnings };
}

/** As n8n does it: over Node's own client, no redirect is followed, and an answer that is not JSON stays text. */
async function send(options: Options, { cancel, onStream = (stream) => stream }: RunOptions): Promise<object> {
  if (options.disableFollowRedirect !== true || options.ignoreHttpStatusErrors !== true)
    throw new Error('This stage follows no redirects and throws for no status.');
  const url = new URL(options.url);
  for (const [name, value] of Object.entries(options.qs ?? {})) url.searchParams.set(name, value);
  const { method, headers = {} } = options;
  const asked = request(url, { method, headers, agent: false, ...(cancel !== undefined && { signal: cancel }) });
  asked.end(options.body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const head = { statusCode: answer.statusCode, headers: answer.headers };
  return { ...head, body: options.encoding === 'stream' ? onStream(answer) : parsed(await text(answer)) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
