import { expect, it } from 'vitest';
import { parseApiKeys } from './api-keys.js';

it.each([
  'PLANTED',
  'PLANTED:admin',
  'PLANTED:admin:',
  'PLANTED:operator:x',
  'ci:PLANTED',
  'ci:PLANTED:read',
  'ci PLANTED:read:k',
  'a:read:PLANTED,a:read:PLANTED',
])('an error about the invalid entry %s repeats nothing of it', (text) => {
  let message = '';
  try {
    parseApiKeys(text);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(/entry 1|two entries/);
  expect(message).not.toContain('PLANTED');
});
