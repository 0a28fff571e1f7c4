/**
 * An operation is a verb of the service: its schemas, who may call it, and what it does. HTTP routes, the tool server
 * and the OpenAPI document are made from operations, so that the three cannot disagree.
 */
import type { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import type { Issue } from '../errors.ts';

/** What a key must be to call: `read` is any key but `ingest`; `ingest` is `ingest` or `full`; `operator` is a full key of the default account. */
export type Access = 'read' | 'full' | 'ingest' | 'operator';

export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** One line, then what a caller needs to know to use it right. */
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  /** Closed objects: an unknown field is refused by name. */
  readonly input: Input;
  readonly output: Output;
  readonly example: { readonly input: z.input<Input>; readonly output: z.input<Output> };
  /** What a schema cannot see, found in input of any shape, so that all problems come at once. */
  problems?(context: Context, input: unknown): readonly Issue[];
  run(context: Context, caller: Caller, input: z.output<Input>, request: RequestInfo): Promise<z.input<Output>>;
  /** Where the answer may be long: its one array in slices, so that it is never in memory as a whole. */
  readonly stream?: {
    readonly property: string;
    slices(context: Context, caller: Caller): AsyncIterable<readonly unknown[]>;
  };
  /** The body is NDJSON and becomes this property of the input; the others come from the query string. */
  readonly ndjson?: string;
}

/** The little of a request, beside its input, that an operation may use. */
export interface RequestInfo {
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
}

/** Keeps the types of input and output together; the rest of the program sees plain operations. */
export const operation = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> => definition;
