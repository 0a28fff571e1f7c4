/** Pages whose code loads on the first visit, and while the browser is idle. */
import { type ComponentType, useDeferredValue, useEffect, useState } from 'react';
import { SERVER } from '../data/client.ts';
import { ErrorState } from '../ui/states.tsx';
import { PagePending } from './page-states.tsx';

export interface LazyPage {
  (): React.JSX.Element | null;
  preload(): Promise<void>;
}

const RETRY_AFTER = 3_000;
const RELOADED = 'sluice-reloaded';
const pages: LazyPage[] = [];

/** A page whose code cannot be loaded stays in the console, says so, and is loaded when the server answers. */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name): LazyPage {
  let loaded: ComponentType | undefined;
  const get = async () => {
    loaded ??= (await load())[name];
  };
  function Page() {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(loaded === undefined ? 'loading' : 'loaded');
    useEffect(() => {
      if (state !== 'loading') return;
      let isCurrent = true;
      get().then(
        () => isCurrent && setState('loaded'),
        () => isCurrent && setState('failed'),
      );
      return () => {
        isCurrent = false;
      };
    }, [state]);
    useEffect(() => {
      if (state !== 'failed') return;
      const timer = setInterval(() => void reloadIfAnswering(), RETRY_AFTER);
      return () => clearInterval(timer);
    }, [state]);
    // A page that knows thousands of rules is put together in parts, so that the browser answers in between.
    const isDue = useDeferredValue(true, false);
    const Loaded = loaded;
    if (Loaded !== undefined) return isDue ? <Loaded /> : null;
    return state === 'failed' ? <NotLoaded /> : <PagePending />;
  }
  // The router loads a page before it shows it. What fails then, the page itself says.
  const page: LazyPage = Object.assign(Page, { preload: () => get().catch(() => {}) });
  pages.push(page);
  return page;
}

/** A browser does not fetch a module again that once failed, so the window is loaded anew: its address and drafts are kept. */
async function reloadIfAnswering(): Promise<void> {
  const answer = await fetch(`${SERVER}healthz`).catch(() => undefined);
  if (answer?.ok !== true) return;
  try {
    // Once in a minute: a page that is really not there must not reload for ever.
    if (Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < 60_000) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
  } catch {
    return;
  }
  location.reload();
}

function NotLoaded() {
  const error = new Error('The server does not answer, and this page is not loaded yet. It is shown when it answers.');
  return <ErrorState title="This page could not be loaded" error={error} onRetry={() => location.reload()} />;
}

/** The parts that pages load by themselves when they are first shown. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('../overlays/sign-in-again.tsx'),
  () => import('../overlays/palette.tsx'),
  () => import('../chart/plot.tsx'),
  () => import('../home/newest.tsx'),
  () => import('../rules/code-editor.tsx'),
  () => import('../exclude/exclude-dialog.tsx'),
];

/** Loads the code of all pages, one after the other, so that none is missing when the server is away. */
export function preloadWhileIdle(): void {
  const idle = (run: () => void) =>
    'requestIdleCallback' in window ? requestIdleCallback(run, { timeout: 2_000 }) : setTimeout(run, 2_000);
  const left = [...pages.map(({ preload }) => preload), ...PARTS];
  const next = () => {
    const load = left.shift();
    if (load === undefined) return;
    // A part that fails now is loaded when it is needed.
    load()
      .catch(() => {})
      .finally(() => idle(next));
  };
  idle(next);
}
