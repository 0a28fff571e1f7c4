/** Folders, files and npm on systems other than the one that runs the tests. */
import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { npmCall } from '../../bin/npm-call.mjs';
import { isBelow, mayBeBelow } from '../sources/history/files.ts';
import { existing } from './doctor.ts';
import { fileOf, storeName } from './open-store.ts';
import { permissionNote } from './private-folder.ts';

describe('on another system', () => {
  it('a database may be on any drive', () => {
    const storeUrl = 'sqlite:D:\\My data\\sluice.db';
    expect([fileOf({ storeUrl }), storeName({ storeUrl })]).toEqual([
      'D:\\My data\\sluice.db',
      'D:\\My data\\sluice.db',
    ]);
  });

  it('the operator is told where modes keep no other user out', () => {
    expect(permissionNote('win32')).toMatch(/the permissions of the data folder decide who can read it/);
    expect([permissionNote('linux'), permissionNote('darwin')]).toEqual([undefined, undefined]);
  });

  it('the search for a folder that is there ends at the root, also of a drive that is not there', () => {
    expect(existing('Z:\\data\\deep', win32, () => false)).toBe('Z:\\');
    expect(existing('C:\\Users\\ada\\data', win32, (path) => path === 'C:\\Users')).toBe('C:\\Users');
    expect(existing('/srv/sluice/data', posix, (path) => path === '/srv')).toBe('/srv');
  });

  it.each([
    'C:\\secret.ndjson',
    'C:secret.ndjson',
    '..\\secret.ndjson',
    'a\\..\\..\\secret.ndjson',
    '../secret.ndjson',
    '\\secret.ndjson',
    '\\\\host\\share\\secret.ndjson',
    '\\\\?\\C:\\secret.ndjson',
  ])('%s leads out of a folder of Windows', (name) => {
    expect(mayBeBelow(name, win32)).toBe(false);
  });

  it('what a name leads to must be below the folder, not beside it', () => {
    expect(mayBeBelow('2026\\march.ndjson', win32)).toBe(true);
    expect(isBelow('D:\\history', 'D:\\history\\march.ndjson', win32)).toBe(true);
    expect(isBelow('D:\\', 'D:\\march.ndjson', win32)).toBe(true);
    expect(isBelow('D:\\history', 'D:\\history-of-others\\march.ndjson', win32)).toBe(false);
  });

  it('npm is run by its own program on Windows, and through a shell only where that is not known', () => {
    const program = 'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js';
    const node = 'C:\\Program Files\\nodejs\\node.exe';
    expect(npmCall(['ci'], { platform: 'win32', node, npmProgram: program })).toEqual({
      command: node,
      args: [program, 'ci'],
      shell: false,
    });
    for (const npmProgram of [undefined, 'C:\\yarn.js'])
      expect(npmCall(['ci'], { platform: 'win32', node, npmProgram })).toMatchObject({ command: 'npm', shell: true });
    expect(npmCall(['ci'], { platform: 'linux', node: '/node', npmProgram: '/npm-cli.js' })).toMatchObject({
      command: 'npm',
      shell: false,
    });
  });
});
