/**
 * A tool is an operation with what a model needs beside it: how it behaves, for programs that ask a person first. Its
 * schemas are the service's own, so that the two interfaces cannot drift apart; they become JSON Schema once.
 */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Context } from '../service/context.ts';
import { type Operation, operationIn } from '../service/perform/operation.ts';

/** A tool calls operations of several rooms, so it sees all parts. */
export const operation = operationIn<Context>();

export interface Tool {
  readonly operation: Operation;
  readonly annotations: ToolAnnotations;
}

/** The entry of a tool in `tools/list`. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
}

export type JsonSchema = Record<string, unknown>;

/** Answers have no schema: a model reads the answer itself, and with a schema every answer would have to be sent twice. */
export function definitionOf({ operation: shown, annotations }: Tool): ToolDefinition {
  const { name, summary, description, input, example } = shown;
  return {
    name,
    title: summary,
    description: `${description}\nExample: ${JSON.stringify(example.input)}`,
    inputSchema: schemaOf(input),
    annotations,
  };
}

/** The schema in as few characters as possible: all of them are in a model's context. */
function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema: one, path }) {
      // The format says it, and the pattern is a screen long.
      if (one.format === 'date-time') delete one.pattern;
      if (one.minimum === Number.MIN_SAFE_INTEGER) delete one.minimum;
      if (one.maximum === Number.MAX_SAFE_INTEGER) delete one.maximum;
      // A model writes what is needed; the refusal of what is too long or too many says how much it may be.
      delete one.minLength;
      delete one.maxLength;
      delete one.minItems;
      delete one.maxItems;
      delete one.propertyNames;
      if (isEmpty(one.additionalProperties)) delete one.additionalProperties;
      if (one.enum !== undefined) delete one.type;
      // The fields of an object say what it is for, and the instructions say what the platforms are.
      if (one.properties !== undefined || isPlatform(path)) delete one.description;
      // The description beside the alternatives says what it is for.
      for (const alternative of one.anyOf ?? []) delete alternative.description;
      if (path.at(-1) === 'rule_id') one.description = 'Its id or its name.';
      // The first sentence is enough here; the HTTP API has the rest.
      if (one.description !== undefined) one.description = one.description.replace(/(\.) .*$/s, '$1');
    },
  });
  return json;
}

const isPlatform = (path: readonly (string | number)[]): boolean =>
  path.at(-1) === 'platform' || (path.at(-1) === 'items' && path.at(-2) === 'platforms');

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
