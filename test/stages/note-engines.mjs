/** Loaded before the program: a process that makes an engine, whose memory threads share, leaves a file named after its role. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const { SLUICE_TEST_ENGINES: folder, SLUICE_ROLES: role } = process.env;
const { Memory } = WebAssembly;

if (isMainThread)
  WebAssembly.Memory = class extends Memory {
    constructor(options) {
      super(options);
      if (options.shared) writeFileSync(join(folder, role), '');
    }
  };
