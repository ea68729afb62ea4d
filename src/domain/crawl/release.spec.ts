import { expect, it } from 'vitest';
import { createReleaseDisposition } from './release.js';
import type { UrlState } from './url-state.js';

const state = (status: UrlState['status'], reason: string) => ({ status, reason }) as UrlState;

it.each([
  ['a page in error stays and is visited when it is due', state('error', 'http-404'), false],
  ['a page that was given up is forgotten', state('error', 'too-many-temporary-errors'), true],
  ['a page without a server record is forgotten', state('error', 'no-server-record'), true],
  ['a page that says noindex stays', state('visited', 'noindex'), false],
  ['a page that redirects stays', state('redirected', 'redirected'), false],
])('a released deletion: %s', (_, known, remove) => {
  expect(createReleaseDisposition(known, known.reason)).toMatchObject({
    remove,
    order: { kind: 'delete', reason: known.reason },
  });
});
