/** A server with OAuth on, in this process, and the two who use it: a person in the console and the program of an agent. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { OutletOptions } from '../../src/service/outlets/outlets.ts';
import { type App, type HeldClock, OPERATOR_KEY, startApp } from '../stages/http-app.ts';

export const ISSUER = 'https://sluice.example';
export const RESOURCE = `${ISSUER}/mcp`;
export const VERIFIER = 'a-verifier-that-is-long-enough-for-the-standard';
export const CALLBACK = 'https://client.example/callback';

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  json<T = Record<string, unknown>>(): T;
}

export interface Choice {
  readonly allow?: boolean;
  readonly scopes?: readonly string[];
  readonly rule_ids?: readonly string[];
}

export interface OAuthStage extends AsyncDisposable {
  readonly app: App;
  register(change?: object): Promise<Record<string, unknown>>;
  /** A session of the console, as its cookie. */
  signIn(key?: string): Promise<string>;
  /** The parameters of a good request, with changes. */
  request(clientId: string, change?: Record<string, string | undefined>): string;
  authorize(query: string): Promise<Answered>;
  ask(session: string, query: string, headers?: object): Promise<Answered>;
  decide(session: string, query: string, token: string, choice?: Choice, headers?: object): Promise<Answered>;
  /** The whole way to a code. */
  consent(session: string, query: string, choice?: Choice): Promise<URLSearchParams>;
  post(path: string, form: Record<string, string>, headers?: object): Promise<Answered>;
  /** The whole way to tokens. */
  connect(choice?: Choice & { key?: string; request?: Record<string, string | undefined> }): Promise<Connected>;
  mcp(token: string | undefined, method?: string, params?: object, headers?: object): Promise<Answered>;
  tool(token: string, name: string, input?: object): Promise<{ status: number; text: string }>;
}

export interface Connected extends Tokens {
  readonly clientId: string;
  readonly session: string;
  readonly code: string;
}

export async function oauthStage(
  options: { publicUrl?: string; delivery?: Partial<OutletOptions>; rateLimit?: number; clock?: HeldClock } = {},
): Promise<OAuthStage> {
  const publicUrl = options.publicUrl ?? ISSUER;
  const app = await startApp({ ...options, publicUrl });
  const cookieName = publicUrl.startsWith('https:') ? '__Host-sluice_session' : 'sluice_session';
  const { host, origin } = new URL(publicUrl);

  async function send(method: 'GET' | 'POST', url: string, headers: object, payload?: string): Promise<Answered> {
    const present = Object.fromEntries(Object.entries({ host, ...headers }).filter(([, value]) => value !== undefined));
    const answer = await app.http.inject({ method, url, headers: present, ...(payload && { payload }) });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body, json: () => answer.json() };
  }
  const sendJson = (url: string, body: object, headers: object) =>
    send('POST', url, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));
  const fromPage = (session: string) => ({ cookie: `${cookieName}=${session}`, 'x-sluice-session': '1', origin });

  const stage: OAuthStage = {
    app,
    async register(change = {}) {
      const answer = await sendJson(
        '/oauth/register',
        { redirect_uris: [CALLBACK], client_name: 'Agent', ...change },
        {},
      );
      expect(answer.status, answer.body).toBe(201);
      return answer.json();
    },
    async signIn(key = OPERATOR_KEY) {
      const answer = await sendJson('/api.CreateSession', {}, { authorization: `Bearer ${key}` });
      return answer.json<{ session: string }>().session;
    },
    request(clientId, change = {}) {
      const given: Record<string, string | undefined> = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: CALLBACK,
        code_challenge: challengeOf(VERIFIER),
        code_challenge_method: 'S256',
        resource: `${publicUrl}/mcp`,
        scope: 'read full events',
        state: 'st-1',
        ...change,
      };
      const present = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return new URLSearchParams(present).toString();
    },
    authorize: (query) => send('GET', `/oauth/authorize?${query}`, {}),
    ask: (session, query, headers = {}) =>
      sendJson('/oauth/consent', { request: query }, { ...fromPage(session), ...headers }),
    decide: (session, query, token, choice = {}, headers = {}) =>
      sendJson(
        '/oauth/consent/decision',
        { request: query, token, allow: true, scopes: ['read', 'full', 'events'], ...choice },
        { ...fromPage(session), ...headers },
      ),
    async consent(session, query, choice = {}) {
      const { token } = (await stage.ask(session, query)).json<{ token: string }>();
      const decided = await stage.decide(session, query, token, choice);
      expect(decided.status, decided.body).toBe(200);
      return new URL(decided.json<{ redirect: string }>().redirect).searchParams;
    },
    post: (path, form, headers = {}) =>
      send(
        'POST',
        path,
        { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        new URLSearchParams(form).toString(),
      ),
    async connect({ key, request = {}, ...choice } = {}) {
      const [client, session] = [await stage.register(), await stage.signIn(key)];
      const clientId = String(client['client_id']);
      const answer = await stage.consent(session, stage.request(clientId, request), choice);
      const code = answer.get('code')!;
      const redeemed = await stage.post('/oauth/token', codeForm(clientId, code));
      expect(redeemed.status, redeemed.body).toBe(200);
      return { ...redeemed.json<Tokens>(), clientId, session, code };
    },
    mcp: (token, method = 'tools/list', params = {}, headers = {}) =>
      sendJson(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method, params },
        {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-06-18',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      ),
    async tool(token, name, input = {}) {
      const { status, body } = await stage.mcp(token, 'tools/call', { name, arguments: input });
      return { status, text: body };
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
  return stage;
}

export const codeForm = (clientId: string, code: string, change: Record<string, string> = {}) => ({
  grant_type: 'authorization_code',
  client_id: clientId,
  code,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
  resource: RESOURCE,
  ...change,
});

export const refreshForm = ({ clientId, refresh_token }: Pick<Connected, 'clientId' | 'refresh_token'>) => ({
  grant_type: 'refresh_token',
  client_id: clientId,
  refresh_token,
});

/** Whether the token opens the tool server. */
export const works = async (stage: OAuthStage, token: string): Promise<boolean> =>
  (await stage.mcp(token)).status === 200;
