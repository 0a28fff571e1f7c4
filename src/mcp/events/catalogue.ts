/** What `events/list` answers. Schemas become JSON Schema once, for the first client that asks. */
import { z } from 'zod';
import type { Caller } from '../../service/access/caller.ts';
import { maySubscribe } from '../../service/agents/subscription-terms.ts';
import { EVENT_TYPES } from '../../service/webhooks/event-types.ts';

export interface EventDefinition {
  readonly name: string;
  readonly description: string;
  readonly delivery: readonly string[];
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly payloadSchema: Readonly<Record<string, unknown>>;
}

let catalogue: readonly EventDefinition[] | undefined;

const definitions = (): readonly EventDefinition[] =>
  EVENT_TYPES.map(({ name, description, input, payload }) => ({
    name,
    description,
    delivery: ['webhook'],
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
export function eventsFor(caller: Caller): readonly EventDefinition[] {
  if (!maySubscribe(caller)) return [];
  catalogue ??= definitions();
  return catalogue;
}
