/** How long a page's thread works at a stretch. More than 50 ms, and a person feels it. */
import type { Page } from 'playwright-core';
import { openBrowser } from '../console/visitors.ts';

const LONG_MS = 50;

/** Long tasks as the page itself sees them, by the clock on the wall: on a busy machine, waiting for a core is part of them. */
export async function watchTasks(page: Page): Promise<() => Promise<number[]>> {
  const watch =
    'window.busy = []; new PerformanceObserver((list) => { for (const one of list.getEntries()) busy.push(one.duration) }).observe({ type: "longtask" })';
  await page.addInitScript(watch);
  await page.evaluate(watch);
  return () => page.evaluate<number[]>('busy.splice(0)');
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds that the thread itself worked. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Tasks by the time that the thread itself has worked, which no other process changes, in milliseconds. */
export async function tasksDuring(
  page: Page,
  work: () => Promise<unknown>,
): Promise<{ longest: number; long: number[] }> {
  const browser = await openBrowser();
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents
    .filter(({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && threads.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1_000);
  const longest = Math.max(0, ...tasks);
  if (longest === 0) throw new Error('The trace has no work of the page.');
  return { longest, long: tasks.filter((milliseconds) => milliseconds > LONG_MS) };
}

export const saidOf = (tasks: readonly number[]): string =>
  tasks.length === 0 ? 'no long task' : `${tasks.length} long tasks, the longest ${Math.round(Math.max(...tasks))} ms`;
