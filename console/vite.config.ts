/**
 * Builds the console as static files: hashed names, nothing inline. The build compresses each file once, so the server
 * only sends bytes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const SHELL = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler|use-sync-external-store)/',
    'node_modules/@tanstack/(react-query|query-core|react-router|router-core|react-store|store|history)/',
    'packages/client/src/',
    'console/src/(shell|data)/',
  ].join('|'),
);

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the console works behind a proxy that serves it under a path.
  base: './',
  plugins: [react(), tailwind(), preloadFont(), compress()],
  build: {
    target: 'es2023',
    cssTarget: 'chrome123',
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // A data: URL would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    // The code that every page needs is one file: it compresses better and is requested once.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shell', test: SHELL }] } } },
  },
});

/** Preloads the font of nearly all text, so that it is there at the first paint. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        const fonts = Object.keys(bundle ?? {}).filter((name) => /geist-latin-wght-normal.*\.woff2$/.test(name));
        return fonts.map((name) => ({
          tag: 'link',
          attrs: { rel: 'preload', href: `./${name}`, as: 'font', type: 'font/woff2', crossorigin: '' },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

const [gzipped, brotlied] = [promisify(gzip), promisify(brotliCompress)];
const COMPRESSIBLE = /\.(html|js|css|svg)$/;

function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    // All at once: it is half of a build, and this way every core works on it.
    async writeBundle({ dir }) {
      const names = readdirSync(dir!, { recursive: true, encoding: 'utf8' }).filter((name) => COMPRESSIBLE.test(name));
      await Promise.all(
        names.map(async (name) => {
          const path = join(dir!, name);
          const bytes = readFileSync(path);
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
          const [gz, br] = await Promise.all([gzipped(bytes, { level: 9 }), brotlied(bytes, { params })]);
          writeFileSync(`${path}.gz`, gz);
          writeFileSync(`${path}.br`, br);
        }),
      );
    },
  };
}
