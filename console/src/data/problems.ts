/** The server's messages about one field of a refused form. */
import type { SluiceError } from '../../../packages/client/src/index.ts';

/** The problems at a path such as `url`, or anywhere below it; undefined when there are none. */
export function issueAt(error: SluiceError | null, path: string): string | undefined {
  const found = (error?.issues ?? []).filter((issue) => issue.path === path || issue.path.startsWith(`${path}.`));
  return found.length === 0 ? undefined : found.map(({ message }) => message).join(' ');
}
