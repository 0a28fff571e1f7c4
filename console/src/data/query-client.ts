/** What was asked and answered is kept here for all pages; failures are looked at once for all of them. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { noticeAnswer } from './connection.ts';
import { noticeFailure } from './session.ts';

function onError(error: unknown): void {
  noticeAnswer(error);
  noticeFailure(error);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError, onSuccess: () => noticeAnswer() }),
  mutationCache: new MutationCache({ onError, onSuccess: () => noticeAnswer() }),
  defaultOptions: {
    // The client has tried again already.
    queries: { retry: false, staleTime: 5_000 },
    // A change is made or fails: it never waits for a network that comes back while nobody is looking.
    mutations: { retry: false, networkMode: 'always' },
  },
});
