/** `events/list`, `events/subscribe`, `events/unsubscribe` and `events/poll`, in every revision of the protocol. */
import { type McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from '../../service/access/caller.ts';
import { pollEvents } from '../../service/agents/poll-events.ts';
import { subscribe, unsubscribe } from '../../service/agents/subscribe.ts';
import { maySubscribe } from '../../service/agents/subscription-terms.ts';
import type { Context } from '../../service/context.ts';
import { EVENT_TYPES } from '../../service/webhooks/event-types.ts';
import { answerRequest } from '../errors.ts';
import {
  EVENT_CAPABILITIES,
  INVALID_PARAMS,
  listParams,
  pollParams,
  pollResult,
  protocolError,
  subscribeParams,
  subscribeResult,
  unsubscribeParams,
  unsupportedMode,
} from './wire.ts';

export function addEvents({ server }: McpServer, context: Context, caller: Caller, signal: AbortSignal): void {
  server.registerCapabilities(EVENT_CAPABILITIES);
  server.setRequestHandler('events/list', { params: listParams }, ({ cursor }) => {
    // All of them are on the first page, so no cursor was ever given out.
    if (cursor !== undefined) throw new ProtocolError(INVALID_PARAMS, 'There is no page with this cursor.');
    return { events: eventsFor(caller) };
  });
  server.setRequestHandler('events/subscribe', { params: subscribeParams }, ({ delivery, ...wish }, { mcpReq }) =>
    answering(context, async () => {
      if (delivery.mode !== 'webhook') throw unsupportedMode(delivery.mode);
      const { url, secret } = delivery;
      const { name, arguments: chosen, cursor, maxAgeMs, ttlMs } = wish;
      const request = { name, arguments: chosen, url, secret, cursor, maxAgeMs, ttlMs };
      const ended = AbortSignal.any([signal, mcpReq.signal]);
      return subscribeResult(await subscribe(context, caller, request, ended));
    }),
  );
  addPoll(server, context, caller, signal);
  server.setRequestHandler('events/unsubscribe', { params: unsubscribeParams }, ({ name, delivery, ...rest }) =>
    answering(context, async () => {
      await unsubscribe(context, caller, { name, arguments: rest.arguments, url: delivery.url });
      return {};
    }),
  );
}

function addPoll(server: McpServer['server'], context: Context, caller: Caller, signal: AbortSignal): void {
  server.setRequestHandler('events/poll', { params: pollParams }, (params, { mcpReq }) =>
    answering(context, async () => {
      const { name, arguments: chosen, cursor, maxAgeMs, maxEvents, timeoutMs } = params;
      const request = { name, arguments: chosen, cursor, maxAgeMs, maxEvents, timeoutMs };
      return pollResult(name, await pollEvents(context, caller, request, AbortSignal.any([signal, mcpReq.signal])));
    }),
  );
}

const answering = <T>(context: Context, work: () => Promise<T>): Promise<T> =>
  answerRequest(context, 'events', work, (error) => {
    throw protocolError(error);
  });

interface EventDefinition {
  readonly name: string;
  readonly description: string;
  readonly delivery: readonly string[];
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly payloadSchema: Readonly<Record<string, unknown>>;
}

let catalogue: readonly EventDefinition[] | undefined;

const definitions = (): readonly EventDefinition[] =>
  EVENT_TYPES.map(({ name, description, input, payload, isMatch }) => ({
    name,
    description,
    delivery: isMatch ? ['webhook', 'poll'] : ['webhook'],
    inputSchema: schemaOf(input, 'input'),
    payloadSchema: schemaOf(payload, 'output'),
  }));

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      // The format says it, and the pattern is a screen long.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
}

/** A caller sees what it may subscribe to. */
function eventsFor(caller: Caller): readonly EventDefinition[] {
  if (!maySubscribe(caller)) return [];
  catalogue ??= definitions();
  return catalogue;
}
