/**
 * An operation is a verb of the service: its schemas, who may call it, and what it does. HTTP routes, the tool server
 * and the OpenAPI document are made from operations, so that the three cannot disagree.
 */
import type { z } from 'zod';
import type { Account, Key } from '../domain/account.ts';
import type { Context } from './context.ts';

/** Who is calling: found once, at the edge, from the key. Operations see nothing of the request but this. */
export interface Caller {
  readonly account: Account;
  readonly key: Key;
}

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
  run(context: Context, caller: Caller, input: z.output<Input>, request: RequestInfo): Promise<z.input<Output>>;
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
