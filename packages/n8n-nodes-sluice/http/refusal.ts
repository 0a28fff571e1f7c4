/** The refusals of Sluice, as n8n shows them: what is wrong, and what to do next. */
import type { IDataObject, IN8nHttpFullResponse, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

interface Issue {
  readonly path?: string;
  readonly message?: string;
  readonly suggestion?: string;
}

export interface RefusalBody {
  readonly code: string;
  readonly message: string;
  readonly details: JsonObject;
}

/** Issues beyond this many are left out of the text. */
const MOST_ISSUES = 10;

const REMEDIES: Readonly<Record<string, string>> = {
  failed_precondition: 'Change what the message names, then run the node again.',
  unauthenticated: 'Enter a key that works in the credential. “sluice keys create” makes one.',
  permission_denied: 'Use a credential whose key has the scope that the message names.',
  not_found: 'Check the ID. A deleted rule can be restored for 7 days.',
  unimplemented: 'Update the Sluice server: it does not know this operation.',
  already_exists: 'Use another name or ID.',
  internal: 'The log of the Sluice server has the cause.',
  unavailable: 'Try again later, or set “Retry On Fail” in the settings of the node.',
  deadline_exceeded: 'Try again later, or set “Retry On Fail” in the settings of the node.',
};

/** The body of a refusal of Sluice; undefined when something else answered. */
export function refusalBody(body: unknown): RefusalBody | undefined {
  const { code, message, details } = (typeof body === 'object' ? (body ?? {}) : {}) as IDataObject;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, details: (details ?? {}) as JsonObject };
}

/** An error as n8n shows it; those of ours stay as they are. */
export const asNodeError = (node: INode, error: unknown): NodeApiError | NodeOperationError =>
  error instanceof NodeApiError || error instanceof NodeOperationError
    ? error
    : new NodeOperationError(node, error instanceof Error ? error : String(error));

export function refusal(
  node: INode,
  { statusCode, headers, body }: IN8nHttpFullResponse,
  itemIndex?: number,
): NodeApiError {
  const found = refusalBody(body);
  const { message, description } =
    found === undefined
      ? notSluice(statusCode, headers)
      : { message: found.message, description: remedyOf(found, headers) };
  return new NodeApiError(
    node,
    { message, ...(found && { code: found.code, details: found.details }) },
    { message, description, httpCode: String(statusCode), ...(itemIndex !== undefined && { itemIndex }) },
  );
}

function remedyOf({ code, details }: RefusalBody, headers: IDataObject): string {
  const wait = headers['retry-after'];
  if (code === 'resource_exhausted')
    return typeof wait !== 'string'
      ? 'Raise the limit that the message names, or remove what is no longer needed.'
      : `Try again in ${wait} seconds, or poll less often.`;
  if (code === 'invalid_argument') return issuesText(details);
  return REMEDIES[code] ?? 'See the documentation of the HTTP interface for this code.';
}

function issuesText({ issues }: JsonObject): string {
  const list = Array.isArray(issues) ? (issues as unknown as Issue[]) : [];
  const lines = list
    .slice(0, MOST_ISSUES)
    .map(({ path, message, suggestion }) => `${path}: ${message}${suggestion ? ` Try: ${suggestion}` : ''}`);
  if (list.length > MOST_ISSUES) lines.push(`${list.length - MOST_ISSUES} more problems are not listed.`);
  return lines.join('\n') || 'Change the parameters of the node.';
}

function notSluice(status: number, { location }: IDataObject): { message: string; description: string } {
  const message = `The address answers with status ${status}, and not as a Sluice server does`;
  return typeof location === 'string'
    ? { message, description: `It redirects to ${location}. Enter the address that answers itself in the credential.` }
    : { message, description: 'Check the address in the credential, and any proxy before the server.' };
}
