/**
 * An operation is a verb of the service: its schemas, who may call it, and what it does. HTTP routes, the tool server
 * and the OpenAPI document are built from operations, so the three cannot disagree.
 */
import type { z } from 'zod';
import type { TraceContext } from '../../base/tracing.ts';
import type { Caller } from '../access/caller.ts';
import type { ComputeWish } from '../compute.ts';
import type { Context, ReadContext } from '../context.ts';
import type { Issue } from '../errors.ts';

/** Which keys may call it. `read`: any key except `ingest`. `ingest`: `ingest` or `full`. `operator`: a full key of the default account. */
export type Access = 'read' | 'full' | 'ingest' | 'operator';

/**
 * The reach of an agent's token. `rules`: it keeps to the rules of the grant. `account`: only a grant for all rules.
 */
export type GrantReach = 'rules' | 'account';

/** `Parts` are the parts of the service that it works with: those of its room. */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType, Parts = Context> {
  readonly name: string;
  /** One line, then what a caller must know to use it correctly. */
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  /** Absent: only a key may call it, whatever the scopes of a grant. */
  readonly grants?: GrantReach;
  /** Closed objects: an unknown field is refused by name. */
  readonly input: Input;
  readonly output: Output;
  readonly example: { readonly input: z.input<Input>; readonly output: z.input<Output> };
  /**
   * Finds problems that a schema cannot, in input of any shape, so that all problems are reported at once. Where that takes long,
   * it is a job, asked for with `wish`.
   */
  problems?(parts: Parts, input: unknown, wish: ComputeWish): readonly Issue[] | Promise<readonly Issue[]>;
  run(parts: Parts, caller: Caller, input: z.output<Input>, request: RequestInfo): Promise<z.input<Output>>;
  /** For a long answer: yields its one array in slices, so that the whole is never in memory. */
  readonly stream?: {
    readonly property: string;
    slices(parts: Parts, caller: Caller, input: z.output<Input>): AsyncIterable<readonly unknown[]>;
  };
  /** It runs in the main thread, unless this says `compute`. */
  readonly runs?: 'main' | 'compute';
  /** The body is NDJSON and stands for this property of the input; the others come from the query string. */
  readonly ndjson?: string;
}

/** The parts of a request, besides its input, that an operation may use. */
export interface RequestInfo {
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
  /** The span of the request, where traces are on. */
  readonly trace?: TraceContext | undefined;
  /** A body of NDJSON as it came, in UTF-8: as text it may be twice as long. */
  readonly lines?: Buffer;
}

/** An operation that only reads and computes. `perform` hands it to a compute thread, where it runs whole. */
export interface ComputedOperation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Parts = Context,
> extends Operation<Input, Output> {
  readonly runs: 'compute';
  /** Whether a request takes long enough to be handed over, by the input as it came. All do where this is absent. */
  isLong?(input: unknown): boolean;
  problems?(context: ReadContext, input: unknown): readonly Issue[];
  run(context: ReadContext, caller: Caller, input: z.output<Input>): Promise<z.input<Output>>;
  /** The answer of `run` as JSON, byte for byte, where it is written without an object on the way. */
  text?(context: ReadContext, caller: Caller, input: z.output<Input>): Promise<string>;
  /** Does the main thread's part: to store something, or to add what only it knows. */
  finish?(parts: Parts, caller: Caller, input: z.output<Input>, answer: z.input<Output>): Promise<z.input<Output>>;
}

/** Checks the types of input and output against each other; the rest of the program sees untyped operations. */
export const operationIn =
  <Parts>() =>
  <Input extends z.ZodType, Output extends z.ZodType>(
    definition: Operation<Input, Output, Parts>,
  ): Operation<Input, Output, Parts> =>
    definition;

/** Checks the types of an operation that runs in a compute thread. Its `finish` sees the parts of the room. */
export const computedIn =
  <Parts>() =>
  <Input extends z.ZodType, Output extends z.ZodType>(
    definition: Omit<ComputedOperation<Input, Output, Parts>, 'runs'>,
  ): ComputedOperation<Input, Output, Parts> => ({ ...definition, runs: 'compute' });
