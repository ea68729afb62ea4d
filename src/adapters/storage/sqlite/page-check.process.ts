/**
 * Entry point of the process that checks all pages of a database while the server uses it (page-check.ts), and writes
 * `ok` or what is wrong. This file imports nothing from the project, so that Node can run it without a build.
 */
import { constants, setPriority } from 'node:os';
import Database from 'better-sqlite3';

function check(file: string): unknown {
  try {
    return new Database(file, { readonly: true, fileMustExist: true }).pragma('quick_check(1)', { simple: true });
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code?.startsWith('SQLITE_CORRUPT')) return `${message} (${code})`;
    throw error;
  }
}

setPriority(constants.priority.PRIORITY_LOW);
process.stdout.write(String(check(process.argv[2]!)));
