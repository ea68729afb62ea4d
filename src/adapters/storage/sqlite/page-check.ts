/**
 * Checks all pages of a database file at the start, so that damage is reported before a list or a visit encounters it.
 * This takes two to three seconds for each GiB in the page cache, and as long as reading the file if it is not there.
 */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { StoreDamaged } from '../../../engine/ports/frontier-store.js';
import { createStoreDamaged, translateErrors } from './sqlite-handle.js';

/** Size in bytes up to which a file is checked before it is used, in half a second or so. */
const CHECKED_FIRST = 256 * 1024 * 1024;
/** When the server runs from source, Node also runs the TypeScript file. */
const ENTRY = new URL(`./page-check.process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * Checks a file that is about to be used. If it is large and somebody can be told of damage later, a process does so in
 * the background. Returns a function that ends the process.
 * @throws StoreDamaged
 */
export function checkPages(file: string, onDamage?: (error: StoreDamaged) => void): () => void {
  if (onDamage !== undefined && statSync(file).size > CHECKED_FIRST) return checkInBackground(file, onDamage);
  requireIntactPages(file);
  return () => {};
}

/** @throws StoreDamaged */
function requireIntactPages(file: string): void {
  translateErrors(file, () => {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      requireOk(file, String(db.pragma('quick_check(1)', { simple: true })));
    } finally {
      db.close();
    }
  });
}

function requireOk(file: string, result: string): void {
  if (result !== 'ok') throw createStoreDamaged(file, result.replace(/^\*\*\* in database main \*\*\*\n/, ''));
}

/** A process, because a thread cannot be ended while SQLite is at work in it, and the server could not stop. */
function checkInBackground(file: string, onDamage: (error: StoreDamaged) => void): () => void {
  const child = execFile(process.execPath, [fileURLToPath(ENTRY), file], { env: {} }, (error, output) => {
    // Without a result, the process could not do its work, which says nothing of the file.
    if (error) return;
    try {
      requireOk(file, output);
    } catch (damage) {
      onDamage(damage as StoreDamaged);
    }
  });
  child.unref();
  return () => void child.kill('SIGKILL');
}
