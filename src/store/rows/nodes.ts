/** Nodes as rows. */
import type { NodeReport } from '../store.ts';

export interface NodeRow {
  readonly id: string;
  readonly roles: string;
  readonly applied: number;
}

export const nodeOf = ({ id, roles, applied }: NodeRow): NodeReport => ({
  id,
  roles: JSON.parse(roles) as string[],
  applied,
});
