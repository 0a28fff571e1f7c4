/** Whether the server can be reached, judged by the latest requests. */
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { SluiceError } from '../../../packages/client/src/index.ts';
import { observable, useObservable } from './observable.ts';

const answers = observable(true);

export function noticeAnswer(error?: unknown): void {
  answers.set(!(error instanceof SluiceError && error.code === 'no_answer'));
}

/** `offline`: the browser has no network. `unreachable`: it has one, but the server does not answer. */
export function useConnection(): 'online' | 'offline' | 'unreachable' {
  const online = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  const isAnswering = useObservable(answers);
  if (!online) return 'offline';
  return isAnswering ? 'online' : 'unreachable';
}
