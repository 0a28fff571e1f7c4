/** The two requests of the page that asks: what an agent wants, and the person's answer. */
import { SERVER } from '../data/client.ts';

export type GrantScope = 'read' | 'full' | 'events';

export interface Asked {
  readonly account: string;
  readonly client_name: string;
  /** The host that vouches for the name; null if the program chose its name itself. */
  readonly client_host: string | null;
  readonly redirect_host: string;
  readonly is_this_computer: boolean;
  readonly scopes: readonly GrantScope[];
  readonly expires_at: string;
  readonly token: string;
}

/** `problem`: nothing can be decided, and why. `redirect`: the program is told what is wrong with its request. */
export type Asking = Asked | { readonly problem: string } | { readonly redirect: string };

export interface Answer {
  readonly token: string;
  readonly allow: boolean;
  readonly scopes?: readonly GrantScope[];
  readonly rule_ids?: readonly string[];
}

export const askWhat = (request: string): Promise<Asking> => post<Asking>('oauth/consent', { request });

export const answer = (request: string, given: Answer): Promise<{ redirect: string }> =>
  post('oauth/consent/decision', { request, ...given });

async function post<T>(path: string, body: object): Promise<T> {
  const response = await fetch(SERVER + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Sluice-Session': '1' },
    body: JSON.stringify(body),
  });
  const value = (await response.json()) as T & { message?: string };
  if (!response.ok) throw new Error(value.message ?? `The server answered ${response.status}.`);
  return value;
}
