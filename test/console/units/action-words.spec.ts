import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeAction } from '../../../console/src/screens/audit/action-words.js';
import { PROJECT_ROOT } from '../../../src/server/project-root.js';

it('the audit log names actions, not HTTP methods', () => {
  expect(describeAction('putConfiguration')).toBe('Change the configuration');
  expect(describeAction('pauseCrawler')).toBe('Pause crawler');
  expect(describeAction('refreshUrls')).toBe('Refresh URLs');
  const description = readFileSync(join(PROJECT_ROOT, 'openapi.yaml'), 'utf8');
  const operations = [...description.matchAll(/operationId: (\w+)/g)].map(([, name = '']) => name);
  expect(operations.length).toBeGreaterThan(50);
  expect(operations.map(describeAction).filter((words) => /^(?:Put|Post|Patch)\b/.test(words))).toEqual([]);
});
