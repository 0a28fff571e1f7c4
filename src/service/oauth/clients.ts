/** Clients by their ids: those that registered here, and those that a document on their own host describes. */
import type { Clock } from '../../base/clock.ts';
import { createLru, type Lru } from '../../base/lru.ts';
import type { Grant } from '../../domain/account.ts';
import type { Store } from '../../store/store.ts';
import type { ChangedBy } from '../access/change-notes.ts';
import type { Log } from '../telemetry.ts';
import { documentUrlProblem, isDocumentId, type OAuthClient, readDocument } from './client-document.ts';
import { DocumentError, type FetchDocument } from './fetch-document.ts';

export interface Clients {
  /** Without asking the client's host: `unread` is an address whose document is not at hand. */
  atHand(id: string): Promise<OAuthClient | 'unread' | undefined>;
  /** Reads a document where it must. Only for a person who is signed in: strangers make us fetch nothing. */
  find(id: string): Promise<OAuthClient | ClientProblem>;
}

/** Why a client cannot be known, in words for the person who is asked. */
export interface ClientProblem {
  readonly problem: string;
}

interface Deps {
  readonly store: Pick<Store, 'client'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetchDocument: FetchDocument;
}

const MOST_KEPT = 1_000;
const LEAST_MS = 30_000;
const LONGEST_MS = 24 * 60 * 60 * 1_000;
const USUAL_MS = 60 * 60 * 1_000;

export function createClients(deps: Deps): Clients {
  const { store, clock } = deps;
  const kept: KeptClients = createLru({ limit: MOST_KEPT });
  const reading = new Map<string, Promise<OAuthClient | ClientProblem>>();

  const registered = async (id: string): Promise<OAuthClient | undefined> => {
    const client = await store.client(id, clock.now());
    return client && { ...client, isVerified: false };
  };
  const keptClient = (id: string): OAuthClient | undefined => {
    const found = kept.get(id);
    return found !== undefined && found.until > clock.now().getTime() ? found.client : undefined;
  };

  return {
    async atHand(id) {
      if (!isDocumentId(id)) return registered(id);
      return documentUrlProblem(id) === undefined ? (keptClient(id) ?? 'unread') : undefined;
    },
    async find(id) {
      if (!isDocumentId(id)) return (await registered(id)) ?? { problem: UNKNOWN };
      const problem = documentUrlProblem(id);
      if (problem !== undefined) return { problem };
      const found = keptClient(id) ?? reading.get(id);
      if (found !== undefined) return found;
      const begun = fetchClient(deps, kept, id).finally(() => reading.delete(id));
      reading.set(id, begun);
      return begun;
    },
  };
}

type KeptClients = Lru<string, { client: OAuthClient; until: number }>;

async function fetchClient(
  { clock, log, fetchDocument }: Deps,
  kept: KeptClients,
  id: string,
): Promise<OAuthClient | ClientProblem> {
  try {
    const { value, cacheControl } = await fetchDocument(id);
    const client = readDocument(id, value);
    if (typeof client === 'string') return { problem: `The program's document cannot be used. ${client}` };
    kept.set(id, { client, until: clock.now().getTime() + lifeOf(cacheControl) });
    return client;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    log.info({ clientId: id, reason: error.message }, 'The document of an OAuth client could not be read.');
    return KNOWN_CLIENTS.get(id) ?? { problem: `The program's document could not be read. ${error.message}` };
  }
}

export const UNKNOWN = 'This program is not registered here, or its registration has ended. Connect it again.';

/** How long a document is kept: as its host says, within bounds. */
function lifeOf(cacheControl = ''): number {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return LEAST_MS;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1];
  const asked = seconds === undefined ? USUAL_MS : Number(seconds) * 1_000;
  return Math.min(Math.max(asked, LEAST_MS), LONGEST_MS);
}

const LOCAL_CALLBACKS = ['http://localhost/callback', 'http://127.0.0.1/callback'];

const known = (id: string, name: string, redirectUris: readonly string[]): [string, OAuthClient] => [
  id,
  { id, name, redirectUris, secretDigest: undefined, isVerified: true },
];

/**
 * Documents that are known here, for networks that the hosts of these documents do not answer. A program that poses as one
 * of these gains nothing: the answer goes to that host, or to a program on the person's own computer.
 */
export const KNOWN_CLIENTS: ReadonlyMap<string, OAuthClient> = new Map([
  known('https://chatgpt.com/oauth/client.json', 'ChatGPT', ['https://chatgpt.com/connector_platform_oauth_redirect']),
  known('https://chatgpt.com/oauth/codex/client.json', 'Codex', LOCAL_CALLBACKS),
  known('https://claude.ai/oauth/mcp-oauth-client-metadata', 'Claude', [
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
  ]),
  known('https://claude.ai/oauth/claude-code-client-metadata', 'Claude Code', LOCAL_CALLBACKS),
  known('https://vscode.dev/oauth/client-metadata.json', 'Visual Studio Code', [
    'http://127.0.0.1/',
    'http://127.0.0.1:33418/',
    'https://vscode.dev/redirect',
    'https://insiders.vscode.dev/redirect',
  ]),
]);

/** The dependencies that the steps of OAuth share. */
export interface OAuthParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly clients: Clients;
  /** The key that refresh tokens follow from each other by. */
  readonly refreshKey: Uint8Array;
  revoke(accountId: string, grantId: string, by: ChangedBy): Promise<boolean>;
  endAccessToken(grant: Grant, digest: string): Promise<void>;
}
