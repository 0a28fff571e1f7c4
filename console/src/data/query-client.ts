/** The cache of answers that all pages share. It also handles failures for all of them. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { noticeAnswer } from './connection.ts';
import { noticeFailure, onOpening } from './session.ts';

function onError(error: unknown): void {
  noticeAnswer(error);
  noticeFailure(error);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError, onSuccess: () => noticeAnswer() }),
  mutationCache: new MutationCache({ onError, onSuccess: () => noticeAnswer() }),
  defaultOptions: {
    // The client retries by itself.
    queries: { retry: false, staleTime: 5_000 },
    // A change succeeds or fails now. It must not wait for the network and happen later, unseen.
    mutations: { retry: false, networkMode: 'always' },
  },
});

// The data that another key has loaded is gone; what is on the page is loaded again.
onOpening(async () => {
  queryClient.removeQueries({ type: 'inactive' });
  void queryClient.resetQueries({ type: 'active' });
});
