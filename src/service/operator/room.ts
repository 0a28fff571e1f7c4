/** The parts of the service that the operations of the operator on accounts work with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type AccountsRoom = Pick<Context, 'store' | 'clock' | 'log' | 'nodes' | 'suspensions' | 'accountUses'>;

export const operation = operationIn<AccountsRoom>();
