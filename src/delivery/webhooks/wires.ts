/** How the frozen body of each format goes over the wire: its address, its headers, and what the answer says of waiting. */
import type { WebhookFormat } from '../../domain/webhook.ts';
import type { WebhookRequest } from './transport.ts';

interface WireParts {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  /** What the owner gave to sign in with. */
  readonly credential: string | undefined;
}

export interface Wire {
  /** The same parts give the same request, so that a repeat can be told from something new. */
  request(parts: WireParts): Pick<WebhookRequest, 'url' | 'method' | 'headers' | 'body'>;
  /** Signed as Standard Webhooks says. */
  readonly isSigned: boolean;
  /** Seconds that the receiver asks for in the text of its answer. */
  retryAfter?(response: string): number | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json' };

const plainJson: Wire = { isSigned: true, request: ({ url, body }) => ({ url, body, headers: JSON_TYPE }) };

export const WIRES: Readonly<Record<WebhookFormat, Wire>> = {
  json: plainJson,
  slack: plainJson,
  discord: plainJson,
  mcp: plainJson,
};
