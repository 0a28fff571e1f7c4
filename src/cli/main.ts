#!/usr/bin/env node
/** Where the program begins. What was compiled once is kept for the next start, which then takes half the time. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./program.ts');
