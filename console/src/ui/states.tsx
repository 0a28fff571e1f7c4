/** Shown in place of content: an empty state or an error. */
import { CircleAlert, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { SluiceError } from '../../../packages/client/src/index.ts';
import { Button } from './button.tsx';

export interface EmptyStateProps {
  readonly title: string;
  readonly icon?: ReactNode;
  /** Why it is empty and what to do about it. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export function EmptyState({ title, icon, children, actions }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-8 text-center">
      {icon !== undefined && <div className="mb-3 text-faint">{icon}</div>}
      <p className="text-base font-medium text-balance">{title}</p>
      {children !== undefined && <div className="mt-1 max-w-md text-soft text-pretty">{children}</div>}
      {actions !== undefined && <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

export interface ErrorStateProps {
  readonly title?: string;
  readonly error: unknown;
  onRetry?(): void;
}

export function ErrorState({ title = 'Loading failed', error, onRetry }: ErrorStateProps) {
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-8 text-center">
      <CircleAlert aria-hidden className="mb-3 size-5 text-bad" />
      <p className="text-base font-medium">{title}</p>
      <p className="mt-1 max-w-md text-soft break-words">{error instanceof Error ? error.message : String(error)}</p>
      <RequestId error={error} />
      {onRetry !== undefined && (
        <Button className="mt-4" icon={<RotateCw aria-hidden className="size-3.5" />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** By which the operator finds the request in the server's log. */
function RequestId({ error }: { error: unknown }) {
  if (!(error instanceof SluiceError) || error.requestId === undefined) return null;
  return (
    <p className="mt-1 text-xs text-faint">
      Request <code className="font-mono select-all">{error.requestId}</code>
    </p>
  );
}
