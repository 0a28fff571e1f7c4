/** One way to answer the requests of agents: each in its turn, and each failure as a `ServiceError`. */
import { ProtocolError } from '@modelcontextprotocol/server';
import { createTurns } from '../base/cooperate.ts';
import type { Context } from '../service/context.ts';
import { asServiceError, ServiceError } from '../service/errors.ts';
import { defect } from './errors.ts';

/** One message may ask for many things at once: each gets a turn of the event loop, so that others are answered in between. */
const oneATurn = createTurns(1);

/** `refuse` tells the agent what went wrong. A defect is logged under the name of what was asked for. */
export async function answerRequest<T>(
  { log }: Pick<Context, 'log'>,
  asked: string,
  work: () => Promise<T>,
  refuse: (error: ServiceError) => T,
): Promise<T> {
  await oneATurn(1);
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const known = asServiceError(error);
    if (known instanceof ServiceError) return refuse(known);
    log.error({ err: error, asked }, 'A request of an agent failed.');
    return refuse(defect());
  }
}
