#!/usr/bin/env node
/** The entry of the program. Compiled modules are cached on disk, which halves the time of the next start. */
import { enableCompileCache, flushCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

enableCompileCache();
const kept = getCompileCacheDir();
// Threads look for it here; Node itself adds the folder of its version.
if (kept !== undefined) process.env['NODE_COMPILE_CACHE'] ||= dirname(kept);
await import('./program.ts');
// A server that is killed later has written it too.
flushCompileCache();
