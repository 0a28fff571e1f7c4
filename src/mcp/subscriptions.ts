/** Subscriptions over HTTP: each is an answer that stays open and tells its caller which rules have new matches. */
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { beginFollowing, followMatches } from './notify-subscribers.ts';

/** Open subscriptions that one key may have. */
const MAX_SUBSCRIPTIONS = 10;

export interface Subscriptions {
  /** A handler of its own tells the caller of its own matches and no others. */
  open(handler: McpHttpHandler, request: Request, caller: Caller, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

export function createSubscriptions(context: Context, stopping: AbortSignal): Subscriptions {
  /** By the id of the key. */
  const keyIds = new Map<McpHttpHandler, string>();

  async function follow(handler: McpHttpHandler, caller: Caller, from: string, signal: AbortSignal): Promise<void> {
    try {
      await followMatches(context, caller, from, signal, (uri) => handler.notify.resourceUpdated(uri));
    } catch (error) {
      context.log.info({ err: error }, 'a subscription ended');
    }
    keyIds.delete(handler);
    await handler.close();
  }

  return {
    async open(handler, request, caller, body) {
      const held = [...keyIds.values()].filter((keyId) => keyId === caller.key.id).length;
      if (held >= MAX_SUBSCRIPTIONS) return refused(body);
      // Its place is taken before the first wait: requests that come at once share the limit.
      keyIds.set(handler, caller.key.id);
      try {
        const signal = AbortSignal.any([request.signal, stopping]);
        const from = await beginFollowing(context, caller, signal);
        const response = await handler.fetch(request, { parsedBody: body });
        void follow(handler, caller, from, signal);
        return response;
      } catch (error) {
        keyIds.delete(handler);
        throw error;
      }
    },
    async close() {
      await Promise.all([...keyIds.keys()].map((handler) => handler.close()));
    },
  };
}

export const isSubscription = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';

function refused(body: unknown): Response {
  const { id = null } = body as { id?: string | number | null };
  const message = `This key has ${MAX_SUBSCRIPTIONS} open subscriptions, which is the limit. Close one first.`;
  return Response.json({ jsonrpc: '2.0', id, error: { code: -32_603, message } });
}
