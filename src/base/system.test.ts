import { describe, expect, it } from 'vitest';
import { hasFileModes, hasFolderSync, pathsOf, stopSignals } from './system.ts';

describe('a system', () => {
  it('is stopped by the signals that it has', () => {
    expect(stopSignals('linux')).toEqual(['SIGINT', 'SIGTERM']);
    expect(stopSignals('darwin')).toEqual(['SIGINT', 'SIGTERM']);
    expect(stopSignals('win32')).toEqual(['SIGINT', 'SIGBREAK', 'SIGHUP']);
  });

  it('names its own signals: the others cannot be listened to', () => {
    for (const signal of stopSignals(process.platform)) {
      const ignore = () => {};
      expect(() => process.once(signal, ignore)).not.toThrow();
      process.removeListener(signal, ignore);
    }
  });

  it('joins paths in its own way', () => {
    expect(pathsOf('win32').join('C:\\data', 'sluice.db')).toBe('C:\\data\\sluice.db');
    expect(pathsOf('darwin').join('/data', 'sluice.db')).toBe('/data/sluice.db');
  });

  it('keeps files private by their modes, or says that it does not', () => {
    expect([hasFileModes('linux'), hasFileModes('darwin'), hasFileModes('win32')]).toEqual([true, true, false]);
  });

  it('syncs folders where they can be opened', () => {
    expect([hasFolderSync('linux'), hasFolderSync('darwin'), hasFolderSync('win32')]).toEqual([true, true, false]);
  });
});
