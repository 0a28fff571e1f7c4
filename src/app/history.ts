/** What rules can be rehearsed on, from the configuration. */
import type { Clock } from '../base/clock.ts';
import type { HistoryAccess } from '../service/rehearsal/request.ts';
import { jetstreamHistory } from '../sources/history/archive-history.ts';
import { historyFiles } from '../sources/history/files.ts';
import type { HistoryArchive } from '../sources/history/history.ts';
import { archiveOf, jetstreamOptions } from '../sources/kinds/jetstream.ts';
import type { SourceConfig } from '../sources/kinds/kinds.ts';
import { loadLanguages } from '../sources/text/language.ts';
import type { Config } from './config.ts';
import { sourceHttp } from './sources.ts';

export async function openHistory(config: Config, clock: Clock): Promise<HistoryAccess> {
  const archive = archiveFrom(config, clock);
  if (archive !== undefined) await loadLanguages();
  return { files: config.historyDir === undefined ? undefined : historyFiles(config.historyDir), archive };
}

/** That of the first source that has one; with a key alone, that of Bluesky's own hosts. */
function archiveFrom({ sources, jetstreamKey }: Config, clock: Clock): HistoryArchive | undefined {
  const usual: SourceConfig = { name: 'jetstream', kind: 'jetstream', options: { key: jetstreamKey }, platforms: [] };
  const all = jetstreamKey === undefined ? sources : [...sources, usual];
  for (const source of all.filter(({ kind }) => kind === 'jetstream')) {
    const { allow_private: _, ...given } = source.options;
    const options = jetstreamOptions.parse(given);
    // All posts: the accounts that the source follows are no part of the question.
    const host = archiveOf({ ...options, dids: [] }, options.url);
    if (host !== undefined) return jetstreamHistory(sourceHttp(clock, source), host, source.name);
  }
  return undefined;
}
