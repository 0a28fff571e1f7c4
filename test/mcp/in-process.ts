/** The tools without a transport: what an agent is answered, as the text that it reads, from a service in memory. */
import { errorResult } from '../../src/mcp/errors.ts';
import { toolNamed } from '../../src/mcp/tools.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { perform } from '../../src/service/perform/perform.ts';
import type { TestService } from '../stages/service.ts';

export interface Answered {
  readonly isError: boolean;
  readonly text: string;
  /** It is undefined for an error. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** Calls a tool as this caller. */
export const agentOf =
  ({ service }: TestService, caller: Caller) =>
  async (name: string, input: object = {}): Promise<Answered> => {
    const operation = toolNamed(name);
    const request = { idempotencyKey: undefined, signal: new AbortController().signal };
    try {
      const answer = await perform(service.context, operation, caller, input, request);
      const value = operation.output.parse(answer) as Record<string, unknown>;
      return { isError: false, text: JSON.stringify(value), value };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const [said] = errorResult(error).content as { text: string }[];
      return { isError: true, text: said!.text, value: {} };
    }
  };

/** Four characters are counted as one token. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);
