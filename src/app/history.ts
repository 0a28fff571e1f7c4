/** What rules can be rehearsed on, from the configuration. */
import type { HistoryAccess } from '../service/rehearsal/request.ts';
import { historyFiles } from '../sources/history/files.ts';
import type { Config } from './config.ts';

export const historyOf = ({ historyDir }: Pick<Config, 'historyDir'>): HistoryAccess => ({
  ...(historyDir !== undefined && { files: historyFiles(historyDir) }),
});
