import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { until } from '../../../test/support/until.js';
import type { CrawlEvent } from '../../engine/events.js';
import { FetchLog } from './fetch-log.js';

it.skipIf(!existsSync('/dev/full'))('goes on after a full disk, with one line about it in the server log', async () => {
  const path = join(temporaryDirectory(), 'fetches.jsonl');
  symlinkSync('/dev/full', path);
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const log = await FetchLog.open(path, { debug: note, info: note, warn: note, error: note });
  onTestFinished(() => log.close());
  const visit = (at: number) =>
    log.write({ type: 'visit', at, crawler: 'docs', url: `http://a.example/${at}` } as CrawlEvent);
  visit(1);
  await until(() => logged.length === 1);
  rmSync(path);
  visit(2);
  visit(3);
  const lines = () => (existsSync(path) ? readFileSync(path, 'utf8') : '').split('\n').filter((line) => line !== '');
  await until(() => lines().length === 2);
  expect(lines().map((line) => JSON.parse(line).url)).toEqual(['http://a.example/2', 'http://a.example/3']);
  expect(logged).toEqual(['the fetch log cannot be written']);
});
