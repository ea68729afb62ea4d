import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const ASSETS = join(import.meta.dirname, 'dist', 'assets');

/** Compresses each asset at build time, so that the server does not spend time on it while it crawls. */
const compressAssets = (): Plugin => ({
  name: 'compress-assets',
  closeBundle() {
    for (const name of readdirSync(ASSETS)) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const bytes = readFileSync(join(ASSETS, name));
      writeFileSync(join(ASSETS, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      writeFileSync(join(ASSETS, `${name}.br`), brotliCompressSync(bytes));
    }
  },
});

export default defineConfig({
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  plugins: [compressAssets()],
  server: { proxy: { '/api': 'http://127.0.0.1:8740' } },
});
