/** Requests to Sluice through n8n, which adds the key of the credential. */
import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  IPollFunctions,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { refusal } from './refusal.ts';

export type SluiceContext = IExecuteFunctions | IPollFunctions | IHookFunctions | ILoadOptionsFunctions;

export interface SluiceRequest {
  readonly query?: IDataObject;
  /** Sent as JSON. */
  readonly input?: object;
  /** Sent as NDJSON. */
  readonly lines?: string;
  /** `stream`: the body of the answer is read as it comes. */
  readonly encoding?: 'stream';
  readonly headers?: IDataObject;
  /** The item of the workflow that the request is for. */
  readonly itemIndex?: number;
}

const CREDENTIAL = 'sluiceApi';
/** Milliseconds until the answer begins. */
const TIMEOUT = 60_000;

export async function addressOf(context: SluiceContext): Promise<string> {
  const { url } = await context.getCredentials<{ url: string }>(CREDENTIAL);
  return url.trim().replace(/\/+$/, '');
}

/** The answer of an operation; a refusal is thrown as a `NodeApiError`. */
export async function askSluice<Answer = IDataObject>(
  context: SluiceContext,
  route: `${'GET' | 'POST'} /${string}`,
  request: SluiceRequest = {},
): Promise<Answer> {
  const answer = await openAnswer(context, route, request);
  if (answer.statusCode === 200 && typeof answer.body === 'object') return answer.body as Answer;
  throw refusal(context.getNode(), answer, request.itemIndex);
}

/** The answer as it is, whatever its status. No redirect is followed, because the key would go along. */
export async function openAnswer(
  context: SluiceContext,
  route: `${'GET' | 'POST'} /${string}`,
  { query, input, lines, encoding, headers, itemIndex }: SluiceRequest,
): Promise<IN8nHttpFullResponse> {
  const [method, path] = route.split(' ') as ['GET' | 'POST', string];
  const address = await addressOf(context);
  const options: IHttpRequestOptions = {
    method,
    url: `${address}${path}`,
    timeout: TIMEOUT,
    disableFollowRedirect: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    headers: { ...headers },
    ...(query !== undefined && { qs: query }),
    ...(encoding !== undefined && { encoding }),
  };
  // As text, because n8n leaves out a body that is an empty object.
  if (input !== undefined) {
    options.body = JSON.stringify(input);
    options.headers = { ...headers, 'Content-Type': 'application/json' };
  } else if (lines !== undefined) {
    options.body = lines;
    options.headers = { ...headers, 'Content-Type': 'application/x-ndjson' };
  }
  try {
    return (await context.helpers.httpRequestWithAuthentication.call(
      context,
      CREDENTIAL,
      options,
    )) as IN8nHttpFullResponse;
  } catch (error) {
    throw new NodeApiError(
      context.getNode(),
      { message: 'no answer' },
      {
        message: `Sluice did not answer at ${address}`,
        description: `Check the address in the credential, and that the server runs and can be reached from n8n. ${reasonOf(error)}`,
        ...(itemIndex !== undefined && { itemIndex }),
      },
    );
  }
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? `(${error.message})` : '');
