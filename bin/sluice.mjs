#!/usr/bin/env node
// The command `sluice`: from the sources in a checkout, from the emitted JavaScript in the package, which has no sources.
// Plain JavaScript that the oldest Node can read, so that it can say which one is needed.
import { existsSync } from 'node:fs';

const LEAST = 24;
if (Number(process.versions.node.split('.')[0]) < LEAST) {
  console.error(`error: sluice needs Node ${LEAST} or newer; this is ${process.version}.`);
  process.exit(2);
}
const sources = new URL('../src/cli/main.ts', import.meta.url);
await import(existsSync(sources) ? sources.href : new URL('../dist/cli/main.js', import.meta.url).href);
