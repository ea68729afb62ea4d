import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openHandle } from '../../src/adapters/storage/sqlite/sqlite-handle.js';

/** See "WAL-Index File Format" in SQLite's documentation: two headers of 48 bytes, then what is known of the checkpoint. */
const BACKFILL_ATTEMPTED = 96 + 32;
const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/**
 * Simulates a power failure for the database of a killed process: what was written to the WAL since it was
 * last synchronized is lost, from any byte on. Returns how much was lost.
 * @throws Error if the database is damaged afterwards
 */
export function failPower(file: string): { readonly lost: number; readonly of: number } {
  const wal = `${file}-wal`;
  if (!existsSync(wal) || !existsSync(`${file}-shm`)) return { lost: 0, of: 0 };
  const { size } = statSync(wal);
  const synced = Math.min(size, syncedBytes(file, wal));
  const end = synced + Math.floor(Math.random() * (size - synced + 1));
  truncateSync(wal, end);
  rmSync(`${file}-shm`);
  const db = new Database(file);
  const verdict = db.pragma('integrity_check', { simple: true });
  db.close();
  if (verdict !== 'ok')
    throw new Error(`${file} is not sound after ${size - end} bytes of the WAL were lost: ${verdict}`);
  return { lost: size - end, of: size };
}

/** Values of SQLite's pragma `synchronous`. */
const OFF = 0;
const NORMAL = 1;

/**
 * How much of the WAL is on the disk, with the setting with which the store opens its databases: with NORMAL, a checkpoint
 * synchronizes the WAL before it moves frames from it, and nothing else does; with OFF, nothing does.
 */
function syncedBytes(file: string, wal: string): number {
  const synchronous = readSynchronous();
  if (synchronous === OFF) return 0;
  if (synchronous > NORMAL) return statSync(wal).size;
  const frames = readFileSync(`${file}-shm`).readUInt32LE(BACKFILL_ATTEMPTED);
  if (frames === 0) return 0;
  const header = Buffer.alloc(WAL_HEADER);
  const descriptor = openSync(wal, 'r');
  readSync(descriptor, header);
  closeSync(descriptor);
  return WAL_HEADER + frames * (FRAME_HEADER + header.readUInt32BE(8));
}

function readSynchronous(): number {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-'));
  const file = join(folder, 'empty.sqlite');
  new Database(file).close();
  const db = openHandle(file, 'writer');
  const synchronous = db.pragma('synchronous', { simple: true }) as number;
  db.close();
  rmSync(folder, { recursive: true });
  return synchronous;
}
