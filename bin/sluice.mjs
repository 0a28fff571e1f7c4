#!/usr/bin/env node
// The command `sluice`: from the sources in a checkout, from the emitted JavaScript in the package, which has no sources.
// Plain JavaScript that the oldest Node can read, so that it can say which one is needed.
import { existsSync } from 'node:fs';
import module from 'node:module';

const LEAST = 24;
if (Number(process.versions.node.split('.')[0]) < LEAST) {
  console.error(`error: sluice needs Node ${LEAST} or newer; this is ${process.version}.`);
  process.exit(2);
}
// Before the first source is read: then not even what reads sources has to be loaded.
module.enableCompileCache();
const sources = new URL('../src/cli/main.ts', import.meta.url);
await import(existsSync(sources) ? sources.href : new URL('../dist/cli/main.js', import.meta.url).href);
