/**
 * A process that visits the sources of accounts on a stand-in web, for those who measure, kill or freeze it. `startSourceNode` starts
 * one and asks it.
 */
import { flushCompileCache } from 'node:module';
import { systemClock } from '../../src/base/clock.ts';
import { boundHeap } from '../../src/cli/commands/serve.ts';
import { accountHttp } from '../../src/service/visits/visits.ts';
import { visitedConfig } from '../../src/sources/kinds/account-source.ts';
import { createSource } from '../../src/sources/kinds/kinds.ts';
import { openDocumentReader } from '../../src/sources/reading/document-reader.ts';
import { visitSource } from '../../src/sources/run.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { SourceNodeAnswer, SourceNodeOptions, SourceNodeQuestion } from './source-process.ts';
import { openVisiting } from './visiting.ts';
import { reachWeb } from './web.ts';

// As the command `serve` does.
boundHeap();
const { store: address, port, name, pauseMs } = JSON.parse(process.argv[2]!) as SourceNodeOptions;
const web = reachWeb(port);
const store = await (address.startsWith('postgres') ? openPostgres(address) : openSqlite(address));
const test = await openVisiting(web, { store, holder: { id: name, isGone: () => false }, visits: { pauseMs } });

const memoryNow = () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss_mb: rss / 2 ** 20, heap_mb: heapUsed / 2 ** 20, peak_mb: process.resourceUsage().maxRSS / 2 ** 10 };
};

/** Milliseconds of CPU that this process has used, in all threads. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function answer(question: SourceNodeQuestion): Promise<object> {
  switch (question.do) {
    case 'rule': {
      await test.rule(await test.caller('alice'), question.word);
      return {};
    }
    case 'add': {
      const caller = await test.caller('alice');
      for (const host of question.hosts) await test.add(caller, web.url(host));
      return {};
    }
    case 'visit':
      await test.after(question.milliseconds);
      return {};
    case 'forward':
      test.clock.forward(question.milliseconds);
      test.service.context.visits.wake();
      return {};
    case 'fetch':
      await fetchAlone(question.hosts);
      return {};
    case 'figures':
      return { ...memoryNow(), cpu_ms: cpuNow() };
  }
}

/** Fetches these feeds and reads them by their kind, without a schedule and without a store. */
async function fetchAlone(hosts: readonly string[]): Promise<void> {
  const http = accountHttp(systemClock, { userAgent: 'bench', ...web.visits });
  await using reader = openDocumentReader(systemClock);
  const sink = { cursor: async () => undefined, add: async () => [], erase: async () => {}, noteGaps: async () => {} };
  const signal = new AbortController().signal;
  for (let at = 0; at < hosts.length; at += 32)
    await Promise.all(
      hosts.slice(at, at + 32).map((host) => {
        const config = visitedConfig('alone', { kind: 'feeds', options: { urls: [web.url(host)] } }, undefined);
        if ('problem' in config) throw new Error(config.problem);
        return visitSource(createSource(config), sink, { clock: systemClock, http, reader, signal });
      }),
    );
}

process.on('message', (message: SourceNodeQuestion & { readonly id: number }) => {
  const send = (given: Omit<SourceNodeAnswer, 'id'>) => process.send!({ id: message.id, ...given });
  answer(message).then(
    (value) => send({ value }),
    (error: unknown) => send({ error: String(error) }),
  );
});
// The process that started it has ended.
process.on('disconnect', () => process.exit());
flushCompileCache();
process.send!({ id: 0, value: {} });
