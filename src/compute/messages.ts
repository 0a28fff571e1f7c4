/** The messages between the main thread and a compute thread. */
import type { ObjectPlace } from '../base/object-store.ts';
import type { languages } from '../rules/languages.ts';
import { ServiceError } from '../service/errors.ts';
import type { ReadParts } from '../service/parts/read-context.ts';

/** A thread is made from plain data, from which it builds what the main thread has, by the same functions. */
export interface ThreadOrder extends Pick<ReadParts, 'settings' | 'shapes' | 'sealingKey'> {
  readonly storeUrl: string;
  /** The place of old matches, and the key of marks of texts. */
  readonly cold?: { readonly place: ObjectPlace; readonly textKey: Uint8Array } | undefined;
  readonly language: NonNullable<Parameters<typeof languages>[0]>;
}

export interface ThreadQuestion {
  readonly job: string;
  readonly input: unknown;
  /** Not 0 when nobody wants the answer any more: a thread that computes reads no messages. */
  readonly stop: Int32Array;
}

export type ThreadAnswer = (
  | { readonly answer: unknown }
  /** An error of the caller, by its parts: errors lose what they are on the way between threads. */
  | { readonly refusal: Pick<ServiceError, 'code' | 'message' | 'details' | 'retryAfter'> }
  | { readonly defect: unknown }
) & { readonly cpuMilliseconds: number };

export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

export const refusalOf = ({ code, message, details, retryAfter }: ServiceError) => ({
  code,
  message,
  details,
  retryAfter,
});

export function answerOfReply(reply: ThreadAnswer): unknown {
  if ('answer' in reply) return reply.answer;
  if ('defect' in reply) throw reply.defect;
  const { code, message, details, retryAfter } = reply.refusal;
  throw new ServiceError(code, message, { details, ...(retryAfter !== undefined && { retryAfter }) });
}
