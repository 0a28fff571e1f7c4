/** Changes that pages make. A change marks the data it touched as stale, so every page that shows the data loads it again. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import type { SluiceError } from '../../../packages/client/src/index.ts';
import type { Subject } from './queries.ts';

/** `useChange(client.keys.revoke, ['keys'])`. The client throws only `SluiceError`. */
export function useChange<In, Out>(
  run: (input: In) => Promise<Out>,
  stale: readonly Subject[],
): UseMutationResult<Out, SluiceError, In> {
  const queries = useQueryClient();
  return useMutation<Out, SluiceError, In>({
    mutationFn: (input) => run(input),
    onSuccess: async () => {
      await Promise.all(stale.map((subject) => queries.invalidateQueries({ queryKey: [subject] })));
    },
  });
}
